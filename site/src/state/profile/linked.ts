/** A profile that the link to this page holds, behind the #. */
import { signal } from "@preact/signals";
import { bytesOf, fromUrlSafe } from "../../core/encoding.ts";
import { go, route } from "../url/router.ts";
import { failures, openFiles } from "./opening.ts";

const openedHash = signal("");

/** Opens it, unless that is done. */
export async function openLinked(): Promise<void> {
  const { hash } = location;
  const params = new URLSearchParams(hash.slice(1));
  const profile = params.get("p");
  if (!profile || hash === openedHash.peek()) return;
  openedHash.value = hash;
  const title = params.get("title") || "profile from a link";
  // What is opened by hand is seen as a whole; a link says what is seen.
  const view = route.peek();
  try {
    await openFiles([new File([bytesOf(fromUrlSafe(profile))], title)]);
    go(view, "replace");
  } catch (failure) {
    if (!(failure instanceof DOMException)) throw failure;
    failures.value = [
      {
        title,
        meaning: "The profile in this link is incomplete.",
        tries: ["Copy the link again: some programs cut long links."],
        detail: failure.message,
      },
    ];
  }
}
