/** When "now" was last read; relative ranges resolve against it, so that all parts of a screen agree. */
import { signal } from "@preact/signals";

export const clock = signal(Date.now());

export function refresh(): void {
  clock.value = Date.now();
}
