/**
 * How two sides are made comparable: by amounts, by shares of their totals, or by loads, which are amounts for the time that
 * has profiles.
 */

import type { Core } from "../../core/core.ts";
import { A_SECOND, CORES } from "../../core/divided.ts";
import type { Seconds } from "../../core/steps.ts";
import type { TreeInfo } from "../../core/types.ts";
import type { Measure } from "../url/values.ts";

/** One side may have a tenth more profiles than the other, or a total a tenth larger, before amounts mislead. */
const COVERAGE_TOLERANCE = 1.1;

/** What a comparison of merged profiles needs to know of a side. */
export interface MergedSide {
  profile: number;
  type: number;
  profiles: number;
  /** How much of its time has profiles; 0 when that isn't known. */
  coveredMillis: number;
  total: number;
  unit: string;
}

export interface Comparison {
  measure: Exclude<Measure, "auto">;
  gauge: boolean;
  /** Whether amounts are nanoseconds of CPU time. */
  cpu: boolean;
}

/** Whether one side has so much more, profiles or load, that its amounts are larger for that alone. */
export function coverageDiffers(base: number, other: number): boolean {
  return Math.max(base, other) > COVERAGE_TOLERANCE * Math.min(base, other);
}

/** Of two times that differ more in length, or in how much of them has profiles, the longer has more of everything. */
const LENGTH_TOLERANCE = 1.01;

const isOneLonger = (a: number, b: number) => Math.max(a, b) > LENGTH_TOLERANCE * Math.min(a, b);

export function lengthsDiffer(first: Seconds, second: Seconds): boolean {
  const [a, b] = [first, second].map(([from, until]) => until - from);
  return isOneLonger(a, b);
}

/** Whether sides differ in profiles or, as far as that is known, in the time that has any. */
export function profilesDiffer(base: Covered, other: Covered): boolean {
  const [a, b] = [base.coveredMillis, other.coveredMillis];
  return coverageDiffers(base.profiles, other.profiles) || (a > 0 && b > 0 && coverageDiffers(a, b));
}

/** The same, or in totals, or one side has a pause or a profile more, so that amounts mislead. */
export function sidesDiffer(base: Covered & Totals, other: Covered & Totals): boolean {
  const [a, b] = [base.coveredMillis, other.coveredMillis];
  return (
    (Math.min(a, b) > 0 && isOneLonger(a, b)) || profilesDiffer(base, other) || coverageDiffers(base.total, other.total)
  );
}

/** Whether one side has far more profiles in the same time: its load is larger for its number of processes alone. */
export function processesDiffer(base: Covered, other: Covered): boolean {
  const density = ({ profiles, coveredMillis }: Covered) => profiles / coveredMillis;
  return coverageDiffers(density(base), density(other));
}

type Covered = Pick<MergedSide, "profiles" | "coveredMillis">;
type Totals = Pick<MergedSide, "total">;

/**
 * What is compared where nobody has chosen: loads where the sides differ, so that what did not change stays grey. Shares where
 * it isn't known how much time has profiles, or where the number of processes differs (`alike` is false): then all of one
 * side would be less. Averages of snapshots need neither.
 */
export function resolveMeasure(
  chosen: Measure,
  differs: boolean,
  timed: boolean,
  alike = true,
): Exclude<Measure, "auto"> {
  if (chosen !== "auto" && (chosen !== "rate" || timed)) return chosen;
  if (!differs) return "amount";
  return timed && alike ? "rate" : "share";
}

/** What is taken of both sides, and which way up it is drawn. */
export interface Seen {
  steps: string[];
  invert: boolean;
}

/** The tree of both sides, in the values that are compared. */
export async function compareTrees(
  core: Core,
  base: MergedSide,
  other: MergedSide,
  comparison: Comparison,
  seen: Seen,
): Promise<TreeInfo> {
  const { measure, gauge, cpu } = comparison;
  const { steps, invert } = seen;
  if (measure === "share") {
    return core.diff(base.profile, other.profile, base.type, true, steps, invert);
  }
  if (measure === "rate") {
    const covered = { base: Math.round(base.coveredMillis), other: Math.round(other.coveredMillis) };
    const load = cpu ? { divisor: 1e6, unit: CORES } : { divisor: 1e-3, unit: base.unit + A_SECOND };
    return scaled(core, base, other, covered, load, seen);
  }
  if (gauge) return scaled(core, base, other, { base: base.profiles, other: other.profiles }, { divisor: 1 }, seen);
  return core.diff(base.profile, other.profile, base.type, false, steps, invert);
}

/** Of small values, such as counts, a scaled side has so many parts of one. */
const FINEST = 1e6;
/** Sums of both sides stay exact in JavaScript's numbers. */
const LARGEST = 2 ** 51;
const SIDES = ["base", "other"] as const;

/**
 * The tree of both sides, each divided by its weight times `divisor`. The core's values are whole numbers, so both sides are
 * multiplied until one divisor fits both. Small values are multiplied by more than that, which keeps parts of one.
 */
async function scaled(
  core: Core,
  base: MergedSide,
  other: MergedSide,
  weights: { base: number; other: number },
  { divisor, unit }: { divisor: number; unit?: string },
  { steps, invert }: Seen,
): Promise<TreeInfo> {
  const weight = Math.max(weights.base, weights.other);
  const isEqual = weights.base === weights.other;
  const sides = { base, other };
  const largest = Math.max(weight, ...SIDES.map((side) => (Math.abs(sides[side].total) * weight) / weights[side]));
  let parts = isEqual ? 1 : FINEST;
  while (parts > 1 && largest * parts > LARGEST) parts /= 10;
  const made: number[] = [];
  const scale = async (side: (typeof SIDES)[number]) => {
    const { profile, type } = sides[side];
    const [numerator, denominator] = weights[side] === weight ? [parts, 1] : [weight * parts, weights[side]];
    if (numerator === denominator) return profile;
    const { id } = await core.scale(profile, type, numerator, denominator);
    made.push(id);
    return id;
  };
  try {
    const [first, second] = [await scale("base"), await scale("other")];
    const division = { by: weight * divisor * parts, unit };
    return await core.diff(first, second, base.type, false, steps, invert, division);
  } finally {
    for (const id of made) void core.close(id);
  }
}
