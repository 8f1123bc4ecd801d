import { signal } from "@preact/signals";

/** What the dialog for a new recording rule is about, on the page of a service. */
export interface RecordTarget {
  /** The function; empty for all samples. */
  func: string;
  /** The functions from the root to the frame that was chosen; empty without one. */
  path: string[];
}

/** Null while the dialog is closed. */
export const recordTarget = signal<RecordTarget | null>(null);
