/** How a service's total changed against the period before. */
import type { ServiceType } from "../api.ts";
import type { Silence } from "../time/quiet.ts";
import type { Span } from "../time/range.ts";
import { roughChange } from "./number.ts";
import { formatStep, plural } from "./value.ts";

/** A period with fewer profiles than this part of the other's is no measure: most of it has no data. */
const ENOUGH = 0.75;
/** One snapshot is no average. */
const FEWEST_SNAPSHOTS = 2;

const MINUTE = 60_000;

type Periods = Pick<ServiceType, "total" | "profiles" | "previous" | "previousProfiles">;

/** Of a type in a span: "+5 % vs. previous 6 h"; null where the profiles begin later than the period before, as in a bundle. */
export function trend(
  type: Periods,
  gauge: boolean,
  { from, until }: Span,
  begin = Number.NEGATIVE_INFINITY,
): { text: string; title: string; known: boolean } | null {
  const { profiles, previousProfiles } = type;
  const what = gauge ? "snapshot" : "profile";
  const previous = `previous ${formatStep(until - from)}`;
  const title = `${plural(profiles, what)} in this range, ${previousProfiles} in the ${previous}`;
  const known = amounts(type, gauge);
  if (!known && 2 * from - until < begin) return null;
  if (!known)
    return { text: `${previousProfiles === 0 ? "no" : "too few"} ${what}s in the ${previous}`, title, known: false };
  const each = gauge ? "" : " per profile";
  return { text: `${roughChange(known.before, known.now)}${each} vs. ${previous}`, title, known: true };
}

/** That the profiles have ended; they may have done so at any time within the last step that has some. */
export function quietWords({ millis, step }: Silence): string {
  return `no profiles for ${step > MINUTE ? "over " : ""}${formatStep(millis)}`;
}

/** How many times as much as before it is; null where the period before has too few profiles to tell. */
export function growth(type: Periods, gauge: boolean): number | null {
  const known = amounts(type, gauge);
  if (!known) return null;
  return known.before === known.now ? 1 : known.now / known.before;
}

/** What is compared: amounts per profile, since one period may be covered better than the other. */
function amounts(type: Periods, gauge: boolean): { before: number; now: number } | null {
  const { profiles, previousProfiles } = type;
  const fewest = gauge ? FEWEST_SNAPSHOTS : 1;
  if (previousProfiles < Math.max(fewest, profiles * ENOUGH)) return null;
  return { before: Number(type.previous) / previousProfiles, now: Number(type.total) / profiles };
}
