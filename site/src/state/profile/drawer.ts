/** When the drawer is open: it takes room from the picture, so it opens when the hand that selected has come to rest. */
import { effect, signal } from "@preact/signals";
import { NONE } from "../../core/types.ts";
import { DOUBLE_MILLIS } from "../../flame/gestures.ts";
import { Debounce } from "../../settled.ts";
import { selected, tree } from "./focus.ts";

export const drawerOpen = signal(false);

/** When a button or finger last went down or up. */
let lastPress = -Infinity;
let held = false;
const resting = new Debounce();

export function startDrawer(): void {
  // Between two clicks nothing may move: the second would hit another frame, or the drawer itself.
  const press = (event: PointerEvent) => {
    held = event.buttons !== 0;
    lastPress = performance.now();
    if (resting.isSet) wait();
  };
  for (const type of ["pointerdown", "pointerup", "pointercancel"] as const)
    addEventListener(type, press, { capture: true });
  // A button that was let go of outside of the window, or over a menu of the system, sends nothing.
  addEventListener("pointermove", (event) => (held &&= event.buttons !== 0), { capture: true, passive: true });
  effect(() => {
    const wanted = tree.value !== null && selected.value !== NONE;
    if (!wanted) close();
    else if (!drawerOpen.peek()) wait();
  });
}

function close(): void {
  resting.clear();
  drawerOpen.value = false;
}

function wait(): void {
  const rest = lastPress + DOUBLE_MILLIS - performance.now();
  resting.clear();
  if (rest <= 0 && !held) drawerOpen.value = true;
  else resting.set(wait, Math.max(rest, 50));
}
