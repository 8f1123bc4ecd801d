/** Where the cells of a heatmap are, and which times are between two points of it. Times are seconds since the first sample. */
import type { Seconds } from "../core/steps.ts";
import type { Heatmap } from "../core/types.ts";

export interface Cell {
  x: number;
  y: number;
  w: number;
  h: number;
  value: number;
  /** It is in the chosen part, or nothing is chosen. */
  inside: boolean;
}

/** A point of the strip, as fractions of its width and height. */
export interface Point {
  x: number;
  y: number;
}

/** The time of a column. */
export function columnSpan(map: Heatmap, column: number): Seconds {
  return [map.start + column * map.column, map.start + (column + 1) * map.column];
}

/** All cells that have a value. */
export function* cellsOf(map: Heatmap, width: number, height: number, chosen: Seconds | null): Generator<Cell> {
  const [w, h] = [(width * map.rows) / map.cells.length, height / map.rows];
  const step = map.column / map.rows;
  for (const [i, value] of map.cells.entries()) {
    if (value <= 0) continue;
    const middle = map.start + (i + 0.5) * step;
    const inside = !chosen || (chosen[0] <= middle && middle < chosen[1]);
    yield {
      x: Math.floor(i / map.rows) * w,
      y: (i % map.rows) * h,
      w: Math.max(w, 1),
      h: Math.max(h, 1),
      value,
      inside,
    };
  }
}

/** From one point to another: of one column the cells between them, else all of the columns that they are in. */
export function spanBetween(map: Heatmap, a: Point, b: Point): Seconds {
  const columns = map.cells.length / map.rows;
  const within = (part: number, count: number) => Math.min(Math.max(Math.floor(part * count), 0), count - 1);
  const [first, last] = [a, b].map(({ x }) => within(x, columns)).sort((m, n) => m - n);
  if (first !== last) return [columnSpan(map, first)[0], columnSpan(map, last)[1]];
  const [top, bottom] = [a, b].map(({ y }) => within(y, map.rows)).sort((m, n) => m - n);
  const begin = columnSpan(map, first)[0];
  const step = map.column / map.rows;
  return [begin + top * step, begin + (bottom + 1) * step];
}
