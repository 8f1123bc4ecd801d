import { batch, useSignal } from "@preact/signals";
import { alertTarget } from "../../state/page/alerttarget.ts";
import { type RecordTarget, recordTarget } from "../../state/page/record.ts";
import type { RecordingRule } from "../../state/query/recordingrule.ts";
import { AlertDialog } from "../alerts/lazydialog.ts";
import { Dialog } from "../controls/dialog.tsx";
import { EditRule } from "./editrule.tsx";
import { NewRule } from "./newrule.tsx";
import { Recorded } from "./recorded.tsx";
import { ServiceRule } from "./servicerule.tsx";
import "../../style/rules.css";

/** Makes a recording rule of what the page of a service shows or of any service, or edits one. */
export function RecordDialog({ target }: { target: RecordTarget }) {
  const saved = useSignal<RecordingRule | null>(null);
  const end = () =>
    batch(() => {
      alertTarget.value = null;
      recordTarget.value = null;
    });
  const frame = "rule" in target ? null : target;
  const rule = "rule" in target ? target.rule : null;
  if (rule)
    return (
      <Dialog class="record" title="Edit rule" testid="record" onClose={end}>
        {(close) => <EditRule rule={rule} done={close} />}
      </Dialog>
    );
  // The next step after a rule is saved.
  if (alertTarget.value) return <AlertDialog target={alertTarget.value} onClose={end} />;
  return (
    <Dialog class="record" title={frame ? "Record as a metric" : "New rule"} testid="record" onClose={end}>
      {(close) =>
        saved.value ? (
          <Recorded rule={saved.value} close={close} />
        ) : frame ? (
          <NewRule frame={frame} done={(rule) => (saved.value = rule)} />
        ) : (
          <ServiceRule done={(rule) => (saved.value = rule)} />
        )
      }
    </Dialog>
  );
}
