/**
 * How two sides are made comparable: by amounts, by shares of their totals, or by amounts for each minute of
 * profiles, whatever time or number of processes they come from.
 */

import type { Core } from "../../core/core.ts";
import { A_MINUTE, type Division, SHARE } from "../../core/divided.ts";
import type { TreeInfo } from "../../core/types.ts";
import type { Measure } from "../url/urlstate.ts";

/** One side may have a tenth more profiles than the other, or a total a tenth larger, before amounts mislead. */
const COVERAGE_TOLERANCE = 1.1;

const MINUTE = 60_000;

/** What a comparison of merged profiles needs to know of a side. */
export interface MergedSide {
  profile: number;
  type: number;
  profiles: number;
  /** How long all profiles lasted together, 0 when they do not say. */
  profiledMillis: number;
  total: number;
  unit: string;
}

export interface Comparison {
  measure: Exclude<Measure, "auto">;
  gauge: boolean;
}

/** Whether one side has so much more, profiles or load, that its amounts are larger for that alone. */
export function coverageDiffers(base: number, other: number): boolean {
  return Math.max(base, other) > COVERAGE_TOLERANCE * Math.min(base, other);
}

/**
 * Whether sides differ in profiles or in load. As many profiles of more load make every function larger, and hide the one
 * that is to blame.
 */
export function sidesDiffer(base: Totals, other: Totals): boolean {
  return coverageDiffers(base.profiles, other.profiles) || coverageDiffers(base.total, other.total);
}

type Totals = Pick<MergedSide, "profiles" | "total">;

/**
 * What is compared: shares where the sides differ, unless told otherwise. A rate needs to know how long profiles lasted;
 * averages of snapshots need none.
 */
export function resolveMeasure(chosen: Measure, differs: boolean, timed: boolean): Exclude<Measure, "auto"> {
  if (chosen === "auto" || (chosen === "rate" && !timed)) return differs ? "share" : "amount";
  return chosen;
}

/** Of two sides that the core has scaled to the first one's total, shares of their own. */
export function sharesOf(total: number): Division {
  return { by: total / 100 || 1, unit: SHARE };
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
  const { measure, gauge } = comparison;
  const { steps, invert } = seen;
  if (measure === "share") {
    return core.diff(base.profile, other.profile, base.type, true, steps, invert, sharesOf(base.total));
  }
  if (measure === "rate") {
    const lasted = { base: Math.round(base.profiledMillis), other: Math.round(other.profiledMillis) };
    return scaled(core, base, other, lasted, { per: MINUTE, unit: base.unit + A_MINUTE }, seen);
  }
  if (gauge) return scaled(core, base, other, { base: base.profiles, other: other.profiles }, { per: 1 }, seen);
  return core.diff(base.profile, other.profile, base.type, false, steps, invert);
}

/**
 * The tree of both sides, each a `per` of its weight. The core's values are whole numbers: the side of less weight is scaled
 * up to the other, which keeps what is less than one in the average, and one divisor does for both.
 */
async function scaled(
  core: Core,
  base: MergedSide,
  other: MergedSide,
  weights: { base: number; other: number },
  { per, unit }: { per: number; unit?: string },
  { steps, invert }: Seen,
): Promise<TreeInfo> {
  const weight = Math.max(weights.base, weights.other);
  const division = { by: weight / per, unit };
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
