/** What a person has to know of an answer of a bucket. */
import type { Answer } from "./protocol.ts";
import { catalogNote } from "./published.ts";

/** What is to be known of an answer of a place about a time until `until`. */
export function bucketNotes(place: string, { withoutRanges }: Answer, until: number, now: number): string[] {
  const ranges = withoutRanges ? "This host doesn't support range requests; whole objects were read." : null;
  return [ranges, catalogNote(place, until, now)].filter((note) => note !== null);
}
