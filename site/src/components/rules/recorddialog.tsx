import { batch, useSignal } from "@preact/signals";
import { alertTarget } from "../../state/page/alerttarget.ts";
import { type RecordTarget, recordTarget } from "../../state/page/record.ts";
import type { RecordingRule } from "../../state/query/recordingrule.ts";
import { AlertDialog } from "../alerts/lazydialog.ts";
import { Dialog } from "../controls/dialog.tsx";
import { EditRule } from "./editrule.tsx";
import { NewRule } from "./newrule.tsx";
import { Recorded } from "./recorded.tsx";
import "../../style/rules.css";

/** Makes a recording rule of what the page of a service shows, or edits one. */
export function RecordDialog({ target }: { target: RecordTarget }) {
  const saved = useSignal<RecordingRule | null>(null);
  const end = () =>
    batch(() => {
      alertTarget.value = null;
      recordTarget.value = null;
    });
  if ("rule" in target)
    return (
      <Dialog class="record" title="Edit rule" testid="record" onClose={end}>
        {(close) => <EditRule rule={target.rule} done={close} />}
      </Dialog>
    );
  // The next step after a rule is saved.
  if (alertTarget.value) return <AlertDialog target={alertTarget.value} onClose={end} />;
  return (
    <Dialog class="record" title="Record as a metric" testid="record" onClose={end}>
      {(close) =>
        saved.value ? (
          <Recorded rule={saved.value} close={close} />
        ) : (
          <NewRule frame={target} done={(rule) => (saved.value = rule)} />
        )
      }
    </Dialog>
  );
}
