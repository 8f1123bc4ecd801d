/** The steps of a series in which changes of its load are looked for. */
import type { Series } from "./series.ts";

/** A series, with the time of the first profiles of each step, which may be merged of several. */
export interface LoadSeries extends Series {
  firsts: number[];
  /** How long a profile is, in milliseconds; 0 where that is unknown. */
  duration: number;
}

/** A step with profiles. */
export interface Step {
  at: number;
  value: number;
}

/** A load as changes are looked for in it. */
export interface Load extends LoadSeries {
  /** The steps with profiles but for those at both ends, which may be cut off. */
  steps: Step[];
  /** `steps` with the first and the last, if only these were cut off and have as many profiles as their neighbours. */
  whole: Step[];
}

/** A step is cut off if some processes may have no profiles in at least this part of it. */
const LEAST_CUT = 0.1;
/** Of the time with profiles, at most this part is cut off at each end. */
const MOST_CUT = 0.1;
/** So many steps beside one at an end say how many profiles a whole one has. */
const NEAREST = 2;
/** Fewer steps don't show a shape. */
const FEWEST = 8;
/** A step that is at least so far from both levels has a part of each. */
export const SHARED = 0.2;

/** The load of a series; null where there is too little of it. */
export function loadIn(series: LoadSeries): Load | null {
  const all = filledSteps(series);
  const cut = cutOff(series, all);
  // Where there are so few, what may be cut off counts as well.
  const [begin, end] = all.length - cut[0] - cut[1] < FEWEST ? [1, 1] : cut;
  const steps = all.slice(begin, all.length - end);
  if (steps.length < FEWEST || series.sparse) return null;
  // Half of a step of many processes has as many profiles as a whole one of few: the nearest steps tell.
  const count = ({ at }: Step) => series.counts[at];
  const isWhole = (end: Step, nearest: Step[]) => nearest.every((step) => count(end) >= count(step));
  const [first, last] = [all[0], all[all.length - 1]];
  const whole = [
    ...(begin === 1 && isWhole(first, steps.slice(0, NEAREST)) ? [first] : []),
    ...steps,
    ...(end === 1 && isWhole(last, steps.slice(-NEAREST)) ? [last] : []),
  ];
  return { ...series, steps, whole };
}

/**
 * How many steps are cut off at the beginning and at the end: the first and the last, and those within a profile's length of the
 * first and last moments with profiles. Processes don't push at the same time, and the one with most of the load may come last.
 */
function cutOff({ covered, step, duration }: LoadSeries, all: Step[]): [number, number] {
  if (all.length === 0) return [0, 0];
  const [first, last] = [all[0].at, all[all.length - 1].at];
  const cut = Math.min(duration, MOST_CUT * (last + 1 - first) * step);
  // From when on all processes have profiles, and until when.
  const allBegan = (first + 1) * step - covered[first] + cut;
  const allEnd = last * step + covered[last] - cut;
  const isCut = (millis: number) => millis > LEAST_CUT * step;
  return [
    Math.max(1, all.filter(({ at }) => isCut(allBegan - at * step)).length),
    Math.max(1, all.filter(({ at }) => isCut((at + 1) * step - allEnd)).length),
  ];
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

/** To a quarter: noise moves a part of a step by less. */
export const toQuarters = (parts: number) => Math.round(4 * parts) / 4;

export function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
