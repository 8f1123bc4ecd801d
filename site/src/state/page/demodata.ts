/** Demo data that this browser has pushed, or is pushing. */
import { signal } from "@preact/signals";
import { store, stored } from "./storage.ts";

const KEY = "pilotlight-demo";

export interface FillProgress {
  done: number;
  profiles: number;
}

/** Of the push that is under way. */
export const filling = signal<FillProgress | null>(null);

/** Whether this browser has filled the server with demo data. */
export const hasDemoData = signal(stored(KEY) !== null);

export function rememberDemoData(has: boolean): void {
  hasDemoData.value = has;
  store(KEY, has ? "pushed" : null);
}
