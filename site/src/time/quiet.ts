/** For how long a service has been silent. */
import type { ServiceType } from "../api.ts";
import { medianGap, type Steps } from "./series.ts";

const MINUTE = 60_000;
/** A pause of less than this is no news. */
const LEAST = 5 * MINUTE;

/**
 * For how long there have been no profiles, up to `until`; 0 where the usual time between two explains it. Rounded down to
 * minutes. A profile comes when its time is over, so that the last one may end as long ago as one takes.
 */
export function quietMillis(timeline: Steps & Pick<ServiceType, "duration" | "ended">, until: number): number {
  const { step, counts, duration, ended } = timeline;
  if (ended === null) return 0;
  const millis = Math.floor((until - ended) / MINUTE) * MINUTE;
  const pushes = counts.reduce((sum, count) => sum + count, 0);
  const [first, last] = [counts.findIndex((count) => count > 0), counts.findLastIndex((count) => count > 0)];
  const gap = medianGap(counts);
  const interval = Math.max(duration || ((last + 1 - first) * step) / Math.max(1, pushes), gap > 1 ? gap * step : 0);
  return millis >= Math.max(LEAST, 2 * interval) ? millis : 0;
}
