import { signal } from "@preact/signals";

/** Whether the list of keys is open. */
export const helpOpen = signal(false);
