/** x ↦ x · scale + shift: where boxes laid out for one view stand in another. */
export interface Transform {
  scale: number;
  shift: number;
}

export const IDENTITY: Transform = { scale: 1, shift: 0 };

/** Shows [from, to] of the laid-out pixels across the whole width. */
export function showing(from: number, to: number, width: number): Transform {
  const scale = width / Math.max(to - from, 1e-6);
  return { scale, shift: -from * scale };
}

/** Between two windows of laid-out pixels, `t` from 0 to 1: how a zoom moves. */
export function between(a: [number, number], b: [number, number], t: number, width: number): Transform {
  const eased = 1 - (1 - t) ** 3;
  return showing(a[0] + (b[0] - a[0]) * eased, a[1] + (b[1] - a[1]) * eased, width);
}
