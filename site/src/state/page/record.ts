import { signal } from "@preact/signals";
import type { RecordingRule } from "../query/recordingrule.ts";

/** What a new recording rule is about, on the page of a service. */
export interface RecordedFrame {
  /** The function; empty for all samples. */
  func: string;
  /** The functions from the root to the frame that was chosen; empty without one. */
  path: string[];
}

/** What the dialog for recording rules is about: a new rule, or one that is edited; null for a new one of any service. */
export type RecordTarget = RecordedFrame | { rule: RecordingRule | null };

/** Null while the dialog is closed. */
export const recordTarget = signal<RecordTarget | null>(null);
