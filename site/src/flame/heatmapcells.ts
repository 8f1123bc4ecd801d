/** Where the cells of a heatmap are, how dark they are, and which times are between two points of it. Times are seconds since the first sample. */
import type { Seconds } from "../core/steps.ts";
import type { Heatmap } from "../core/types.ts";

export interface Cell {
  x: number;
  y: number;
  w: number;
  h: number;
  value: number;
  /** The time in its middle. */
  at: number;
}

/** A point of the map, as fractions of the width of its columns and of its height. */
export interface Point {
  x: number;
  y: number;
}

/** The time of a column. */
export function columnSpan(map: Heatmap, column: number): Seconds {
  return [map.start + column * map.column, map.start + (column + 1) * map.column];
}

/** Which part of all columns is drawn: the last one may reach beyond the end. */
export function drawnPart(map: Heatmap): number {
  const columns = (map.cells.length / map.rows) * map.column;
  return map.end > map.start ? Math.min(1, (map.end - map.start) / columns) : 1;
}

/** The same up to a later end, with nothing there: a chart gives the last sample of a thread a length. */
export function extended(map: Heatmap, end: number): Heatmap {
  if (end <= map.end) return map;
  const size = Math.ceil((end - map.start) / map.column) * map.rows;
  return { ...map, end, cells: Array.from({ length: Math.max(size, map.cells.length) }, (_, i) => map.cells[i] ?? 0) };
}

/** All cells, from top to bottom and from left to right. */
export function* cellsOf(map: Heatmap, width: number, height: number): Generator<Cell> {
  const [w, h] = [(width * map.rows) / map.cells.length, height / map.rows];
  const step = map.column / map.rows;
  for (const [i, value] of map.cells.entries()) {
    yield {
      x: Math.floor(i / map.rows) * w,
      y: (i % map.rows) * h,
      w: Math.max(w, 1),
      h: Math.max(h, 1),
      value,
      at: map.start + (i + 0.5) * step,
    };
  }
}

export function isWithin(span: Seconds | null, at: number): boolean {
  return span !== null && span[0] <= at && at < span[1];
}

/** The lightest shade of a cell that has anything. */
const LIGHTEST = 0.15;

/**
 * The shade of a value, 0 to 1. The lightest stands for the 2nd percentile of all cells that have anything, the darkest for
 * the 98th; what is between is in proportion. So a few peaks do not bleach the rest, and a profile that is never at rest has
 * its differences, too. The lightest stands for half of the darkest at most: noise does not look like a difference.
 */
export function shading(cells: number[]): (value: number) => number {
  const sorted = Float64Array.from(cells.filter((cell) => cell > 0)).sort();
  const percentile = (part: number) => sorted[Math.round((sorted.length - 1) * part)] ?? 0;
  const high = percentile(0.98);
  const low = Math.min(percentile(0.02), high / 2);
  return (value) => {
    if (value <= 0) return 0;
    const part = Math.min(Math.max((value - low) / (high - low), 0), 1);
    return LIGHTEST + (1 - LIGHTEST) * part;
  };
}

/** From one point to another: of one column the cells between them, else all of the columns that they are in. */
export function spanBetween(map: Heatmap, a: Point, b: Point): Seconds {
  const columns = map.cells.length / map.rows;
  const [first, last] = [a, b].map(({ x }) => indexAt(x, columns)).sort((m, n) => m - n);
  if (first !== last) return [columnSpan(map, first)[0], columnSpan(map, last)[1]];
  const [top, bottom] = [a, b].map(({ y }) => indexAt(y, map.rows)).sort((m, n) => m - n);
  const begin = columnSpan(map, first)[0];
  const step = map.column / map.rows;
  return [begin + top * step, begin + (bottom + 1) * step];
}

/** Which of so many equal parts a fraction is in. */
export function indexAt(part: number, count: number): number {
  return Math.min(Math.max(Math.floor(part * count), 0), count - 1);
}
