/** Which two values of a label are compared, as links have it. */

/**
 * What is compared, as the address has it: nothing for what suits the service, the time, or a label with two values. Where
 * the values are the same it is the two that came last.
 */
export type Comparing = { label: string; before: string; after: string } | "time" | null;

/** `by` is "label", or "label,before,after" with each escaped; ",," is the time. */
export function parseComparing(by: string): Comparing {
  const parts = by.split(",");
  if (parts.length !== 3) return null;
  if (parts[0] === "") return "time";
  try {
    const [label, before, after] = parts.map(decodeURIComponent);
    return { label, before, after };
  } catch {
    return null;
  }
}

/** The two values that are named; equal ones name none. */
export function namedValues(comparing: Comparing): [string, string] | null {
  if (comparing === null || comparing === "time" || comparing.before === comparing.after) return null;
  return [comparing.before, comparing.after];
}

export function formatComparing(comparing: Comparing): string {
  if (comparing === null) return "";
  if (comparing === "time") return ",,";
  return [comparing.label, comparing.before, comparing.after].map(encodeURIComponent).join(",");
}
