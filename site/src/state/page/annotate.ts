import { signal } from "@preact/signals";

/** Whether the annotations of the range are open, to add one. */
export const annotateOpen = signal(false);
