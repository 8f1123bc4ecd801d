import type { Problem } from "../../state/problem.ts";
import { refresh } from "../../state/url/clock.ts";
import { ProblemNote } from "./problemnote.tsx";

/** What failed, where asking again may help. */
export function RetryNote({ problem }: { problem: Problem }) {
  return (
    <ProblemNote problem={problem}>
      <button type="button" class="control primary" onClick={refresh}>
        Try again
      </button>
    </ProblemNote>
  );
}
