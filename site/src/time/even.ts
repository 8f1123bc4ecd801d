/** What steps have at a steady pace of pushes, which they needn't divide evenly. */
import { isPartlyCovered, steadyPace } from "./covered.ts";
import { profilesAtOnce, type Series } from "./series.ts";

/**
 * Values of steps in which, at a steady pace, one push more or less is no more or less load. A push has one profile, or as
 * many as processes push at the same time.
 */
export function evenValues(
  { values, counts, average }: Pick<Series, "values" | "counts" | "average">,
  perPush = 1,
): (number | null)[] {
  const [first, last] = [counts.findIndex((count) => count > 0) + 1, counts.findLastIndex((count) => count > 0)];
  const pushes = counts.map((count) => count / perPush);
  const inside = pushes.slice(first, last).map((profiles) => ({ profiles, millis: 1 }));
  // Beside steps that all have as many, an empty one is a pause, and none has one more.
  const hasPause = inside.some(({ profiles }) => profiles === 0);
  const isEven = new Set(inside.flatMap(({ profiles }) => profiles || [])).size === 1;
  const pace = average || (hasPause && isEven) ? null : steadyPace(inside);
  if (pace === null) return values;
  // An end with far fewer profiles may be of fewer processes.
  const isOneMore = (count: number) => count > 0 && Math.abs(count - pace) < 2;
  return values.map((value, at) => (value !== null && isOneMore(pushes[at]) ? (value * pace) / pushes[at] : value));
}

/** A series as it is drawn: at a steady pace, a push more or less in a step is no peak. A step that is cut off stays as it is. */
export function evenSeries(series: Series): Series {
  const even = evenValues(series, profilesAtOnce(series.counts));
  const values = series.values.map((value, at) => (isPartlyCovered(series.counts, at) ? value : even[at]));
  return { ...series, values };
}
