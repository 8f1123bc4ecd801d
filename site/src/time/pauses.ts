/** When profiles began, and for how long there were none in between. */
import { type Steps, sum, usualPause } from "./series.ts";

const MINUTE = 60_000;
/** A pause of less than this is no news. */
export const LEAST_PAUSE = 5 * MINUTE;
/** Where some steps are usually empty, a pause is news if it is so many times as long. */
const LONG = 3;
/** With so many others of more than half its length, a pause is usual. */
const FEW = 2;

type Profiled = Pick<Steps, "start" | "step" | "counts" | "covered" | "duration">;

/** Which steps have profiles. */
export const filledSteps = ({ counts, covered }: Pick<Steps, "counts" | "covered">) =>
  counts.map((count, at) => count > 0 || covered[at] > 0);

/** About when the first profile began; null unless that is well after `from`. */
export function beganAt(timeline: Profiled, from: number): number | null {
  const { start, step } = timeline;
  const filled = filledSteps(timeline);
  const first = filled.indexOf(true);
  // The last step may have a part, and says nothing of the first.
  if (first < 0 || !filled[first + 1] || !filled[first + 2]) return null;
  const began = start + first * step + missingIn(timeline, first, first + 1);
  return began - from >= Math.max(LEAST_PAUSE, step, 2 * intervalOf(timeline)) ? began : null;
}

/**
 * About how long there were no profiles between two, in milliseconds rounded to minutes; 0 where the usual time between them
 * explains it.
 */
export function longestPause(timeline: Profiled): number {
  const { step, counts } = timeline;
  const filled = filledSteps(timeline).flatMap((is, at) => (is ? [at] : []));
  const gaps = filled.slice(1).map((at, i) => ({ before: filled[i], after: at, steps: at - filled[i] }));
  const [longest, ...others] = gaps.sort((a, b) => b.steps - a.steps);
  const usual = usualPause(counts);
  if (!longest || longest.steps < (usual > 1 ? LONG * usual : 2)) return 0;
  if (others.length >= FEW && 2 * others[FEW - 1].steps > Math.max(2, longest.steps)) return 0;
  const { before, after, steps } = longest;
  const millis = missingIn(timeline, before, before - 1) + (steps - 1) * step + missingIn(timeline, after, after + 1);
  return millis >= Math.max(LEAST_PAUSE, 2 * intervalOf(timeline)) ? Math.round(millis / MINUTE) * MINUTE : 0;
}

/** How much of a step is without profiles, estimated from the one beside it; 0 where it isn't known how long profiles are. */
function missingIn({ step, counts, covered }: Profiled, at: number, beside: number): number {
  const has = covered.some((millis) => millis > 0) ? covered : counts;
  if (counts[at] > 0 && has[at] === 0) return 0;
  return has[beside] > 0 ? step * Math.max(0, 1 - has[at] / has[beside]) : 0;
}

/** How often profiles come, or how long one takes. */
function intervalOf({ step, counts, duration = 0 }: Profiled): number {
  const usual = usualPause(counts);
  const steps = counts.filter((count) => count > 0).length;
  return Math.max(duration, usual > 1 ? usual * step : (steps * step) / Math.max(1, sum(counts)));
}
