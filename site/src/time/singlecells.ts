/** Single profiles, or spans, over time and value: what Pyroscope's `SelectHeatmap` answers, as cells. */
import type { Span } from "./range.ts";

/** Columns of the heatmap at most. */
const COLUMNS = 72;

/** One profile, or one span in it, the largest of its cell. */
export interface Single {
  /** Of the profile. */
  id: string;
  /** Ids of the span and of its trace; empty where there are none. */
  span: string;
  trace: string;
  /** When it starts, Unix milliseconds. */
  time: number;
  value: number;
  /** Without the service. */
  labels: { name: string; value: string }[];
}

export interface Cell {
  /** From the left, and from the bottom. */
  column: number;
  row: number;
  count: number;
  largest: Single | null;
}

export interface Singles {
  columns: number;
  rows: number;
  /** Milliseconds. */
  start: number;
  step: number;
  /** The smallest value, and where the highest row ends. */
  bottom: number;
  top: number;
  /** Those that are not empty. */
  cells: Cell[];
  /** How many there are of what is counted. */
  count: number;
}

interface Exemplar {
  timestamp?: string;
  profileId?: string;
  spanId?: string;
  traceId?: string;
  value?: string;
  labels?: Single["labels"];
}

/** As the answer has it in JSON: 64-bit numbers are text, and zeros are left out. */
export interface HeatmapAnswer {
  series?: {
    slots?: {
      timestamp?: string;
      yMin?: number[];
      counts?: number[];
      exemplars?: Exemplar[];
    }[];
  }[];
}

/**
 * Columns that cover a range. The server's bucket of a time t covers what lies behind t - step and not behind t, so that
 * the first one is named a step after the beginning, less a millisecond.
 */
export function columnsOf({ from, until }: Span): { start: number; end: number; step: number; columns: number } {
  const most = Math.max(1, Math.min(COLUMNS, Math.floor((until - from) / 1000)));
  // The last column ends less than a millisecond for each behind the range.
  const step = Math.max(1, Math.ceil((until - from) / most));
  const columns = Math.max(1, Math.ceil((until - from) / step));
  const start = from + step - 1;
  return { start, end: start + (columns - 1) * step, step, columns };
}

export function singlesOf({ series = [] }: HeatmapAnswer, range: Span): Singles {
  const { start, step, columns } = columnsOf(range);
  const slots = series.flatMap(({ slots = [] }) => slots);
  const bounds = slots.find(({ yMin }) => yMin)?.yMin ?? [];
  const height = bounds.length > 1 ? bounds[1] - bounds[0] : 0;
  const cells = slots.flatMap(({ timestamp = "0", counts = [], exemplars = [] }) => {
    const column = Math.round((Number(timestamp) - start) / step);
    // One for each cell that is not empty, so both are in order of value.
    const largest = exemplars
      .map(({ timestamp = "0", profileId = "", spanId = "", traceId = "", value = "0", labels = [] }) => {
        const own = labels.filter(({ name }) => name !== "service_name");
        const [time, number] = [Number(timestamp), Number(value)];
        return { id: profileId, span: spanId, trace: traceId, time, value: number, labels: own };
      })
      .sort((a, b) => a.value - b.value);
    const filled = counts.flatMap((count, row) => (count > 0 ? [{ column, row, count }] : []));
    return filled.map((cell, i) => ({ ...cell, largest: largest.length === filled.length ? largest[i] : null }));
  });
  return {
    columns,
    rows: Math.max(1, bounds.length),
    start: range.from,
    step,
    bottom: bounds[0] ?? 0,
    top: (bounds.at(-1) ?? 0) + height,
    cells,
    count: cells.reduce((sum, { count }) => sum + count, 0),
  };
}

/** The largest of each cell, the largest value first. */
export function largestOf({ cells }: Singles): Single[] {
  const all = cells.flatMap(({ largest }) => (largest ? [largest] : []));
  return all.sort((a, b) => b.value - a.value || a.time - b.time);
}
