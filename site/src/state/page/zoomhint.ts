/** Whether this browser's person has zoomed by double-click before: the hint about it is for who has not. */
import { signal } from "@preact/signals";
import { store, stored } from "./storage.ts";

const STORAGE_KEY = "pilotlight-zoomed";

export const knowsZoom = signal(stored(STORAGE_KEY) === "yes");

export function learnZoom(): void {
  if (knowsZoom.peek()) return;
  knowsZoom.value = true;
  store(STORAGE_KEY, "yes");
}
