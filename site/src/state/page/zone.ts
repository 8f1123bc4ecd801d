/** The choice of a time zone, which this browser keeps. */
import { type Zone, zone } from "../../time/zone.ts";

const KEY = "pilotlight-zone";

try {
  if (localStorage.getItem(KEY) === "utc") zone.value = "utc";
} catch {
  // Without storage it is the reader's own.
}

export function chooseZone(next: Zone): void {
  zone.value = next;
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // Storage may be switched off; the choice then lasts as long as the page.
  }
}
