/** When the catalogs of buckets were published, as far as they were read. */
import { wallClock } from "../time/zone.ts";

const published = new Map<string, number>();

/** A catalog is published every half hour; one that is much older is not published any more. */
const PUBLISHED_WITHIN = 45 * 60_000;

/** Notes when the catalog of a place was published; 0 of a bundle, which is whole. */
export function notePublished(place: string, written: number): void {
  published.set(place, written);
}

/** That profiles until a time may be missing, where the catalog of a place is old; null where it is not. */
export function catalogNote(place: string, until: number, now: number): string | null {
  const written = published.get(place) ?? 0;
  if (written === 0 || Math.min(until, now) <= written + PUBLISHED_WITHIN) return null;
  const time = wallClock(written).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });
  return `This bucket's catalog is from ${time}. Later profiles are missing.`;
}
