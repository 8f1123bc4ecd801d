/** The windows and processes by which two sides of a service are compared. */
import { FEWEST_PARTS } from "../../time/interval.ts";
import type { Span } from "../../time/range.ts";
import { SHORTEST_STEP } from "../../time/series.ts";
import { formatMatcher, selector } from "./selector.ts";

/** Windows of a side, and where there are processes, windows and processes: 20 questions for both sides. */
const WINDOWS = 10;
const WINDOWS_BESIDE_PROCESSES = 5;
/** Agents push at least once in it, most of them. */
const SHORTEST_WINDOW = 60_000;

export interface Asked extends Span {
  query: string;
}

/** Whose profiles are compared. */
interface Selected {
  type: string;
  service: string;
}

/** A side: its time, its filters, and the processes that are looked at. */
interface Selection {
  seen: Span;
  side: { filters: string[] };
  processes: string[];
}

/** What is asked of a side. */
export function partsOf(
  { type, service }: Selected,
  { seen, side, processes }: Selection,
  process: string,
  { byProcess, interval }: { byProcess: boolean; interval: number },
) {
  const query = (more: string[]) => type + selector(service, [...side.filters, ...more]);
  const all = seen.until - seen.from;
  const most = byProcess ? WINDOWS_BESIDE_PROCESSES : WINDOWS;
  const { count, length } = windowsIn(all, most, interval);
  const windows = Array.from({ length: count }, (_, i): Asked => {
    const from = seen.from + i * length;
    return { query: query([]), from, until: i === count - 1 ? seen.until : from + length };
  });
  const apart = byProcess
    ? processes.map((value): Asked => ({ query: query([formatMatcher({ name: process, op: "=", value })]), ...seen }))
    : [];
  return { windows, processes: apart, length };
}

/**
 * How many windows a time is cut into, and the length of all but the last, which is whole intervals between profiles: other
 * windows would hold one profile more and one less by turns, as if some were not covered. A short time still has the windows
 * that a variation takes.
 */
export function windowsIn(millis: number, most: number, interval = SHORTEST_STEP): { count: number; length: number } {
  const unit = millis >= FEWEST_PARTS * interval ? interval : SHORTEST_STEP;
  const fewest = millis >= FEWEST_PARTS * unit ? FEWEST_PARTS : 1;
  const wanted = millis / Math.max(fewest, Math.min(most, Math.floor(millis / SHORTEST_WINDOW)));
  const [longer, shorter] = [Math.ceil, Math.floor].map((round) => round(wanted / unit) * unit);
  const length = millis >= fewest * longer ? longer : Math.max(shorter, unit);
  return { count: Math.max(1, Math.floor(millis / length)), length };
}
