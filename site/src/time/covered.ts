/** How much of a time has profiles. */
import type { Timeline, TimelineAnswer } from "../api.ts";
import { type Series, seriesOf, sum } from "./series.ts";

/** How much time profiles cover, in milliseconds, by which a total becomes a load; 0 without any. */
export function coveredMillis(timeline: Timeline): number {
  const measured = sum(timeline.points);
  // What profiles measured after the end took time as well: less than what they did before, but for sums that cancel out.
  const whole = measured > 0 ? Math.min(2, Math.max(1, timeline.total / measured)) : 1;
  return sum(seriesOf(timeline, false).covered) * whole;
}

/** In less time than so many profiles take one after the other, it isn't told how many processes there are at a time. */
const FEWEST_LENGTHS = 4;
/** So many profiles at a time, on average, are of one process, if there are several. */
const ALONE = { profiles: 3, processes: 1.05 };

/**
 * Whether the load of a time is known: of several processes that push profiles at their own times, the first and the last ones
 * cover parts of it alone, which must not be most of it.
 */
export function isLoadKnown({ profiles, duration }: Pick<TimelineAnswer, "profiles" | "duration">, covered: number) {
  const isAlone = profiles >= ALONE.profiles && profiles * duration <= ALONE.processes * covered;
  return covered >= FEWEST_LENGTHS * duration || isAlone;
}

/** A step that has profiles for less of its time is said to be partly profiled. */
const MOSTLY = 0.9;

/** Whether profiles begin or end within a step. */
export function isPartlyCovered({ covered, step }: Pick<Series, "covered" | "step">, at: number): boolean {
  return covered[at] > 0 && covered[at] < MOSTLY * step;
}
