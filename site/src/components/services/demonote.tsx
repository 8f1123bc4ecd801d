import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { base } from "../../base.ts";
import { deleteDemoData, isDeleting, mayDelete } from "../../demo/filldemo.ts";
import { useAction } from "../../state/action.ts";
import { rememberDemoData } from "../../state/page/demodata.ts";
import { token } from "../../state/page/token.ts";
import { refreshAutomatically } from "../../state/url/clock.ts";
import { Icon } from "../controls/icon.tsx";
import "../../style/demo.css";

/** Between two questions whether the server is done, milliseconds. It deletes once a minute. */
const PAUSE = 3_000;

/** Above services of which some are demo data, pushed from this browser: a click deletes it. */
export function DemoNote() {
  const allowed = useSignal<boolean | null>(null);
  const begun = useSignal(false);
  const action = useAction("delete the demo data");
  useEffect(() => {
    void mayDelete().then((may) => (allowed.value = may));
  }, [token.value]);
  useEffect(() => (begun.value ? untilDeleted() : undefined), [begun.value]);
  const remove = () =>
    action.run(async () => {
      await deleteDemoData();
      begun.value = true;
    });
  const failed = action.problem.value;
  return (
    <div class="demo-note" role="note" data-testid="demo-note">
      {begun.value ? (
        <p role="status">Deleting the demo data. The server needs a minute or two.</p>
      ) : (
        <p>
          This server has demo data: series with the label <code>demo="true"</code>.
          {allowed.value === false && (
            <>
              {" "}
              To delete it, run <code>pilotlight demo --delete {base.href}</code> with a token that has the admin scope.
            </>
          )}
        </p>
      )}
      {failed && (
        <p role="alert">
          {failed.title}. {failed.meaning}
        </p>
      )}
      {allowed.value && !begun.value && (
        <button
          type="button"
          class="control"
          data-testid="delete-demo"
          disabled={action.running.value}
          onClick={() => void remove()}
        >
          Delete the demo data
        </button>
      )}
      <button
        type="button"
        class="control icon-only quiet"
        title="Hide this note"
        onClick={() => rememberDemoData(false)}
      >
        <Icon name="close" />
      </button>
    </div>
  );
}

/** Asks until everything is deleted, then shows what is left. The returned function ends it. */
function untilDeleted(): () => void {
  const stop = new AbortController();
  const ask = async () => {
    // One that does not answer may do so the next time.
    const left = await isDeleting(stop.signal).catch(() => true);
    if (stop.signal.aborted) return;
    if (left) {
      timer = setTimeout(ask, PAUSE);
      return;
    }
    rememberDemoData(false);
    refreshAutomatically();
  };
  let timer = setTimeout(ask, 0);
  return () => {
    clearTimeout(timer);
    stop.abort();
  };
}
