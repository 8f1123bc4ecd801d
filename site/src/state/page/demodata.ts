/** Whether this browser has filled the server with demo data. */
import { signal } from "@preact/signals";
import { store, stored } from "./storage.ts";

const KEY = "pilotlight-demo";

export const hasDemoData = signal(stored(KEY) !== null);

export function rememberDemoData(has: boolean): void {
  hasDemoData.value = has;
  store(KEY, has ? "pushed" : null);
}
