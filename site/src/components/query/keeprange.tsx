import { useAction } from "../../state/action.ts";
import { notify } from "../../state/page/notice.ts";
import { createPin, LONGEST_PIN } from "../../state/query/pins.ts";
import { span } from "../../state/query/services.ts";
import { exploreRoute } from "../../state/url/router.ts";
import { spanLabel } from "../../time/range.ts";

/** Keeps the profiles of what is seen beyond their retention. */
export function KeepRange() {
  const { running, problem, run } = useAction("pin these profiles");
  const { service, window } = exploreRoute.value;
  const seen = window ?? span.value;
  const tooLong = seen.until - seen.from > LONGEST_PIN;
  const keep = () =>
    run(async () => {
      await createPin(seen, service);
      notify("Pinned. The settings on the front page list all pins.", 5000);
    });
  return (
    <>
      <button
        type="button"
        class="control"
        disabled={tooLong || running.value}
        title={
          tooLong
            ? "A pin can cover at most 7 days"
            : `Keeps whole days: all profiles from each day that overlaps ${spanLabel(seen, Date.now())}, even after other profiles of that age are deleted`
        }
        data-testid="keep"
        onClick={() => void keep()}
      >
        Pin these profiles
      </button>
      {problem.value && (
        <small role="alert">
          {problem.value.title}. {problem.value.meaning}
        </small>
      )}
    </>
  );
}
