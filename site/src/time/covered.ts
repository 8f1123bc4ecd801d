/** How much of a time has profiles. */
import type { Timeline } from "../api.ts";
import { type Series, seriesOf, sum } from "./series.ts";

/** How much time profiles cover, in milliseconds, by which a total becomes a load; 0 without any. */
export function coveredMillis(timeline: Timeline): number {
  const measured = sum(timeline.points);
  // What profiles measured after the end took time as well: less than what they did before, but for sums that cancel out.
  const whole = measured > 0 ? Math.min(2, Math.max(1, timeline.total / measured)) : 1;
  return sum(seriesOf(timeline, false).covered) * whole;
}

/** A step that has profiles for less of its time is said to be partly profiled. */
const MOSTLY = 0.9;

/** Whether profiles begin or end within a step. */
export function isPartlyCovered({ covered, step }: Pick<Series, "covered" | "step">, at: number): boolean {
  return covered[at] > 0 && covered[at] < MOSTLY * step;
}
