/** A short message to the person, in a corner of the page. */
import { signal } from "@preact/signals";

/** Empty when there is none. */
export const notice = signal("");
/** What stays until the person closes it. Empty when there is none; a notice is seen in its place for a while. */
export const lasting = signal("");

let hiding = 0;

export function notify(text: string, millis = 2500): void {
  notice.value = text;
  clearTimeout(hiding);
  hiding = window.setTimeout(() => (notice.value = ""), millis);
}
