/** How much the load of two sides differs, for each time with profiles, and which function has most of the difference. */

import { type Counted, type CoveredSteps, commonPace, coveredParts, FEWEST_COVERED } from "../../time/covered.ts";
import { type Interval, shareOf, welch } from "../../time/interval.ts";
import { isGradual } from "../../time/loadchange.ts";
import { medianGap, merged, mergeFactor } from "../../time/series.ts";
import { type Changed, type Changes, FALSE_ALARMS, size } from "./changed.ts";
import { coverageDiffers } from "./measure.ts";

/** Amounts a millisecond with profiles; of a gauge, averages a snapshot. */
export interface Loads {
  before: number;
  after: number;
}

export interface ChangedLoad extends Loads {
  /** Whether they differ by more than varies between the windows of a side. */
  differs: boolean;
  /** Sides within which the load varies by as much as between them. */
  unsteady: ("before" | "after")[];
  /** How far the loads of a side's windows are apart at most, as a part of its load; 0 where pauses may be the reason. */
  swing: number;
  /** Whether the load already rose or fell steadily before the second side, and went on with it. */
  gradual: boolean;
}

/** A function, and which part of a difference it has: by its own share, or with what it calls. */
export interface Cause extends Pick<Changed, "name" | "own"> {
  part: number;
}

/** A smaller part of the load is no news, however sure. */
export const LEAST_LOAD = 0.02;

/** A window of a side, with profiles or without. */
export interface Window extends Counted {
  from: number;
  total: number;
}

/**
 * Whether two sides ran beside each other for half of the shorter one's time and more, as a canary does. Of each, the number of
 * profiles in each step.
 */
export function areTogether(a: number[], b: number[]): boolean {
  const factor = Math.max(medianGap(a), medianGap(b));
  const [first, second] = [a, b].map((counts) => merged(counts, factor).map((count) => count > 0));
  const steps = (filled: boolean[]) => filled.filter(Boolean).length;
  const shorter = Math.min(steps(first), steps(second));
  return shorter > 0 && 2 * steps(first.map((filled, i) => filled && second[i])) >= shorter;
}

/**
 * Which side has more profiles in the same time, from more processes; null if they are about as many. `steps` are shorter than
 * the windows, and `covered` says how much of each side's steps has profiles, where that is known.
 */
export function moreProfiles(
  sides: [Window[], Window[]],
  steps: number[][] = [[], []],
  covered: number[] = [0, 0],
): "before" | "after" | null {
  const isKnown = covered.every((millis) => millis > 0);
  const [a, b] = sides.map((windows, side) => {
    if (isKnown) return steps[side].reduce((all, profiles) => all + profiles, 0) / covered[side];
    const filled = windows.filter(({ profiles }) => profiles > 0);
    const sum = (of: "profiles" | "millis") => filled.reduce((all, one) => all + one[of], 0);
    return sum("profiles") / Math.max(1, sum("millis"));
  });
  if (!coverageDiffers(a, b)) return null;
  return a > b ? "before" : "after";
}

/**
 * How much of each window of a side has profiles, in milliseconds, as shorter steps tell. If these have profiles of the side
 * alone (`areOwn`), the first window has all of the step that it begins in, and the last one of that in which it ends.
 */
function coveredIn(windows: Window[], { start, step, millis }: CoveredSteps, areOwn: boolean): number[] {
  return windows.map((window, i) => {
    const from = areOwn && i === 0 ? Number.NEGATIVE_INFINITY : window.from;
    const until = areOwn && i === windows.length - 1 ? Number.POSITIVE_INFINITY : window.from + window.millis;
    const overlap = (at: number) =>
      Math.max(0, Math.min(until, start + (at + 1) * step) - Math.max(from, start + at * step));
    return millis.reduce((sum, covered, at) => sum + (covered / step) * overlap(at), 0);
  });
}

/**
 * The loads of both sides, whose windows are all there, in order: a gap is no time with profiles. Whether the loads differ is
 * unknown, and not claimed, where `certain` is false. `steps` say which part of shorter steps of each side has profiles, as far
 * as that is known, and `areOwn` that no step has profiles of the time beside its side, too.
 */
export function changedLoad(
  sides: [Window[], Window[]],
  gauge: boolean,
  certain: boolean,
  steps: (CoveredSteps | null)[] = [],
  areOwn = false,
): ChangedLoad {
  const both = sides.map(withoutGaps);
  const [first, second] = steps;
  const areKnown = !gauge && first && second;
  // At a steady pace the number of profiles says how much is covered; else shorter steps do, as far as they are known. Windows
  // that were merged over gaps have a pace that hides the pauses of a job.
  const hasGaps = both.some((windows, side) => windows.length < sides[side].length);
  const pace = areKnown && hasGaps ? null : commonPace(both);
  const known = areKnown && pace === null ? [first, second] : null;
  let paused = false;
  const loads = both.map((windows, side) => {
    const parts = known ? coveredIn(windows, known[side], areOwn) : coveredParts(windows, pace);
    const all = windows.map(({ total, profiles, from, millis }, i) => {
      const whole = gauge ? profiles : parts[i];
      return { at: from, value: total, whole, part: gauge ? 1 : parts[i] / millis };
    });
    if (known && all.some(({ part }) => part < 1 - PAUSES)) paused = true;
    return all.filter(({ whole }) => whole > 0);
  });
  const [before, after] = loads.map(shareOf);
  const isApart = ({ low, high }: Interval) => low > 0 || high < 0;
  const isLargeEnough = Math.abs(after.share - before.share) >= LEAST_LOAD * before.share;
  const differs = certain && isLargeEnough && isApart(welch(before, after, FALSE_ALARMS));
  const by = Math.abs(after.share - before.share);
  const unsteady = (["before", "after"] as const).filter((_, i) => spread(loads[i]) >= by);
  const swing = paused ? 0 : Math.max(spread(loads[0]) / before.share, spread(loads[1]) / after.share);
  return { before: before.share, after: after.share, differs, unsteady, swing, gradual: differs && isDrift(loads) };
}

/** A window of which less is covered says too little of the load, where others say more. */
const MOSTLY = 0.9;

/** How far the loads of windows are apart. */
function spread(windows: { value: number; whole: number; part: number }[]): number {
  const whole = windows.filter(({ part }) => part >= MOSTLY);
  const loads = (whole.length >= FEWEST_COVERED ? whole : windows).map(({ value, whole }) => value / whole);
  return Math.max(...loads) - Math.min(...loads);
}

/** Where more of a window has no profiles, pauses may be why loads vary. */
const PAUSES = 0.05;

/** Whether the second of two sides only goes on with what the first began. */
function isDrift(loads: { at: number; value: number; whole: number }[][]): boolean {
  const [before, after] = loads.map((windows) => windows.map(({ at, value, whole }) => ({ at, value: value / whole })));
  return before[before.length - 1].at < after[0].at && isGradual({ before, after });
}

/** Windows so long that an agent that pushes seldom leaves none of them empty; see mergeFactor. */
function withoutGaps(windows: Window[]): Window[] {
  const factor = mergeFactor(windows.map(({ profiles }) => profiles));
  const sums = (of: keyof Window) =>
    merged(
      windows.map((window) => window[of]),
      factor,
    );
  const [totals, profiles, millis] = [sums("total"), sums("profiles"), sums("millis")];
  const first = windows.length - totals.length * factor;
  const from = (i: number) => windows[Math.max(0, first + i * factor)].from;
  return totals.map((total, i) => ({ from: from(i), total, profiles: profiles[i], millis: millis[i] }));
}

/** Nearly all, and all: what is all of both sides explains nothing. */
const MOST = 0.8;
const ALL = 0.995;
/** A function with less of a change doesn't explain it. */
const PART = 0.2;

/**
 * The function among the heads that has the largest part of what the load changed by; null where none has a fifth, or one
 * changed by more in the other direction. Where no share changed, a function that is nearly all of the profile may account for
 * the change alone.
 */
export function causeOf({ before, after }: Loads, { heaviest }: Changes, heads: Changed[]): Cause | null {
  const by = after - before;
  if (heads.length === 0) {
    const least = heaviest ? Math.min(heaviest.selfBefore, heaviest.selfAfter) : 0;
    if (!heaviest || least < MOST || least > ALL) return null;
    const part = (heaviest.selfAfter * after - heaviest.selfBefore * before) / by;
    return part >= MOST ? { name: heaviest.name, own: false, part } : null;
  }
  const parts = heads.map((one): Cause => {
    const { name, own } = one;
    return { name, own, part: (one.after * after - one.before * before) / by };
  });
  const largest = parts.sort((a, b) => Math.abs(b.part) - Math.abs(a.part))[0];
  return largest.part >= PART ? largest : null;
}

/** Whether all functions changed with the load: none may explain the change, whether certain or not. */
export function areAlike({ before, after }: Loads, { listed, largest, unknown }: Changes): boolean {
  const most = (largest ? size(largest) : 0) * Math.max(before, after);
  return listed.length === 0 && unknown === 0 && most < PART * Math.abs(after - before);
}
