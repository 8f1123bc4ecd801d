/** Which part of the whole width is seen, and how that is dragged. All are fractions of the whole. */
import type { Extent } from "./extent.ts";

/** Which rows are seen. */
export interface SeenRows {
  first: number;
  count: number;
  /** As many as there would be without a minimap. */
  room: number;
}

/** Narrower than this share of the whole a frame that is dragged does not get. */
const NARROWEST = 1e-6;

/** What is seen of a zoomed frame, as a part of the whole. */
export function windowIn([left, right]: Extent, [x0, x1]: Extent): Extent {
  const width = right - left;
  return [left + x0 * width, left + x1 * width];
}

/** The same width elsewhere, within the whole. */
export function moveWindow([a, b]: Extent, by: number): Extent {
  const width = b - a;
  const from = Math.min(Math.max(a + by, 0), 1 - width);
  return [from, from + width];
}

/** One edge elsewhere; the other stays. */
export function resizeWindow([a, b]: Extent, edge: "left" | "right", to: number): Extent {
  const at = Math.min(Math.max(to, 0), 1);
  return edge === "left" ? [Math.min(at, b - NARROWEST), b] : [a, Math.max(at, a + NARROWEST)];
}

/** What a press at a point of the strip takes hold of; `reach` is how near to an edge is on it. */
export function gripAt([a, b]: Extent, at: number, reach: number): "left" | "right" | "window" | null {
  // Of a frame too narrow for three grips, the middle is what one means.
  const inside = Math.min(reach, (b - a) / 4);
  if (at >= a - reach && at <= a + inside) return "left";
  if (at >= b - inside && at <= b + reach) return "right";
  return at > a && at < b ? "window" : null;
}
