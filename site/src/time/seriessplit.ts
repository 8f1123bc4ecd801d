/** A series in parts, which are drawn in its place. */
import { percent } from "../format/number.ts";
import { formatValue } from "../format/value.ts";
import type { Series } from "./series.ts";

export interface Part {
  /** The value of the label; null of what all values that are not shown have together. */
  value: string | null;
  name: string;
  /** The token of its colour. */
  colour: string;
  values: (number | null)[];
  total: number;
}

export interface Split {
  /** The label by whose values it is split. */
  by: string;
  /** All together. */
  series: Series;
  /** The largest first. */
  parts: Part[];
  /** Whether parts stand on each other; averages do not add up and are lines. */
  stacked: boolean;
  /** The largest that is drawn. */
  peak: number;
  /** Values that have no part of their own. */
  more: number;
}

/** Where each of some series ends in every step when they stand on each other, the first one at the bottom. */
export function stackTops(all: (number | null)[][]): number[][] {
  const heights: number[] = [];
  return all.map((values) =>
    values.map((value, i) => {
      heights[i] = (heights[i] ?? 0) + (value ?? 0);
      return heights[i];
    }),
  );
}

export function highestOf({ values }: Series, parts: Part[], stacked: boolean): number {
  const drawn = parts.map((part) => part.values);
  const all = [values, ...(stacked ? stackTops(drawn) : drawn)].flat();
  return all.reduce((peak: number, value) => Math.max(peak, value ?? 0), 0);
}

/** How much a part is of all: its share, or its average where there is no sum. */
export function partAmount({ total }: Part, { series, stacked }: Split, unit: string): string {
  if (!stacked) return formatValue(total, unit);
  return percent(series.total === 0 ? 0 : total / series.total);
}

/** Each part in a step, as far as there is something of it. */
export function partsAt(
  { parts, stacked }: Split,
  index: number,
  format: (value: number) => string,
): { part: Part; text: string }[] {
  return parts.flatMap((part) => {
    const value = part.values[index] ?? null;
    return value === null || (stacked && value === 0) ? [] : [{ part, text: format(value) }];
  });
}
