/** Mouse, wheel and touch on a drawing that moves and grows both ways. */
import type { Point } from "../core/arrange.ts";
import { DRAG_FROM, wheel } from "../flame/flamegestures.ts";

export interface Moved {
  move(by: Point): void;
  /** At a point of the drawing. */
  zoom(at: Point, factor: number): void;
}

/** A click that ends a drag is none. */
export function attachMoves(element: SVGSVGElement, on: Moved): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  const pointers = new Map<number, Point>();
  let pressed: Point = { x: 0, y: 0 };
  let dragging = false;
  const at = ({ clientX, clientY }: MouseEvent): Point => {
    const { left, top } = element.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  };

  element.addEventListener(
    "pointerdown",
    (event) => {
      if (event.button !== 0) return;
      pointers.set(event.pointerId, at(event));
      if (pointers.size === 1) {
        pressed = at(event);
        dragging = false;
      }
    },
    { signal },
  );
  element.addEventListener(
    "pointermove",
    (event) => {
      const before = pointers.get(event.pointerId);
      if (!before) return;
      const now = at(event);
      if (!dragging && pointers.size === 1 && Math.hypot(now.x - pressed.x, now.y - pressed.y) < DRAG_FROM) return;
      // Not before it is a drag: a click would be one of the drawing, not of what is under the pointer.
      if (!dragging) element.setPointerCapture(event.pointerId);
      dragging = true;
      const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        const distance = (point: Point) => Math.max(Math.hypot(point.x - other.x, point.y - other.y), 8);
        on.zoom({ x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 }, distance(now) / distance(before));
      } else on.move({ x: before.x - now.x, y: before.y - now.y });
      pointers.set(event.pointerId, now);
    },
    { signal },
  );
  const release = (event: PointerEvent) => pointers.delete(event.pointerId);
  element.addEventListener("pointerup", release, { signal });
  element.addEventListener("pointercancel", release, { signal });
  element.addEventListener("click", (event) => dragging && event.stopPropagation(), { signal, capture: true });
  element.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const { dx, dy, zoom } = wheel(event, element.clientHeight);
      if (zoom) on.zoom(at(event), 1 / zoom);
      else on.move({ x: dx, y: dy });
    },
    { signal, passive: false },
  );
  return () => stop.abort();
}
