import { stale } from "../../state/profile/shown.ts";
import { refresh } from "../../state/url/clock.ts";
import { formatClock } from "../../time/range.ts";

/** Over a picture that could not be brought up to date. */
export function StaleNote() {
  const old = stale.value;
  if (!old) return null;
  const { problem, since } = old;
  return (
    <p class="stale" role="alert" data-testid="stale" title={problem.detail}>
      <span>
        {problem.title}. {problem.meaning} Showing data from {formatClock(since)}.
      </span>
      <button type="button" class="control" onClick={refresh}>
        Try again
      </button>
    </p>
  );
}
