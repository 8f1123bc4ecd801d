/** Values of a label as series over time, and what is told of each. */
import type { Timeline } from "../../api.ts";
import { isGauge } from "../../format/type.ts";
import { areRuns, drawnFactors, type Series, seriesOf, sumOf, valuesOfParts } from "../../time/series.ts";
import { highestOf, type Part, type Split } from "../../time/seriessplit.ts";
import { natural } from "./labels.ts";

/** One value of a label over time; empty where profiles lack the label. */
export interface ValueTimeline extends Timeline {
  value: string;
}

/** Values of a label, the largest first. */
export interface ValueTimelines {
  type: string;
  by: string;
  values: ValueTimeline[];
  /** How much of each step the profiles of all values cover, in milliseconds; 0 also where that is unknown. */
  covered: number[];
  /** How many values there are. */
  all: number;
  /** Which part of all those that are here have. */
  share: number;
  /** Windows count as a whole where profiles have expired. */
  rounded: boolean;
}

/** How a value is called: what lacks the label has an empty one. */
export const valueName = (value: string) => value || "not set";

/** What is told of a value of a label. Of a gauge all amounts are averages a snapshot. */
export interface ValueRow {
  value: string;
  series: Series;
  /** Exact. */
  total: number;
  /** Its part of all values; null of a gauge, of which there is no sum. */
  share: number | null;
  /** Null where steps are too few to tell how much of them has profiles. */
  max: number | null;
  mean: number | null;
  deviation: number | null;
  profiles: number;
}

/** The rows of a label's values: in steps of one length, so that they can be held against each other. */
export function valueRows({ type, values, share }: ValueTimelines): ValueRow[] {
  const gauge = isGauge(type);
  const shown = values.reduce((sum, { total }) => sum + total, 0);
  const factors = rowFactors(values);
  return values.map((timeline, i) => {
    const series = seriesOf(timeline, gauge, factors[i]);
    return {
      value: timeline.value,
      series,
      total: gauge ? series.total : timeline.total,
      share: gauge ? null : shown === 0 ? 0 : (timeline.total / shown) * share,
      ...statistics(series),
      profiles: timeline.profiles,
    };
  });
}

/** How much of the steps of its rows the profiles of all values of a label cover, in milliseconds. */
export function coveredByAll({ values, covered }: ValueTimelines): number[] {
  const [first] = values;
  if (!first) return [];
  const all = { ...first, counts: sumOf(values.map(({ counts }) => counts)), covered };
  return seriesOf(all, false, rowFactors(values)[0]).covered;
}

function rowFactors(values: ValueTimeline[]): number[] {
  const all = sumOf(values.map(({ counts }) => counts));
  return drawnFactors(values, values.length > 0 && areRuns({ counts: all, step: values[0].step }));
}

/** The load of a step while it has profiles, and which part of it has. */
interface StepLoad {
  load: number;
  part: number;
}

/** Of the time that has profiles: steps without any say nothing about the program, and others count by how much is covered. */
function stepLoads({ values, covered, average, step }: Series): StepLoad[] {
  return values.flatMap((load, i) =>
    covered[i] > 0 && load !== null ? [{ load, part: average ? 1 : covered[i] / step }] : [],
  );
}

/** What the steps of a series take, weighted by how much of them has profiles; nothing of a series without any. */
export function statistics(series: Series): Pick<ValueRow, "max" | "mean" | "deviation"> {
  const filled = stepLoads(series);
  if (filled.length === 0 || series.sparse) return { max: null, mean: null, deviation: null };
  const covered = filled.reduce((sum, { part }) => sum + part, 0);
  const mean = filled.reduce((sum, { load, part }) => sum + load * part, 0) / covered;
  const variance = filled.reduce((sum, { load, part }) => sum + (load - mean) ** 2 * part, 0) / covered;
  const max = filled.reduce((most, { load }) => Math.max(most, load), Number.NEGATIVE_INFINITY);
  return { max, mean, deviation: Math.sqrt(variance) };
}

/** How many steps take how much, from nothing to `peak` in parts of one size, and what the one in the middle takes. */
export function histogram(series: Series, peak: number, parts: number): { steps: number[]; median: number } {
  const filled = stepLoads(series)
    .map(({ load }) => load)
    .sort((a, b) => a - b);
  const steps = new Array<number>(parts).fill(0);
  for (const value of filled)
    steps[peak > 0 ? Math.min(parts - 1, Math.max(0, Math.floor((value / peak) * parts))) : 0]++;
  const half = Math.floor(filled.length / 2);
  const median = filled.length % 2 === 1 ? filled[half] : ((filled[half - 1] ?? 0) + (filled[half] ?? 0)) / 2;
  return { steps, median };
}

export type ValueColumn = "value" | "total" | "share" | "max" | "mean" | "deviation" | "profiles";

export function sortedRows(rows: ValueRow[], column: ValueColumn, descending: boolean): ValueRow[] {
  const sign = descending ? -1 : 1;
  const by = (a: ValueRow, b: ValueRow) =>
    column === "value" ? natural(a.value, b.value) : (a[column] ?? 0) - (b[column] ?? 0);
  // Equal ones stay as they are, in both directions.
  return [...rows].sort((a, b) => sign * by(a, b));
}

/** Colours that tell values apart; further ones share a grey. */
export const SERIES_COLOURS = 8;

/**
 * A colour of its own for each of the first values: that of its hash, or the next that is free. So a value mostly keeps its
 * colour, whatever else is shown.
 */
export function seriesColours(values: string[]): Map<string, number> {
  const colours = new Map<string, number>();
  const free = new Set(Array.from({ length: SERIES_COLOURS }, (_, i) => i));
  for (const value of values.slice(0, SERIES_COLOURS).sort(natural)) {
    let colour = hash(value) % SERIES_COLOURS;
    while (!free.has(colour)) colour = (colour + 1) % SERIES_COLOURS;
    free.delete(colour);
    colours.set(value, colour);
  }
  return colours;
}

/** The token of a colour of `seriesColours`. */
export const colourToken = (colour: number | undefined) => `--series-${colour ?? "rest"}`;

/**
 * A timeline as parts: its largest values, and what is left of it. Of a gauge nothing is left, as its averages do not add up.
 * Null when the values are not in the steps of the timeline.
 */
export function splitOf(whole: Timeline, { type, by, values, all }: ValueTimelines): Split | null {
  const shown = values.slice(0, SERIES_COLOURS);
  const sameSteps = ({ start, step, points }: Timeline) =>
    start === whole.start && step === whole.step && points.length === whole.points.length;
  if (shown.length === 0 || !shown.every(sameSteps)) return null;
  const stacked = !isGauge(type);
  const [factor] = drawnFactors([whole, ...shown], areRuns(whole));
  const measured = seriesOf(whole, !stacked, factor);
  const colours = seriesColours(shown.map(({ value }) => value));
  const own = shown.map((timeline) => seriesOf(timeline, !stacked, factor));
  const drawn = stacked ? valuesOfParts(own, measured.covered) : own.map(({ values }) => values);
  const found = shown.map(({ value }, i): Part => {
    const [values, { total }] = [drawn[i], own[i]];
    return { value, name: valueName(value), colour: colourToken(colours.get(value)), values, total };
  });
  const more = Math.max(0, all - shown.length);
  if (stacked && more > 0) found.push(others(measured, found, more));
  return { by, series: measured, parts: found, stacked, peak: highestOf(measured, found, stacked), more };
}

/** What a series has beyond its parts. Profiles that came after it was read are in the parts alone: it is never negative. */
function others(series: Series, parts: Part[], more: number): Part {
  const values = series.values.map((value, i) => {
    const shown = parts.reduce((sum, part) => sum + (part.values[i] ?? 0), 0);
    return Math.max(0, (value ?? 0) - shown);
  });
  const total = Math.max(0, series.total - parts.reduce((sum, part) => sum + part.total, 0));
  return { value: null, name: `${more} others`, colour: colourToken(undefined), values, total };
}

/** FNV-1a. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 0x01000193) >>> 0;
  // The low bits alone depend on the low bits alone.
  return state ^ (state >>> 15);
}
