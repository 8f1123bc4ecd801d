/** For how long a service has been silent. */
import type { ServiceType } from "../api.ts";
import { filledSteps, LEAST_PAUSE } from "./pauses.ts";
import { median, medianGap, type Steps, usualPause } from "./series.ts";

/** How long there have been no profiles, and how exactly that is known, in milliseconds. */
export interface Silence {
  millis: number;
  step: number;
}

const MINUTE = 60_000;

/** Whether a timeline alone doesn't tell that there were profiles in the last minutes up to `until`. */
export function mayBeQuiet(timeline: Steps, until: number): boolean {
  const { start, step, covered } = timeline;
  const last = filledSteps(timeline).lastIndexOf(true);
  return last >= 0 && until - start - last * step - covered[last] >= LEAST_PAUSE;
}

/**
 * For how long there have been no profiles at the end of a timeline, up to `until`, at least; 0 where the usual time between two
 * explains it. `latest` has shorter steps of its last part. Rounded down to minutes. A profile comes when its time is over, so that
 * the last one may end as long ago as one takes.
 */
export function quietMillis(
  timeline: Steps & Pick<ServiceType, "duration">,
  until: number,
  latest: Steps = timeline,
): number {
  const filled = filledSteps(timeline);
  const [first, last] = [filled.indexOf(true), filled.lastIndexOf(true)];
  if (last < 0) return 0;
  const end = endOf(latest) ?? endOf(timeline) ?? until;
  const millis = Math.floor((until - end) / MINUTE) * MINUTE;
  const { step, counts, duration } = timeline;
  const pushes = counts.reduce((sum, count) => sum + count, 0);
  const interval = Math.max(duration || ((last + 1 - first) * step) / pushes, pauseOf(timeline), pauseOf(latest));
  const hidden = latest !== timeline && runLength(latest) >= step ? 0 : hiddenPause(timeline, first, last);
  return millis >= Math.max(LEAST_PAUSE, 2 * interval, hidden) ? millis : 0;
}

/**
 * When the last profile ended at the latest, as far as steps tell: at any time within the last one, or in steps of up to a minute,
 * when what is covered of it had passed.
 */
function endOf(timeline: Steps): number | null {
  const { start, step, covered } = timeline;
  const last = filledSteps(timeline).lastIndexOf(true);
  if (last < 0) return null;
  return start + last * step + (step <= MINUTE && covered[last] > 0 ? covered[last] : step);
}

/** The usual time from one step with profiles to the next, where some are empty. */
function pauseOf({ step, counts }: Steps): number {
  const gap = usualPause(counts);
  return gap > 1 ? gap * step : 0;
}

/** For how long profiles came without a pause up to the last one. */
function runLength(timeline: Steps): number {
  const { step, counts } = timeline;
  const filled = filledSteps(timeline).flatMap((is, at) => (is ? [at] : []));
  const longest = 2 * medianGap(counts);
  const begin = filled.findLastIndex((at, i) => i === 0 || at - filled[i - 1] > longest);
  return begin < 0 ? 0 : (filled[filled.length - 1] + 1 - filled[begin]) * step;
}

/**
 * How long a pause may be that leaves no step empty, as an hourly job's in steps of hours: it may take what profiles don't cover of
 * two steps.
 */
function hiddenPause({ step, covered }: Steps, first: number, last: number): number {
  const inside = covered.slice(first + 1, last).filter((millis) => millis > 0);
  return 2 * (step - median(inside, step));
}
