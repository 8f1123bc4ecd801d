/** How charts draw the steps of a series: those in which profiles begin or end by what they cover. */
import type { Timeline } from "../api.ts";
import { isPartlyCovered, partsOfSteps } from "./covered.ts";
import { evenValues } from "./even.ts";
import { drawnFactors, profilesAtOnce, type Series, seriesOf } from "./series.ts";

/** An end that has profiles for a smaller part of its step says too little of the rest. */
const LEAST_PART = 0.25;

/** The series of a chart. */
export function drawnSeries(timeline: Timeline, average: boolean): Series {
  return seriesOf(timeline, average, drawnFactors([timeline])[0]);
}

/** From where to where in a step a column is drawn, as parts of it, and how much higher than the step's value. */
export interface Column {
  from: number;
  until: number;
  times: number;
}

/**
 * Where profiles begin or end within a step, its column is as wide as they say, and as high as their load; an empty step beside
 * it reaches as far.
 */
export function columnsOf({ counts, average }: Pick<Series, "counts" | "average">): Column[] {
  const parts = average ? [] : partsOfSteps(counts);
  const columns = counts.map((): Column => ({ from: 0, until: 1, times: 1 }));
  for (const [at, part] of parts.entries()) {
    if (part >= 1 || !isPartlyCovered(counts, at)) continue;
    const begins = Boolean(counts[at + 1]);
    const beside = columns[begins ? at - 1 : at + 1];
    columns[at] = { from: begins ? 1 - part : 0, until: begins ? 1 : part, times: 1 / part };
    if (begins && beside) beside.until = 2 - part;
    else if (beside) beside.from = part - 1;
  }
  return columns;
}

/** By how much a step is drawn higher than its value; nothing is drawn higher than the highest value. */
export function heightFactors(columns: Column[], values: (number | null)[]): number[] {
  const peak = values.reduce((most: number, value) => Math.max(most, value ?? 0), 0);
  return columns.map(({ times }, i) => (values[i] ? Math.max(1, Math.min(times, peak / values[i])) : 1));
}

/**
 * Values as a small chart draws them: an end of the profiles that is cut off is as high as its part of the step says, and the
 * steps after it are none yet, unless profiles have ended.
 */
export function drawnValues(
  series: Pick<Series, "values" | "counts" | "average">,
  hasEnded: boolean,
): (number | null)[] {
  const { counts, average } = series;
  const values = evenValues(series, profilesAtOnce(counts));
  const last = counts.findLastIndex((count) => count > 0);
  const parts = partsOfSteps(counts);
  return values.map((value, at) => {
    if (at > last && last >= 0 && !hasEnded) return null;
    const isEnd = counts[at] > 0 && !(counts[at - 1] && counts[at + 1]);
    // At a steady pace the value is even already.
    if (average || value === null || !isEnd || value !== series.values[at] || parts[at] >= 1) return value;
    if (parts[at] >= LEAST_PART) return value / parts[at];
    // Where it begins or ends beside steps without profiles the line goes on.
    return at === 0 || (at === last && !hasEnded) ? null : value;
  });
}
