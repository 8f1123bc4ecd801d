/** What becomes of two files that are opened together: the person is asked once, and the browser keeps the answer. */
import { signal } from "@preact/signals";
import { store, stored } from "./storage.ts";

type Choice = "merge" | "compare";

const STORAGE_KEY = "pilotlight-two-files";
const kept = stored(STORAGE_KEY);

/** Null until it is chosen. */
export const twoFiles = signal<Choice | null>(kept === "merge" || kept === "compare" ? kept : null);

export function keepTwoFiles(choice: Choice): void {
  twoFiles.value = choice;
  store(STORAGE_KEY, choice);
}
