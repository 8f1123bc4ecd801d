/** A short message to the person, in a corner of the page. */
import { signal } from "@preact/signals";
import { latest } from "../latest.ts";

/** Empty when there is none. */
export const notice = signal("");
/** What stays until the person closes it. Empty when there is none; a notice is seen in its place for a while. */
export const lasting = signal("");

const notices = latest();

export function notify(text: string, millis = 2500): void {
  const newest = notices.begin();
  notice.value = text;
  window.setTimeout(() => {
    if (!newest.aborted) notice.value = "";
  }, millis);
}
