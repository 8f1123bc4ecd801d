/** Views that people have saved for all who look at a tenant's profiles: each a setting `view.<id>` with a name and a path. */
import { initialRoute, parseRoute, type Route, type RouteOf } from "./route.ts";

export const PREFIX = "view.";
const ID = /^[a-z0-9]{6}$/;

/** Longest name in characters. */
export const LONGEST_NAME = 80;

export interface SavedView {
  id: string;
  name: string;
  target: RouteOf<"explore" | "diff">;
  /** When it was saved, Unix milliseconds. */
  saved: number;
}

/** Those among the settings, the newest first. What does not read is none: anybody may have written it. */
export function viewsOf(settings: Record<string, string>): SavedView[] {
  const found = Object.entries(settings).flatMap(([name, value]) =>
    name.startsWith(PREFIX) ? (parseView(name.slice(PREFIX.length), value) ?? []) : [],
  );
  return found.sort((a, b) => b.saved - a.saved || (a.id < b.id ? -1 : 1));
}

function parseView(id: string, text: string): SavedView | null {
  try {
    const { name, path: address, saved } = JSON.parse(text) as Record<string, unknown>;
    const [path, query = ""] = String(address).split(/\?(.*)/s);
    const target = parseRoute(path, query);
    // A path of none of our pages is the front page to the parser.
    if (target.page !== "explore" && target.page !== "diff") return null;
    if (!ID.test(id) || typeof name !== "string" || name === "") return null;
    return { id, name: name.slice(0, LONGEST_NAME), target, saved: Number(saved) || 0 };
  } catch {
    return null;
  }
}

/** The front page with the id of a view, which leads there. */
export function shortLink(id: string): Route {
  return { ...initialRoute("home"), saved: id };
}
