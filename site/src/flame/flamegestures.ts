/** Mouse, wheel and touch on the flame graph, turned into what the person means. */
import { Debounce } from "../settled.ts";
import { type Extent, pan, zoomAt } from "./extent.ts";

export interface Gestures {
  hover(x: number, y: number): void;
  leave(): void;
  click(x: number, y: number): void;
  doubleClick(x: number, y: number): void;
  /** A right click, a long press, or the menu key. */
  menu(x: number, y: number, byKey: boolean): void;
  /** The seen part of the width changes. */
  extent(change: (extent: Extent) => Extent): void;
  scroll(by: number): void;
  width(): number;
}

/** Further than this is a drag, not a click with an unsteady hand. */
export const DRAG_FROM = 4;
/** Two clicks within this time and distance are a double-click: the time that systems have when nobody has set another. */
export const DOUBLE_MILLIS = 500;
const DOUBLE_DISTANCE = 24;
/** A finger that rests for so long asks for the menu. */
const LONG_PRESS_MILLIS = 500;

/** What a wheel means, in pixels; `zoom` is by how much what is seen grows. A page is as high as the element. */
export function wheel(event: WheelEvent, height: number): { dx: number; dy: number; zoom?: number } {
  const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? height : 1;
  const [dx, dy] =
    event.shiftKey && event.deltaX === 0 ? [event.deltaY * unit, 0] : [event.deltaX * unit, event.deltaY * unit];
  // Pinching on a touchpad arrives as a wheel with ctrl held.
  return event.ctrlKey || event.metaKey ? { dx, dy, zoom: Math.exp(dy / 240) } : { dx, dy };
}

export function attachGestures(canvas: HTMLCanvasElement, on: Gestures): () => void {
  const stop = new AbortController();
  const listen = <K extends keyof HTMLElementEventMap>(
    type: K,
    listener: (event: HTMLElementEventMap[K]) => void,
    options: AddEventListenerOptions = {},
  ) => canvas.addEventListener(type, listener, { ...options, signal: stop.signal });

  const pointers = new Map<number, { x: number; y: number }>();
  let pressed: { x: number; y: number } | null = null;
  let dragging = false;
  let lastClick = { time: 0, x: 0, y: 0 };
  const resting = new Debounce();
  /** A long press has opened the menu: what the finger does until it leaves means nothing. */
  let spent = false;

  listen("pointerdown", (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, at(event));
    pressed = pointers.size === 1 ? at(event) : null;
    dragging = pointers.size > 1;
    resting.clear();
    if (event.pointerType === "mouse" || !pressed) return;
    const { x, y } = pressed;
    resting.set(() => {
      // Lifting the finger is no click then.
      pressed = null;
      spent = true;
      on.menu(x, y, false);
    }, LONG_PRESS_MILLIS);
  });

  listen("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    const now = at(event);
    if (!before) return on.hover(now.x, now.y);
    if (spent) return;
    if (!dragging && pressed && Math.hypot(now.x - pressed.x, now.y - pressed.y) < DRAG_FROM) return;
    resting.clear();
    if (!dragging) canvas.style.cursor = "grabbing";
    dragging = true;
    on.leave();
    if (pointers.size === 2) pinch(event.pointerId, before, now);
    else {
      on.extent((extent) => pan(extent, (before.x - now.x) / on.width()));
      on.scroll(before.y - now.y);
    }
    // The page may have scrolled, and the canvas with it.
    pointers.set(event.pointerId, at(event));
  });

  const release = (event: PointerEvent) => {
    resting.clear();
    const wasPressed = pressed;
    pointers.delete(event.pointerId);
    canvas.style.cursor = "";
    if (pointers.size > 0) return;
    pressed = null;
    spent = false;
    const wasDragging = dragging;
    dragging = false;
    if (wasDragging || !wasPressed || event.type === "pointercancel") return;
    const { x, y } = at(event);
    const near = Math.hypot(x - lastClick.x, y - lastClick.y) < DOUBLE_DISTANCE;
    if (near && event.timeStamp - lastClick.time < DOUBLE_MILLIS) {
      lastClick = { time: 0, x: 0, y: 0 };
      return on.doubleClick(x, y);
    }
    lastClick = { time: event.timeStamp, x, y };
    on.click(x, y);
  };
  listen("pointerup", release);
  listen("pointercancel", release);
  listen("pointerleave", () => on.leave());

  listen("contextmenu", (event) => {
    event.preventDefault();
    const { pointerType } = event as PointerEvent;
    // Of a long press the timer has told.
    if (pointerType === "touch" || (pointers.size > 0 && !event.ctrlKey)) return;
    // With Ctrl, the one button of a Mac is the other one. It is no click then.
    pressed = null;
    const { x, y } = at(event);
    on.menu(x, y, event.button !== 2 && !event.ctrlKey);
  });

  listen(
    "wheel",
    (event) => {
      event.preventDefault();
      const { dx, dy, zoom } = wheel(event, canvas.clientHeight);
      if (zoom) on.extent((extent) => zoomAt(extent, at(event).x / on.width(), zoom));
      else {
        if (dx !== 0) on.extent((extent) => pan(extent, dx / on.width()));
        if (dy !== 0) on.scroll(dy);
      }
      on.leave();
    },
    { passive: false },
  );
  return () => {
    resting.clear();
    stop.abort();
  };

  function at(event: MouseEvent): { x: number; y: number } {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  function pinch(id: number, before: { x: number; y: number }, now: { x: number; y: number }): void {
    const other = [...pointers].find(([key]) => key !== id)?.[1];
    if (!other) return;
    const factor = Math.abs(before.x - other.x) / Math.max(Math.abs(now.x - other.x), 8);
    on.extent((extent) => zoomAt(extent, (now.x + other.x) / 2 / on.width(), Math.min(Math.max(factor, 0.5), 2)));
  }
}
