/** Services that come first on the front page. This browser keeps them, for each origin. */
import { type ReadonlySignal, signal } from "@preact/signals";
import { store, stored } from "./storage.ts";

const KEY = "pilotlight-favourites";

const current = signal<ReadonlySet<string>>(new Set(storedNames()));
export const favourites: ReadonlySignal<ReadonlySet<string>> = current;

export function toggleFavourite(name: string): void {
  // Another tab may have changed them.
  const next = new Set(storedNames() ?? current.peek());
  if (!next.delete(name)) next.add(name);
  current.value = next;
  store(KEY, JSON.stringify([...next]));
}

/** Null where nothing is kept, or what is kept is no list. */
function storedNames(): string[] | null {
  try {
    const names: unknown = JSON.parse(stored(KEY) ?? "null");
    return Array.isArray(names) ? names.filter((name) => typeof name === "string") : null;
  } catch {
    return null;
  }
}
