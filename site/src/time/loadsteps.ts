/** The steps of a series in which changes of its load are looked for. */
import type { Series } from "./series.ts";

/** A series, with the time of the first profiles of each step, which may be merged of several. */
export interface LoadSeries extends Series {
  firsts: number[];
}

/** A step with profiles. */
export interface Step {
  at: number;
  value: number;
}

/** A load as changes are looked for in it. */
export interface Load extends LoadSeries {
  /** The steps with profiles but the first and the last, which may be cut off. */
  steps: Step[];
  /** The same with the first and the last, as far as they have as many profiles as others. */
  whole: Step[];
}

/** A step at an end of the profiles is cut off, and says less than there was. */
const CUT = 1;
/** So many steps beside one at an end say how many profiles a whole one has. */
const NEAREST = 2;
/** Fewer steps don't show a shape. */
const FEWEST = 8;
/** A step that is at least so far from both levels has a part of each. */
export const SHARED = 0.2;

/** The load of a series; null where there is too little of it. */
export function loadIn(series: LoadSeries): Load | null {
  const all = filledSteps(series);
  const steps = all.slice(CUT, all.length - CUT);
  if (steps.length < FEWEST || series.sparse) return null;
  // Half of a step of many processes has as many profiles as a whole one of few: the nearest steps tell.
  const count = ({ at }: Step) => series.counts[at];
  const isWhole = (end: Step, nearest: Step[]) => nearest.every((step) => count(end) >= count(step));
  const [first, last] = [all[0], all[all.length - 1]];
  const whole = [
    ...(isWhole(first, steps.slice(0, NEAREST)) ? [first] : []),
    ...steps,
    ...(isWhole(last, steps.slice(-NEAREST)) ? [last] : []),
  ];
  return { ...series, steps, whole };
}

/** Less of a step says too little of its load. */
const LEAST_COVERED = 0.1;

/** The steps with profiles. */
function filledSteps({ values, covered, step }: LoadSeries): Step[] {
  return values.flatMap((value, at): Step[] =>
    covered[at] >= LEAST_COVERED * step && value !== null ? [{ at, value }] : [],
  );
}

/** Whether a value is clearly between two others. */
export function isPart(value: number, before: number, after: number): boolean {
  const part = (value - before) / (after - before);
  return part > SHARED && part < 1 - SHARED;
}

export function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
