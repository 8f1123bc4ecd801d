import { useSignal } from "@preact/signals";
import { ApiError } from "../../apierror.ts";
import { fillWithDemo } from "../../demo/filldemo.ts";
import { grouped } from "../../format/number.ts";
import { filling } from "../../state/page/demodata.ts";
import { problemOf } from "../../state/problem.ts";
import { refresh } from "../../state/url/clock.ts";
import { go, route } from "../../state/url/router.ts";
import { initialRange } from "../../state/url/values.ts";
import "../../style/demo.css";

/** On a server without profiles: says that the page waits for the first one, and offers demo data meanwhile. */
export function FirstProfile() {
  const failure = useSignal("");
  const progress = filling.value;
  const fill = async () => {
    failure.value = "";
    try {
      await fillWithDemo();
      // The person may have left the front page.
      const at = route.peek();
      if (at.page === "home") go({ base: { ...at.base, ...initialRange("base") } }, "replace");
      refresh();
    } catch (error) {
      failure.value = explain(error);
    }
  };
  return (
    <>
      <p role="status" data-testid="waiting">
        Waiting for the first profile…
      </p>
      <div class="fill-demo">
        <button
          type="button"
          class="control primary"
          data-testid="fill-demo"
          disabled={progress !== null}
          onClick={() => void fill()}
        >
          Fill with demo data
        </button>
        {progress ? (
          <span class="fill-progress" role="status" data-testid="fill-progress">
            <progress value={progress.done} max={progress.profiles || 1} aria-label="Demo data" /> {described(progress)}
          </span>
        ) : (
          <span class="hint">
            Four services in the last hour; a deploy makes one of them slower. You can delete them later.
          </span>
        )}
      </div>
      {failure.value && (
        <p role="alert" data-testid="fill-failed">
          {failure.value}
        </p>
      )}
    </>
  );
}

function described({ done, profiles }: { done: number; profiles: number }): string {
  return profiles === 0 ? "Starting…" : `${grouped(String(done))} of ${grouped(String(profiles))} profiles`;
}

/** What went wrong, and what to do. */
function explain(failure: unknown): string {
  if (failure instanceof ApiError && (failure.status === 401 || failure.status === 403))
    return "To push demo data, this server needs a token with the push scope. Sign in with one and try again, or ask an administrator to run: pilotlight demo URL --token TOKEN";
  const { title, meaning, detail } = problemOf(failure, "push all demo data");
  const reason = failure instanceof ApiError && failure.reason ? `${failure.reason}.` : meaning;
  return `${title}. ${reason || detail} Try again.`;
}
