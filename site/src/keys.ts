/** Every key of the site, in one table: what handles them and what the help lists. */

import { core } from "./core/index.ts";
import { type Direction, NONE } from "./core/types.ts";
import { zoomAt } from "./flame/extent.ts";
import { copyText } from "./state/page/clipboard.ts";
import { helpOpen } from "./state/page/helpopen.ts";
import { notify } from "./state/page/notice.ts";
import { comparing, swapFiles } from "./state/profile/files.ts";
import {
  back,
  current,
  extent,
  inTurn,
  keySteps,
  move,
  nextMatch,
  nextOccurrence,
  reset,
  selectCurrent,
  selectedDetail,
  setExtent,
  tree,
  zoomToCurrent,
} from "./state/profile/focus.ts";
import { moves } from "./state/profile/instead.ts";
import { copyCurrentStack } from "./state/profile/menuframe.ts";
import { whyNoView } from "./state/profile/offeredviews.ts";
import {
  lookAt,
  nextGroup,
  redoInTurn,
  sandwichCurrent,
  stepOnCurrent,
  swapParts,
  takesSteps,
  toggleInvert,
  toggleRecursion,
  undoInTurn,
} from "./state/profile/stepchanges.ts";
import { swapSides } from "./state/query/sides.ts";
import type { View } from "./state/url/route.ts";
import { route } from "./state/url/router.ts";

interface Binding {
  keys: string[];
  help: string;
  /** Keys that buttons and lists use themselves are left to them. */
  onlyOnPicture?: boolean;
  run: () => unknown;
}

export interface KeyGroup {
  title: string;
  bindings: Binding[];
}

/** Acts on what the keys before it lead to. */
const inOrder = (act: () => unknown) => () => keySteps.run(async () => act());
const view = (name: View) =>
  inOrder(() => {
    if (!tree.value) return;
    const reason = whyNoView(name);
    if (reason) notify(reason);
    else lookAt(name);
  });
/** What steps do is for a picture that takes them. */
const step = (act: () => unknown) => () => takesSteps.value && act();
const zoomBy = (factor: number) => () => {
  if (moves.value) moves.value.zoom(factor);
  else if (tree.value) setExtent(zoomAt(extent.value, 0.5, factor));
};
const go = (direction: Direction) => () => (moves.value ? moves.value.move(direction) : move(direction));

export const KEYS: KeyGroup[] = [
  {
    title: "Move",
    bindings: [
      { keys: ["ArrowUp", "w"], help: "caller", onlyOnPicture: true, run: go("parent") },
      { keys: ["ArrowDown", "s"], help: "largest callee", onlyOnPicture: true, run: go("child") },
      { keys: ["ArrowLeft", "a"], help: "frame to the left", onlyOnPicture: true, run: go("previous") },
      { keys: ["ArrowRight", "d"], help: "frame to the right", onlyOnPicture: true, run: go("next") },
      { keys: ["o"], help: "next occurrence of the selected function", run: () => nextOccurrence(1) },
      { keys: ["O"], help: "previous occurrence", run: () => nextOccurrence(-1) },
      { keys: [" "], help: "select: details and all occurrences", onlyOnPicture: true, run: selectCurrent },
    ],
  },
  {
    title: "Zoom",
    bindings: [
      {
        keys: ["Enter"],
        help: "zoom to the frame",
        onlyOnPicture: true,
        run: () => (moves.value ? moves.value.approach() : zoomToCurrent()),
      },
      { keys: ["Escape"], help: "one step back", run: inOrder(back) },
      { keys: ["+", "="], help: "zoom in", run: zoomBy(1 / 1.5) },
      { keys: ["-"], help: "zoom out", run: zoomBy(1.5) },
      {
        keys: ["0", "Home"],
        help: "fit everything",
        onlyOnPicture: true,
        run: () => (moves.value ? moves.value.fit() : reset()),
      },
    ],
  },
  {
    title: "Find",
    bindings: [
      { keys: ["/"], help: "search; text or /expression/", run: focusSearch },
      { keys: ["Enter in the search"], help: "next match; with Shift, the previous one", run: () => nextMatch(1) },
      { keys: ["c"], help: "copy the frame's name", run: copyName },
      { keys: ["C"], help: "copy the frame's stack", run: copyCurrentStack },
    ],
  },
  {
    title: "Filter",
    bindings: [
      { keys: ["f"], help: "focus: only stacks with this function", run: step(() => stepOnCurrent("focus")) },
      { keys: ["i"], help: "ignore: drop stacks with this function", run: step(() => stepOnCurrent("ignore")) },
      { keys: ["h"], help: "hide this function's frames", run: step(() => stepOnCurrent("hide")) },
      { keys: ["r"], help: "fold recursion", run: inOrder(toggleRecursion) },
      { keys: ["g"], help: "group by function, file, package, module", run: inOrder(nextGroup) },
      { keys: ["v"], help: "upside down: callers below what they call", run: inOrder(toggleInvert) },
      { keys: ["z"], help: "undo", run: undoInTurn },
      { keys: ["Z"], help: "redo", run: redoInTurn },
    ],
  },
  {
    title: "Views",
    bindings: [
      { keys: ["1"], help: "flame graph", run: view("flame") },
      { keys: ["2"], help: "table", run: view("table") },
      { keys: ["3"], help: "both", run: view("both") },
      { keys: ["4"], help: "call tree", run: view("tree") },
      { keys: ["5"], help: "sandwich", run: view("sandwich") },
      { keys: ["6"], help: "chart: what ran when (profiles with timestamps)", run: view("chart") },
      { keys: ["7"], help: "source lines", run: view("lines") },
      { keys: ["8"], help: "call graph", run: view("graph") },
      { keys: ["9"], help: "both sides of a comparison, side by side", run: view("sides") },
      { keys: ["b"], help: "sandwich: callers and callees of a function", run: () => tree.value && sandwichCurrent() },
      { keys: ["x"], help: "swap the sides of a comparison", run: inOrder(swap) },
      { keys: ["?"], help: "this help", run: () => (helpOpen.value = !helpOpen.value) },
    ],
  },
];

const bound = new Map(
  KEYS.flatMap((group) => group.bindings.flatMap((binding) => binding.keys.map((key) => [key, binding]))),
);

export function startKeys(): void {
  document.addEventListener("keydown", (event) => {
    // A dialog has the keys while it is open.
    if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
    const target = event.target as HTMLElement;
    if ((event.ctrlKey || event.metaKey) && event.key === "f" && tree.value && target.id !== "search") {
      // Frames are drawn, not text: the search that finds them. Pressed again, the browser's own opens.
      event.preventDefault();
      return focusSearch();
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(target)) return;
    const binding = bound.get(event.key);
    if (!binding || (binding.onlyOnPicture && !(tree.value && isPicture(target)))) return;
    event.preventDefault();
    binding.run();
  });
}

/** Whether what is typed or pasted there is text of a field. */
export function isTyping(target: HTMLElement): boolean {
  if (target instanceof HTMLInputElement && /^(checkbox|radio)$/.test(target.type)) return false;
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

function isPicture(target: HTMLElement): boolean {
  return target === document.body || target.matches("canvas, main, [data-picture]");
}

function focusSearch(): void {
  const input = document.querySelector<HTMLInputElement>("#search");
  input?.focus();
  input?.select();
}

async function copyName(): Promise<void> {
  let name: string | undefined;
  await inTurn(async (id) => {
    if (current.peek() === NONE) return;
    name = selectedDetail.value.value?.detail.name ?? (await core.node(id, current.peek())).name;
  });
  // The browser may ask whether it may, and other keys do not wait for that.
  if (name !== undefined) await copyText(name, "the name");
}

function swap(): void {
  if (route.peek().page === "diff") swapSides();
  else if (comparing.peek()) swapFiles();
  else swapParts();
}
