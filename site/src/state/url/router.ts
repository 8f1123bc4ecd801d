/** What the address says, as signals, kept in step with the address bar and the browser's history. */
import { batch, computed, type ReadonlySignal, signal } from "@preact/signals";
import { address, currentPath } from "../../base.ts";
import { trackWork } from "../../settled.ts";
import { known, learnSpans, type Places, places, setPlaces, withPlaces } from "../query/place.ts";
import { refresh } from "./clock.ts";
import {
  type Diff,
  type Explore,
  type File,
  formatRoute,
  type Home,
  initialRoute,
  type Page,
  type Picture,
  parseRoute,
  type Route,
  type RouteOf,
} from "./route.ts";

const current = signal(read());
/** The page that is shown, with all that its address says. */
export const route: ReadonlySignal<Route> = current;

/** What the address says to one page. While another page is shown it is that page without parameters. */
const routeOf = <P extends Page>(page: P): ReadonlySignal<RouteOf<P>> =>
  computed(() => {
    const at: Route = current.value;
    return at.page === page ? (at as RouteOf<P>) : initialRoute(page);
  });
export const homeRoute = routeOf("home");
export const exploreRoute = routeOf("explore");
export const diffRoute = routeOf("diff");
export const fileRoute = routeOf("file");
export const rulesRoute = routeOf("rules");
/** The same for what the pages of a service share. */
export const serviceRoute = computed((): Explore | Diff =>
  current.value.page === "diff" ? current.value : exploreRoute.value,
);
/** The same for what the pages with a picture share. */
export const pictureRoute = computed((): Picture => ("view" in current.value ? current.value : exploreRoute.value));

if (!known.peek()) void learnSpans(() => (current.value = read()));

addEventListener("popstate", () =>
  batch(() => {
    setPlaces();
    arrive(read());
  }),
);

type How = "push" | "replace";
/** Some values of a page. */
export type Patch = Partial<Values<Home> | Values<Explore> | Values<Diff> | Values<File>>;
type Values<R extends Route> = Omit<R, "page">;

/**
 * Changes what is seen: to another route, or in some values of this page, of which it takes those that it has. "push" makes a
 * step that the Back button undoes; "replace" is for what changes often.
 */
export function go(target: Route | Patch, how: How = "push", at: Places = places.peek()): void {
  batch(() => {
    setPlaces(at);
    enter("page" in target ? target : changed(current.peek(), target), how);
  });
}

function changed(before: Route, patch: Patch): Route {
  const own = Object.entries(patch).filter(([name]) => name in before);
  return { ...before, ...Object.fromEntries(own) };
}

/** Another page, with nothing carried over but what is given. */
export function visit<P extends Page>(page: P, values: Partial<RouteOf<P>> = {}): void {
  go({ ...initialRoute(page), ...values });
}

function enter(next: Route, how: How): void {
  const before = current.peek();
  // A profile that the fragment holds stays in the address as long as its page.
  const held = next.page === before.page && location.hash.startsWith("#p=") ? location.hash : "";
  const url = href(next) + held;
  // The history of a frame is that of the page around it.
  if (url === location.href || (next.page === "file" && next.embed)) how = "replace";
  // How many steps back this page begins: undoing ends there.
  const made = next.page === before.page ? changes() + (how === "push" ? 1 : 0) : 0;
  try {
    history[how === "push" ? "pushState" : "replaceState"](made, "", url);
  } catch (failure) {
    if (!(failure instanceof DOMException)) throw failure;
    // Some browsers refuse more than a hundred changes in half a minute. The view goes on; the URL catches up.
  }
  arrive(next);
}

/** How long going back may take, in milliseconds. Browsers forget the oldest of many steps, and then nothing happens. */
const BACK_LIMIT = 500;

/** Takes back the last change, as the Back button does, but never leaves the page. Ends when that is done. */
export function undo(): Promise<void> {
  if (changes() === 0) return Promise.resolve();
  const arrived = new Promise<void>((done) => {
    addEventListener("popstate", () => done(), { once: true });
    setTimeout(done, BACK_LIMIT);
  });
  history.back();
  return trackWork(arrived);
}

export function redo(): void {
  history.forward();
}

/** How many changes this page's history has behind it. */
function changes(): number {
  return typeof history.state === "number" ? history.state : 0;
}

/** Another page reads the clock again; both change at once, so that nothing is asked for twice. */
function arrive(next: Route): void {
  batch(() => {
    if (next.page !== current.peek().page) refresh();
    current.value = next;
  });
}

export function href(target: Route): string {
  return withPlaces(address(formatRoute(target)));
}

/** What another service or file resets: a frame of one means nothing in the next. */
export const NO_FOCUS: Partial<Picture> = {
  zoom: null,
  extent: [0, 1],
  selection: null,
  search: "",
  steps: [],
  sandwich: null,
  graph: null,
};

function read(): Route {
  return parseRoute(currentPath(), location.search, location.hash);
}
