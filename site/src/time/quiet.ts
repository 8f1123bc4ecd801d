/** For how long a service has been silent. */
import type { ServiceType } from "../api.ts";
import { median, type Steps, usualPause } from "./series.ts";

const MINUTE = 60_000;
/** A pause of less than this is no news. */
const LEAST = 5 * MINUTE;

/**
 * For how long there have been no profiles at the end of a timeline, up to `until`; 0 where the usual time between two explains
 * it. Rounded down to minutes. A profile comes when its time is over, so that the last one may end as long ago as one takes.
 */
export function quietMillis(timeline: Steps & Pick<ServiceType, "duration">, until: number): number {
  const { start, step, counts, covered } = timeline;
  const isFilled = (at: number) => counts[at] > 0 || covered[at] > 0;
  const last = counts.findLastIndex((_, at) => isFilled(at));
  if (last < 0) return 0;
  const part = filledPart(timeline, last, isFilled);
  const millis = Math.floor((until - start - last * step - part) / MINUTE) * MINUTE;
  const pushes = counts.reduce((sum, count) => sum + count, 0);
  const first = counts.findIndex((_, at) => isFilled(at));
  const gap = usualPause(counts);
  const interval = Math.max(timeline.duration || ((last + 1 - first) * step) / pushes, gap > 1 ? gap * step : 0);
  return millis >= Math.max(LEAST, 2 * interval, hiddenPause(timeline, first, last)) ? millis : 0;
}

/** How long a pause may be that leaves no step empty, as an hourly job's in steps of hours: what profiles don't cover of a step. */
function hiddenPause({ step, covered }: Steps, first: number, last: number): number {
  return (
    step -
    median(
      covered.slice(first + 1, last).filter((millis) => millis > 0),
      step,
    )
  );
}

/**
 * How much of the last step had passed at most when its last profile ended: what its profiles cover, if agents profile all of the
 * time; more, if the step before says that they profile a part of it. Where that step may be cut itself, all of the last one.
 */
function filledPart({ step, counts, covered }: Steps, last: number, isFilled: (at: number) => boolean): number {
  const before = covered[last - 1] ?? 0;
  if (covered[last] === 0 || before === 0 || (before < step && !isFilled(last - 2))) return step;
  if (before === step) return covered[last];
  // One more profile, as they don't come at the same moments of each step.
  return Math.min(step, (covered[last] * step) / before + step / Math.max(1, counts[last - 1]));
}
