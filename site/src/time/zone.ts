/** In which zone times are shown and read: the reader's own, or UTC. */
import { signal } from "@preact/signals";

export type Zone = "local" | "utc";

export const zone = signal<Zone>("local");

/** A date whose UTC fields are what a clock in the zone shows. */
export function wallClock(time: number): Date {
  const offset = zone.value === "utc" ? 0 : new Date(time).getTimezoneOffset();
  return new Date(time - offset * 60_000);
}

/** Unix milliseconds of what a datetime-local input says in the zone; NaN when it says nothing. */
export function parseLocalInput(text: string): number {
  return new Date(text + (zone.value === "utc" ? "Z" : "")).getTime();
}
