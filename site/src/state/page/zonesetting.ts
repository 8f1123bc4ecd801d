/** The choice of a time zone, which this browser keeps. */
import { type Zone, zone } from "../../time/zone.ts";
import { store, stored } from "./storage.ts";

const KEY = "pilotlight-zone";

if (stored(KEY) === "utc") zone.value = "utc";

export function chooseZone(next: Zone): void {
  zone.value = next;
  store(KEY, next);
}
