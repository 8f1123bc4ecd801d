/** When "now" was last read; relative ranges resolve against it, so that all parts of a screen agree. */
import { signal } from "@preact/signals";

export const clock = signal(Date.now());

/** How often the page refreshes by itself, seconds; 0 is never. */
export const refreshEvery = signal(0);

export function refresh(): void {
  clock.value = Date.now();
}
