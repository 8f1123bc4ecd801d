/** How much the load of two sides differs, for each time with profiles, and which function has most of the difference. */

import { type Interval, shareOf, welch } from "../../time/interval.ts";
import { isGradual } from "../../time/loadchange.ts";
import type { Span } from "../../time/range.ts";
import { medianGap, merged, type Series } from "../../time/series.ts";
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

/** A function, which part of a difference it has, by its own share or with what it calls, and the load of all others. */
export interface Cause extends Pick<Changed, "name" | "own"> {
  part: number;
  rest: Loads;
}

/** A smaller part of the load is no news, however sure. */
export const LEAST_LOAD = 0.02;

/** A window of a side: what was measured in it, and how much of it has profiles. Of a gauge, what its snapshots have together. */
export interface Window {
  from: number;
  /** Milliseconds. */
  length: number;
  total: number;
  profiles: number;
  /** Milliseconds. */
  covered: number;
}

/** What steps of a series have within a time; of one that it cuts, a part. */
export function measuredIn({ from, until }: Span, { start, step, values, covered }: Series) {
  const parts = values.map((value, at) => {
    const overlap = Math.min(until, start + (at + 1) * step) - Math.max(from, start + at * step);
    const millis = (covered[at] * Math.max(0, overlap)) / step;
    return { total: ((value ?? 0) * millis) / step, millis };
  });
  const sum = (of: "total" | "millis") => parts.reduce((all, part) => all + part[of], 0);
  return { total: sum("total"), covered: sum("millis") };
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
 * Which side has more profiles in the time that has some, from more processes; null if they are about as many, also where that
 * side has so many fewer.
 */
export function moreProfiles(sides: { profiles: number; covered: number }[], fewer = 0): "before" | "after" | null {
  const densities = sides.map(({ profiles, covered }) => profiles / Math.max(1, covered));
  const larger = densities[0] > densities[1] ? 0 : 1;
  const { profiles, covered } = sides[larger];
  const least = (profiles - fewer) / Math.max(1, covered);
  if (least < densities[1 - larger] || !coverageDiffers(least, densities[1 - larger])) return null;
  return larger === 0 ? "before" : "after";
}

/**
 * The loads of both sides, whose windows are all there, in order: a gap is no time with profiles. Whether the loads differ is
 * unknown, and not claimed, where `certain` is false.
 */
export function changedLoad(sides: [Window[], Window[]], gauge: boolean, certain: boolean): ChangedLoad {
  const loads = sides.map((windows) => {
    const all = windows.map(({ from, length, total, profiles, covered }) => {
      return { at: from, value: total, whole: gauge ? profiles : covered, part: gauge ? 1 : covered / length };
    });
    return all.filter(({ whole }) => whole > 0);
  });
  const paused = loads.some((windows) => windows.some(({ part }) => part < 1 - PAUSES));
  const [before, after] = loads.map(shareOf);
  const isApart = ({ low, high }: Interval) => low > 0 || high < 0;
  const isLargeEnough = Math.abs(after.share - before.share) >= LEAST_LOAD * before.share;
  const differs = certain && isLargeEnough && isApart(welch(before, after, FALSE_ALARMS));
  const by = Math.abs(after.share - before.share);
  const unsteady = (["before", "after"] as const).filter((_, i) => spread(loads[i]) >= by);
  const swing = paused ? 0 : Math.max(spread(loads[0]) / before.share, spread(loads[1]) / after.share);
  return { before: before.share, after: after.share, differs, unsteady, swing, gradual: differs && isDrift(loads) };
}

/** So many windows tell how far loads are apart. */
const FEWEST_WINDOWS = 3;
/** A window of which less is covered says too little of the load, where others say more. */
const MOSTLY = 0.9;

/** How far the loads of windows are apart. */
function spread(windows: { value: number; whole: number; part: number }[]): number {
  const whole = windows.filter(({ part }) => part >= MOSTLY);
  const loads = (whole.length >= FEWEST_WINDOWS ? whole : windows).map(({ value, whole }) => value / whole);
  return Math.max(...loads) - Math.min(...loads);
}

/** Where more of a window has no profiles, pauses may be why loads vary. */
const PAUSES = 0.05;

/** Whether the second of two sides only goes on with what the first began. */
function isDrift(loads: { at: number; value: number; whole: number }[][]): boolean {
  const [before, after] = loads.map((windows) => windows.map(({ at, value, whole }) => ({ at, value: value / whole })));
  return before[before.length - 1].at < after[0].at && isGradual({ before, after });
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
  if (heads.length === 0) {
    const least = heaviest ? Math.min(heaviest.selfBefore, heaviest.selfAfter) : 0;
    if (!heaviest || least < MOST || least > ALL) return null;
    const { name, selfBefore, selfAfter } = heaviest;
    const cause = causeIn({ before, after }, { name, own: false, before: selfBefore, after: selfAfter });
    return cause.part >= MOST ? cause : null;
  }
  const parts = heads.map((one) => causeIn({ before, after }, one));
  const largest = parts.sort((a, b) => Math.abs(b.part) - Math.abs(a.part))[0];
  return largest.part >= PART ? largest : null;
}

/** What a function with these shares has of a load. */
function causeIn(load: Loads, { name, own, before, after }: Pick<Changed, "name" | "own" | "before" | "after">): Cause {
  const rest = { before: (1 - before) * load.before, after: (1 - after) * load.after };
  const by = load.after - load.before;
  return { name, own, part: (by - (rest.after - rest.before)) / by, rest };
}

/** Whether all functions changed with the load: none may explain the change, whether certain or not. */
export function areAlike({ before, after }: Loads, { listed, largest, unknown }: Changes): boolean {
  const most = (largest ? size(largest) : 0) * Math.max(before, after);
  return listed.length === 0 && unknown === 0 && most < PART * Math.abs(after - before);
}
