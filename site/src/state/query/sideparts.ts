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

/** A side: its time, when its profiles begin, its filters, and the processes that are looked at. */
interface Selection {
  seen: Span;
  begins: Span;
  side: { filters: string[] };
  processes: string[];
}

/** What is asked of a side: of each window and of each process; and the windows of its time by which loads are compared. */
export function partsOf(
  { type, service }: Selected,
  { seen, begins, side, processes }: Selection,
  process: string,
  { byProcess, interval }: { byProcess: boolean; interval: number },
) {
  const query = (more: string[]) => type + selector(service, [...side.filters, ...more]);
  const windowsOf = ({ from, until }: Span) => {
    const { count, length } = windowsIn(until - from, byProcess ? WINDOWS_BESIDE_PROCESSES : WINDOWS, interval);
    const begin = (i: number) => from + i * length;
    return Array.from({ length: count }, (_, i) => ({ from: begin(i), until: i === count - 1 ? until : begin(i + 1) }));
  };
  const windows = windowsOf(begins).map((window): Asked => ({ query: query([]), ...window }));
  const apart = byProcess
    ? processes.map((value): Asked => ({ query: query([formatMatcher({ name: process, op: "=", value })]), ...begins }))
    : [];
  return { windows, processes: apart, times: windowsOf(seen), length: windows[0].until - windows[0].from };
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
