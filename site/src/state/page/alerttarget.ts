import { signal } from "@preact/signals";
import type { ListedAlert } from "../query/alert.ts";
import type { RecordingRule } from "../query/recordingrule.ts";

/** What the dialog for an alert is about. */
export interface AlertTarget {
  /** The rules that it can watch, at least one. */
  rules: RecordingRule[];
  /** The alert that is edited; null for a new one. */
  alert: ListedAlert | null;
}

/** Null while the dialog is closed. */
export const alertTarget = signal<AlertTarget | null>(null);
