/** When the drawer is open: it lies over the picture, so it opens when the hand that selected has come to rest. */
import { effect, signal } from "@preact/signals";
import { NONE } from "../../core/types.ts";
import { DOUBLE_MILLIS } from "../../flame/flamegestures.ts";
import { Debounce } from "../../settled.ts";
import { selected, tree } from "./focus.ts";

export const drawerOpen = signal(false);
/** On which side it opens: not where a frame was just clicked. */
export const drawerSide = signal<"left" | "right">("right");

/** Some air next to it. */
const AIR = 20;

/** How wide it may be, as in picture.css: a comparison has a wider table. */
function drawerWidth(): number {
  return tree.peek()?.diff ? 376 : 320;
}

/** Where it stands at the side, as in picture.css and graph.css; elsewhere it comes from below. */
const ASIDE = "(min-width: 901px), (min-width: 641px) and (max-height: 520px)";
/** The part of the window that it leaves where it comes from below, as in picture.css. */
const LEFT_ABOVE = 0.64;

/** What it covers at most, from the edges of the window: a side, or a part from below. */
export function drawerCovers(): { side: "left" | "right"; width: number } | { top: number } {
  return matchMedia(ASIDE).matches
    ? { side: drawerSide.peek(), width: drawerWidth() }
    : { top: LEFT_ABOVE * innerHeight };
}

/** Opens and closes it with the selection, as long as the page is there. */
export function startDrawer(): void {
  /** When a button or finger last went down or up. */
  let lastPress = -Infinity;
  let held = false;
  /** Where it was, from the right edge of the window. */
  let fromRight = Infinity;
  const resting = new Debounce();

  const wait = () => {
    const rest = lastPress + DOUBLE_MILLIS - performance.now();
    resting.clear();
    if (rest > 0 || held) return resting.set(wait, Math.max(rest, 50));
    drawerSide.value = fromRight < drawerWidth() + AIR ? "left" : "right";
    drawerOpen.value = true;
  };
  // Between two clicks nothing may move: the second would hit another frame, or the drawer itself.
  const press = (event: PointerEvent) => {
    held = event.buttons !== 0;
    lastPress = performance.now();
    fromRight = innerWidth - event.clientX;
    if (resting.isSet) wait();
  };
  addEventListener("keydown", () => (fromRight = Infinity), { capture: true });
  for (const type of ["pointerdown", "pointerup", "pointercancel"] as const)
    addEventListener(type, press, { capture: true });
  // A button that was let go of outside of the window, or over a menu of the system, sends nothing.
  addEventListener("pointermove", (event) => (held &&= event.buttons !== 0), { capture: true, passive: true });
  effect(() => {
    const wanted = tree.value !== null && selected.value !== NONE;
    if (wanted && !drawerOpen.peek()) wait();
    else if (!wanted) {
      resting.clear();
      drawerOpen.value = false;
    }
  });
}
