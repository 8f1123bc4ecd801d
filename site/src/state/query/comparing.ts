/** What a link compares. */
import type { By, ComparedValues } from "../url/by.ts";

/** Null is what suits the service. */
export type Comparing = ComparedValues | "time" | null;

/** A label alone compares nothing. */
export function comparingOf(by: By): Comparing {
  if (by === null || by === "time") return by;
  return by !== "spans" && "before" in by ? by : null;
}

/** The two values that are named; equal ones name none. */
export function namedValues(comparing: Comparing): [string, string] | null {
  if (comparing === null || comparing === "time" || comparing.before === comparing.after) return null;
  return [comparing.before, comparing.after];
}
