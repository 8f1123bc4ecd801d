/** When one version replaces another, as in a deploy that restarts one process after another. */
import type { Span } from "./range.ts";

/** Whether two versions ran beside each other for no longer than the new one then ran alone, until `end`. */
export function isRollout({ from, until }: Span, end: number): boolean {
  return until - from <= end - until;
}

/** The time in which one version replaces another. Null if they don't overlap, or it is no rollout. */
export function rolloutOf(before: Span, after: Span): Span | null {
  const both = { from: after.from, until: before.until };
  const isBoth = both.until > both.from;
  return before.from < after.from && isBoth && isRollout(both, after.until) ? both : null;
}
