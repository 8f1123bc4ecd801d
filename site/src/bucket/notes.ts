/** What a person has to know of an answer of a bucket. */
import type { Answer } from "./protocol.ts";

/** A catalog is published every half hour; one that is much older is not published any more. */
const PUBLISHED_WITHIN = 45 * 60_000;

/** What is to be known of an answer about a time until `until`. */
export function bucketNotes({ withoutRanges, written }: Answer, until: number, now: number): string[] {
  const notes: string[] = [];
  if (withoutRanges) notes.push("This host sends no parts of files; whole objects were read.");
  // Of a bundle it says nothing: that is whole.
  if (written > 0 && until > written + PUBLISHED_WITHIN && now > written + PUBLISHED_WITHIN) {
    const time = new Date(written).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
    notes.push(`The catalog of this bucket is from ${time}. Later profiles are missing.`);
  }
  return notes;
}
