/**
 * How two sides are made comparable: by amounts, by shares of their totals, or by loads, which are amounts for the time that
 * has profiles.
 */

import type { Core } from "../../core/core.ts";
import { A_SECOND, CORES } from "../../core/divided.ts";
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

/** Whether sides differ in profiles or, as far as that is known, in the time that has any. */
export function profilesDiffer(base: Covered, other: Covered): boolean {
  const [a, b] = [base.coveredMillis, other.coveredMillis];
  return coverageDiffers(base.profiles, other.profiles) || (a > 0 && b > 0 && coverageDiffers(a, b));
}

/** One side may have so much more time with profiles before all its amounts seem to have changed. */
const PAUSE_TOLERANCE = 1.03;

/** The same, or in totals, or one side has a pause, so that amounts mislead. */
export function sidesDiffer(base: Covered & Totals, other: Covered & Totals): boolean {
  const [a, b] = [base.coveredMillis, other.coveredMillis];
  const pauses = Math.min(a, b) > 0 && Math.max(a, b) > PAUSE_TOLERANCE * Math.min(a, b);
  return pauses || profilesDiffer(base, other) || coverageDiffers(base.total, other.total);
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

/**
 * The tree of both sides, each divided by its weight times `divisor`. The core's values are whole numbers: the side of less weight is scaled
 * up to the other, which keeps what is less than one in the average, and one divisor does for both.
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
  const division = { by: weight * divisor, unit };
  const compare = (first: number, second: number) =>
    core.diff(first, second, base.type, false, steps, invert, division);
  if (weights.base === weights.other) return compare(base.profile, other.profile);
  const light = weights.base < weights.other ? "base" : "other";
  const side = { base, other }[light];
  const { id } = await core.scale(side.profile, side.type, weight, weights[light]);
  try {
    return await compare(light === "base" ? id : base.profile, light === "other" ? id : other.profile);
  } finally {
    void core.close(id);
  }
}
