/** How much the load of two sides differs, for each time with profiles, and which function has most of the difference. */

import {
  type Counted,
  type Covered,
  commonPace,
  coveredParts,
  FEWEST_COVERED,
  sumOfMillis,
} from "../../time/covered.ts";
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

/** A window with less of its time covered is left out where others aren't. */
const WHOLE = 0.95;

/** Windows that have profiles for all of their time, as far as shorter steps tell; all where those are too few. */
function wholeWindows(windows: Window[], steps: Covered | null): Window[] {
  if (!steps) return windows;
  const { start, step, millis: ofSteps } = steps;
  const overlap = (from: number, until: number, at: number) =>
    Math.max(0, Math.min(until, start + (at + 1) * step) - Math.max(from, start + at * step));
  const whole = windows.filter(({ from, millis }) => {
    const covered = ofSteps.reduce((sum, part, at) => sum + (part / step) * overlap(from, from + millis, at), 0);
    return covered >= WHOLE * millis;
  });
  return whole.length >= FEWEST_COVERED ? whole : windows;
}

/**
 * The loads of both sides, whose windows are all there, in order: a gap is no time with profiles. Whether the loads differ is
 * unknown, and not claimed, where `certain` is false. `steps` say which part of shorter steps of each side has profiles, as far
 * as that is known.
 */
export function changedLoad(
  sides: [Window[], Window[]],
  gauge: boolean,
  certain: boolean,
  steps: (Covered | null)[] = [],
): ChangedLoad {
  // At a steady pace the number of profiles says how much is covered. Else a version has, where another replaced it for a while,
  // windows that are covered in part.
  const isSteady = commonPace(sides.map(withoutGaps)) !== null;
  const kept = sides.map((windows, side) => (isSteady ? windows : wholeWindows(windows, steps[side] ?? null)));
  const both = kept.map(withoutGaps);
  const pace = commonPace(both);
  let paused = false;
  const loads = both.map((windows, side) => {
    const whole = coveredParts(windows, pace);
    const parts = kept[side].length < sides[side].length ? whole : withoutPauses(windows, whole, steps[side] ?? null);
    if (parts !== whole) paused = true;
    return windows
      .map(({ total, profiles, from }, i) => ({ at: from, value: total, whole: gauge ? profiles : parts[i] }))
      .filter(({ whole }) => whole > 0);
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

/** How far the loads of windows are apart. */
function spread(windows: { value: number; whole: number }[]): number {
  const loads = windows.map(({ value, whole }) => value / whole);
  return Math.max(...loads) - Math.min(...loads);
}

/** A smaller part without profiles changes a load by less than it varies. */
const PAUSES = 0.01;

/**
 * How much of windows is covered, given which part of shorter steps is, if that is known. Windows seem to be
 * covered for longer where a burst of profiles takes a part of each, or a pause of two. Steps reach beyond both ends.
 */
function withoutPauses(windows: Window[], parts: number[], steps: Covered | null): number[] {
  if (!steps) return parts;
  const { step } = steps;
  const part = sumOfMillis(steps) / parts.reduce((sum, one) => sum + one, 0);
  const all = windows.reduce((sum, { millis }) => sum + millis, 0);
  return part > 0 && part < 1 - Math.max(PAUSES, (2 * step) / all) ? parts.map((one) => one * part) : parts;
}

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
