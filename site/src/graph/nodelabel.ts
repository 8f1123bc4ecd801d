/** What stands in the nodes of a call graph, and how much room that takes. */
import type { Size } from "../core/arrange.ts";
import type { Graph, TableRow } from "../core/types.ts";
import { baseName, fitLabel } from "../flame/framelabel.ts";
import { context2d, FONT } from "../flame/paint.ts";
import { percent } from "../format/number.ts";
import { formatValue, fromTo } from "../format/value.ts";

/** Its size is that on the drawing. */
export interface NodeLabel extends Size {
  name: string;
  values: string;
  /** How much larger than the smallest its text is. */
  scale: number;
}

/** How much larger a function is drawn that has all of the profile in itself; pprof's grow with the root of the weight, too. */
const GROWTH = 1.2;

const PADDING = 10;
const NARROWEST = 84;
const WIDEST = 220;
export const NODE_HEIGHT = 42;

/** `unit` is that of the values of a comparison. */
export function labelsOf({ nodes }: Graph, unit: string): NodeLabel[] {
  const context = context2d(document.createElement("canvas"));
  context.font = FONT;
  return nodes.map((row) => labelOf(row, unit, (text) => context.measureText(text).width));
}

export function labelOf(row: TableRow, unit: string, measure: (text: string) => number): NodeLabel {
  const values = valuesOf(row, unit);
  const full = Math.max(measure(baseName(row.name)), measure(values)) + 2 * PADDING;
  const width = Math.ceil(Math.min(Math.max(full, NARROWEST), WIDEST));
  const name = fitLabel(baseName(row.name), width - 2 * PADDING, measure);
  const scale = 1 + GROWTH * Math.sqrt(Math.min(Math.max(row.self_fraction, 0), 1));
  return { name, values, width: Math.ceil(width * scale), height: Math.ceil(NODE_HEIGHT * scale), scale };
}

/** Shares of the whole; of a comparison the totals of both sides. */
function valuesOf({ self_fraction, total_fraction, diff }: TableRow, unit: string): string {
  if (diff) return fromTo(formatValue(diff.base_total, unit), formatValue(diff.comparison_total, unit));
  return self_fraction === total_fraction
    ? `self ${percent(self_fraction)}`
    : `self ${percent(self_fraction)} of ${percent(total_fraction)}`;
}
