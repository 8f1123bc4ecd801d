/** Small states of the page itself, not worth a place in the URL. */
import { signal } from "@preact/signals";

export const helpOpen = signal(false);
/** A short word to the person, gone after a moment. */
export const notice = signal("");

let hiding = 0;

export function tell(text: string): void {
  notice.value = text;
  clearTimeout(hiding);
  hiding = window.setTimeout(() => (notice.value = ""), 2500);
}
