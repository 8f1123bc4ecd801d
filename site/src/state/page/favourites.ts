/** Services that come first on the front page. This browser keeps them, for each origin. */
import { type ReadonlySignal, signal } from "@preact/signals";

const KEY = "pilotlight-favourites";

const current = signal<ReadonlySet<string>>(new Set(stored()));
export const favourites: ReadonlySignal<ReadonlySet<string>> = current;

export function toggleFavourite(name: string): void {
  // Another tab may have changed them.
  const next = new Set(stored() ?? current.peek());
  if (!next.delete(name)) next.add(name);
  current.value = next;
  try {
    localStorage.setItem(KEY, JSON.stringify([...next]));
  } catch {
    // Storage may be switched off; the choice then lasts as long as the page.
  }
}

/** Null where nothing is kept. */
function stored(): string[] | null {
  try {
    const names: unknown = JSON.parse(localStorage.getItem(KEY) ?? "null");
    return Array.isArray(names) ? names.filter((name) => typeof name === "string") : null;
  } catch {
    return null;
  }
}
