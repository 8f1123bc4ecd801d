import type { Point } from "../core/arrange.ts";

/** A smooth line through the points where ranks meet. */
export function curve(points: Point[]): string {
  const text = ({ x, y }: Point) => `${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10}`;
  const [first, ...rest] = points;
  const last = rest.pop();
  if (!first || !last) return "";
  const bends = rest.map((point, i) => {
    const next = rest[i + 1];
    const end = next ? { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 } : last;
    return `Q${text(point)} ${text(end)}`;
  });
  return `M${text(first)}${bends.length > 0 ? bends.join("") : `L${text(last)}`}`;
}
