/** Asks when versions began. */
import type { Mark } from "../../time/marks.ts";
import type { Span } from "../../time/range.ts";
import { pointsFor } from "../../time/series.ts";
import { fetchValues } from "./labelseries.ts";
import { versionChanges } from "./versionchanges.ts";

/** As many steps as the timeline has. */
const POINTS = 120;
/** A new version may have hardly any profiles yet, so all are asked for. */
const MOST_VERSIONS = 1000;

/** The values of a label that begin in a range. */
export async function fetchVersions(
  query: string,
  by: string,
  { from, until }: Span,
  signal: AbortSignal,
): Promise<Mark[]> {
  const range = { from, until };
  const { values } = await fetchValues(query, range, pointsFor(range, POINTS), by, MOST_VERSIONS, signal);
  return versionChanges(by, values);
}
