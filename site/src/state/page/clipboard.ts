import { notify } from "./notice.ts";

/** Copies, and says so; `what` completes "Copied …". */
export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notify(`Copied ${what}`);
  } catch {
    // No permission, or a page without https: offer the text where it can be copied by hand.
    prompt("Copy this:", text);
  }
}
