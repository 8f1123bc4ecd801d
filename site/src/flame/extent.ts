/** The seen part of the zoomed frame's width, as fractions: [0, 1] is all of it. */
export type Extent = readonly [x0: number, x1: number];

export const FULL: Extent = [0, 1];

/** Below this share a double can no longer place pixels exactly. */
const SMALLEST = 1e-9;

/** Grows (factor < 1) or shrinks what is seen, keeping the point at `at` (0 to 1 of the viewport) in its place. */
export function zoomAt([x0, x1]: Extent, at: number, factor: number): Extent {
  const width = Math.min(1, Math.max(SMALLEST, (x1 - x0) * factor));
  const fixed = x0 + (x1 - x0) * at;
  return clampedExtent(fixed - width * at, width);
}

/** Moves what is seen by a share of the viewport's width. */
export function pan([x0, x1]: Extent, by: number): Extent {
  const width = x1 - x0;
  return clampedExtent(x0 + width * by, width);
}

/** The extent that fills the viewport with what is now between two of its points, with a little air. */
export function fit([x0, x1]: Extent, from: number, to: number): Extent {
  const width = x1 - x0;
  const air = (to - from) * 0.05;
  const [a, b] = [Math.max(0, from - air), Math.min(1, to + air)];
  return clampedExtent(x0 + width * a, Math.max(SMALLEST, width * (b - a)));
}

export function isFull([x0, x1]: Extent): boolean {
  return x0 === 0 && x1 === 1;
}

function clampedExtent(start: number, width: number): Extent {
  const x0 = Math.min(Math.max(0, start), 1 - width);
  return [x0, Math.min(1, x0 + width)];
}
