/** The URL state as a signal, kept in step with the address bar and the browser's history. */
import { batch, type ReadonlySignal, signal } from "@preact/signals";
import { address, currentPath } from "../../base.ts";
import { known, learnSpans, type Places, places, setPlaces, withPlaces } from "../query/place.ts";
import { refresh } from "./clock.ts";
import { formatUrlState, initialUrlState, parseUrlState, type Route, type UrlState } from "./urlstate.ts";

const current = signal(read());
export const urlState: ReadonlySignal<UrlState> = current;

if (!known.peek()) void learnSpans(() => (current.value = read()));

addEventListener("popstate", () =>
  batch(() => {
    setPlaces();
    arrive(read());
  }),
);

/** Changes what is seen. "push" makes a step that the Back button undoes; "replace" is for what changes often. */
export function go(patch: Partial<UrlState>, how: "push" | "replace" = "push", at: Places = places.peek()): void {
  batch(() => {
    setPlaces(at);
    change(patch, how);
  });
}

function change(patch: Partial<UrlState>, how: "push" | "replace"): void {
  const next = { ...current.value, ...patch };
  // A profile that the fragment holds stays in the address as long as its page.
  const held = next.route === current.peek().route && location.hash.startsWith("#p=") ? location.hash : "";
  const url = href(next) + held;
  // The history of a frame is that of the page around it.
  if (url === location.href || next.embed) how = "replace";
  // How many steps back this page begins: undoing ends there.
  const made = next.route === current.peek().route ? changes() + (how === "push" ? 1 : 0) : 0;
  try {
    history[how === "push" ? "pushState" : "replaceState"](made, "", url);
  } catch (failure) {
    if (!(failure instanceof DOMException)) throw failure;
    // Some browsers refuse more than a hundred changes in half a minute. The view goes on; the URL catches up.
  }
  arrive(next);
}

/** Takes back the last change, as the Back button does, but never leaves the page. */
export function undo(): void {
  if (changes() > 0) history.back();
}

export function redo(): void {
  history.forward();
}

/** How many changes this page's history has behind it. */
function changes(): number {
  return typeof history.state === "number" ? history.state : 0;
}

/** Another page reads the clock again; both change at once, so that nothing is asked for twice. */
function arrive(next: UrlState): void {
  batch(() => {
    if (next.route !== current.peek().route) refresh();
    current.value = next;
  });
}

/** Another route, with nothing carried over but what is given. */
export function visit(route: Route, patch: Partial<UrlState> = {}): void {
  go({ ...initialUrlState(route), ...patch });
}

export function href(target: UrlState): string {
  return withPlaces(address(formatUrlState(target)));
}

/** What another service or file resets: a frame of one means nothing in the next. */
export const NO_FOCUS: Partial<UrlState> = {
  spans: [],
  traces: [],
  zoom: "",
  extent: [0, 1],
  selection: "",
  search: "",
  steps: [],
  against: null,
  sandwich: "",
  graph: null,
};

function read(): UrlState {
  return parseUrlState(currentPath(), location.search, location.hash);
}
