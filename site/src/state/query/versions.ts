/** Asks when there were profiles of which version. */
import type { Span } from "../../time/range.ts";
import { pointsFor } from "../../time/series.ts";
import { fetchValues } from "./labelseries.ts";
import type { ValueTimelines } from "./labelvalues.ts";

/** Steps by which one learns when a version was there: of six hours half a minute, of a day two minutes. */
export const VERSION_STEPS = 720;
/** A new version may have hardly any profiles yet, so all are asked for. */
const MOST_VERSIONS = 1000;

/** All values of a label over time. */
export function fetchVersions(
  query: string,
  by: string,
  { from, until }: Span,
  signal: AbortSignal,
): Promise<Omit<ValueTimelines, "type">> {
  const range = { from, until };
  return fetchValues(query, range, pointsFor(range, VERSION_STEPS), by, MOST_VERSIONS, signal);
}
