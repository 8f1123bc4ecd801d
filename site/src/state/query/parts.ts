/**
 * A query whose exact answer outgrows the server's memory: its range is halved until each part has an answer. The browser adds
 * them up.
 */
import { ApiError } from "../../apierror.ts";
import type { Span } from "../../time/range.ts";

/** What the server answers then. */
const TOO_LARGE = 413;

/** No part is shorter: pushes mostly stand for longer. */
const SHORTEST = 1000;

/** Where ranges are halved: sums are of whole days, hours and minutes. */
const EDGES = [86_400_000, 3_600_000, 60_000, SHORTEST];

/** The answer of a range, or those of its parts, in order of time. */
export async function inParts<Answer>(range: Span, ask: (part: Span) => Promise<Answer>): Promise<Answer[]> {
  try {
    return [await ask(range)];
  } catch (failure) {
    const [first, second] = failure instanceof ApiError && failure.status === TOO_LARGE ? halves(range) : [];
    if (!first || !second) throw failure;
    return [...(await inParts(first, ask)), ...(await inParts(second, ask))];
  }
}

/** Both halves of a range; none of one that is too short. */
export function halves({ from, until }: Span): Span[] {
  const edge = EDGES.find((edge) => 2 * edge <= until - from);
  if (!edge) return [];
  const middle = Math.round((from + until) / 2 / edge) * edge;
  return [
    { from, until: middle },
    { from: middle, until },
  ];
}
