/** The current place as a signal, kept in step with the address bar and the browser's history. */
import { batch, type ReadonlySignal, signal } from "@preact/signals";
import { base } from "../../base.ts";
import { refresh } from "./clock.ts";
import { emptyPlace, formatPlace, type Place, parsePlace, type Route } from "./urlstate.ts";

const current = signal(read());
export const place: ReadonlySignal<Place> = current;

addEventListener("popstate", () => arrive(read()));

/** Changes what is seen. "push" makes a step that the Back button undoes; "replace" is for what changes often. */
export function go(patch: Partial<Place>, how: "push" | "replace" = "push"): void {
  const next = { ...current.value, ...patch };
  const url = href(next);
  if (url === location.href) how = "replace";
  try {
    history[how === "push" ? "pushState" : "replaceState"](null, "", url);
  } catch {
    // Some browsers refuse more than a hundred changes in half a minute. The view goes on; the URL catches up.
  }
  arrive(next);
}

/** Another page reads the clock again; both change at once, so that nothing is asked for twice. */
function arrive(next: Place): void {
  batch(() => {
    if (next.route !== current.peek().route) refresh();
    current.value = next;
  });
}

/** Another route, with nothing carried over but what is given. */
export function visit(route: Route, patch: Partial<Place> = {}): void {
  go({ ...emptyPlace(route), ...patch });
}

export function href(target: Place): string {
  return new URL(formatPlace(target), base).href;
}

/** What a change of subject forgets: a frame of one service means nothing in the next. */
export const FRESH: Partial<Place> = { zoom: "", extent: [0, 1], selection: "", search: "" };

function read(): Place {
  return parsePlace(location.pathname.slice(base.pathname.length), location.search);
}
