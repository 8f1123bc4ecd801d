/** How much of a time has profiles, of how many there are. */
import type { Timeline } from "../api.ts";
import { commonDivisor, median, seriesOf } from "./series.ts";

/** With fewer steps it isn't known how much of them the profiles cover. */
export const FEWEST_COVERED = 3;

/** How much of each of several steps has profiles, in milliseconds. */
export interface CoveredSteps {
  start: number;
  step: number;
  millis: number[];
}

/** How much of the steps of each of several times has profiles, of so many merged into one; null where that isn't known. */
export function coveredSteps(timelines: Timeline[], factors: number[] = []): (CoveredSteps | null)[] {
  const all = timelines.map((timeline, i) => seriesOf(timeline, false, factors[i]));
  const steps = all.map(({ counts, step }) => counts.map((profiles) => ({ profiles, millis: step })));
  const pace = commonPace(steps);
  const filled = (steps: Counted[]) => steps.filter(({ profiles }) => profiles > 0).length;
  return steps.map((own, i) => {
    const { start, step, sparse } = all[i];
    // What shares its pace with others needs no more steps of its own.
    const known = pace === null ? filled(own) : filled(steps.flat());
    if (known < FEWEST_COVERED || filled(own) === 0 || sparse) return null;
    return { start, step, millis: coveredParts(own, pace) };
  });
}

/** How much all steps have, in milliseconds; 0 where that isn't known. */
export const sumOfMillis = (covered: CoveredSteps | null) => covered?.millis.reduce((sum, part) => sum + part, 0) ?? 0;

/** How much of each of several times has profiles, in milliseconds; 0 where that isn't known. */
export function coveredMillis(timelines: Timeline[]): number[] {
  return coveredSteps(timelines).map(sumOfMillis);
}

/** A stretch of time, and how many profiles begin in it. */
export interface Counted {
  profiles: number;
  millis: number;
}

const totalOf = (steps: Counted[], of: keyof Counted) => steps.reduce((sum, step) => sum + step[of], 0);

/** A run that has so many profiles more or less than others is of more or fewer processes. */
const PACE_TOLERANCE = 0.1;

/**
 * The mean number of profiles a millisecond, where they come at a steady pace; else null. An interval that doesn't divide the
 * steps puts one profile more in some of them. Of such an agent the number up to any step is the pace times the time, give or
 * take one at each end. Several runs of steps have one pace, and begin anywhere in an interval.
 */
export function steadyPace(...runs: Counted[][]): number | null {
  const all = runs.flat();
  if (all.length === 0) return null;
  const pace = totalOf(all, "profiles") / totalOf(all, "millis");
  const isSteady = (steps: Counted[]) => {
    let [ahead, least, most] = [0, 0, 0];
    const allowed = PACE_TOLERANCE * pace * totalOf(steps, "millis");
    for (const { profiles, millis } of steps) {
      ahead += profiles - pace * millis;
      [least, most] = [Math.min(least, ahead), Math.max(most, ahead)];
    }
    return most - least < 2 && Math.abs(ahead) <= allowed;
  };
  return runs.every(isSteady) ? pace : null;
}

/** Steps beside an end that say at which pace its profiles come. */
const BESIDE = 3;

/**
 * How much of a step at an end has profiles, judged by the three steps next to it, as farther ones may be of fewer processes.
 * 1 where these differ, or by as little as they do.
 */
function partBeside(counts: number[], at: number): number {
  const beside = counts[at + 1] ? counts.slice(at + 1, at + 1 + BESIDE) : counts.slice(Math.max(0, at - BESIDE), at);
  const [least, most] = [Math.min(...beside), Math.max(...beside)];
  const isSteady = beside.length === BESIDE && least > 0 && most - least <= Math.max(1, PACE_TOLERANCE * most);
  if (!isSteady || counts[at] >= least - (most - least)) return 1;
  return (counts[at] * BESIDE) / beside.reduce((sum, count) => sum + count, 0);
}

/** Which part of each step has profiles: of those at an end, as far as it is known, less than all. */
export function partsOfSteps(counts: number[]): number[] {
  const parts = coveredParts(counts.map((profiles) => ({ profiles, millis: 1 })));
  return parts.map((part, at) => Math.min(part, partBeside(counts, at)));
}

/** The steady pace that runs of steps share, which may be cut off where their profiles begin and end; null where there is none. */
export function commonPace(all: Counted[][]): number | null {
  const runs = all.map((steps) => {
    const isFilled = ({ profiles }: Counted) => profiles > 0;
    return steps.slice(steps.findIndex(isFilled), steps.findLastIndex(isFilled) + 1);
  });
  const inside = runs.map((run) => run.slice(1, -1));
  const [first, ...others] = inside.flat().map(density);
  const isEven = first > 0 && others.every((one) => one === first);
  const pace = isEven ? first : (steadyPace(...runs) ?? steadyPace(...inside));
  // A run of one or two steps may be cut off at both ends, or have fewer processes.
  return pace !== null && runs.every((run, i) => inside[i].length > 0 || isPacedBy(run, pace)) ? pace : null;
}

/** Whether a run has nearly as many profiles as a pace gives, or none. */
function isPacedBy(run: Counted[], pace: number): boolean {
  return totalOf(run, "profiles") >= (1 - PACE_TOLERANCE) * pace * totalOf(run, "millis");
}

const density = ({ profiles, millis }: Counted) => profiles / millis;

/**
 * How much of each step has profiles, in milliseconds. At a steady pace their number says it. Else, at an end or beside a gap, a
 * step with fewer profiles than any other counts in part; elsewhere it has fewer processes.
 */
export function coveredParts(steps: Counted[], pace = commonPace([steps])): number[] {
  const isEnd = (i: number) => !steps[i - 1]?.profiles || !steps[i + 1]?.profiles;
  if (pace) {
    // Another process may begin with the last step. Those that push at the same time do so in batches.
    const perPush = profilesPerPush(steps);
    const inside = steps.slice(1, -1);
    const most = (millis: number) => {
      const seen = inside.filter((step) => step.millis <= millis).map(({ profiles }) => profiles);
      return Math.max(Math.ceil((pace * millis) / perPush) * perPush, ...seen);
    };
    return steps.map(({ profiles, millis }, i) => (isEnd(i) ? Math.min(profiles, most(millis)) : profiles) / pace);
  }
  const filled = steps.filter(({ profiles }) => profiles > 0);
  const inside = steps.filter((step, i) => step.profiles > 0 && !isEnd(i));
  const ends = filled.map(density);
  // Of runs that have a step or two each, most are whole.
  const alone = ends.length < FEWEST_COVERED ? Math.min(...ends) : median(ends);
  const whole = inside.length > 0 ? Math.min(...inside.map(density)) : alone;
  return steps.map((step, i) => {
    if (step.profiles === 0) return 0;
    return step.millis * (isEnd(i) ? Math.min(1, density(step) / whole) : 1);
  });
}

/** How many profiles come at once, of processes that push at the same time; 1 if that can't be told. */
function profilesPerPush(steps: Counted[]): number {
  const counts = steps.map(({ profiles }) => profiles).filter((count) => count > 0);
  const common = counts.reduce(commonDivisor, 0);
  // Steps that all have as many, or twice as many, say nothing about pushes.
  return common > 0 && common < Math.min(...counts) ? common : 1;
}

/** A step that has profiles for less of its time has clearly less of everything than there was. */
const MOSTLY = 0.9;

/** Whether profiles begin or end within a step. */
export function isPartlyCovered(counts: number[], at: number): boolean {
  if (!counts[at] || (counts[at - 1] && counts[at + 1])) return false;
  const steps = counts.map((profiles) => ({ profiles, millis: 1 }));
  const pace = commonPace([steps]);
  // At a steady pace, some steps have a profile less.
  if (pace) return counts[at] < MOSTLY * Math.floor(pace);
  return Math.min(coveredParts(steps, null)[at], partBeside(counts, at)) < MOSTLY;
}
