/** How a service's total changed against the period before. */
import type { ServiceType } from "../api.ts";
import { change } from "./number.ts";
import { plural } from "./value.ts";

/** A period with fewer profiles than this part of the other's is no measure: most of it has no data. */
const ENOUGH = 0.75;
/** An average needs no more than a few. */
const ENOUGH_FOR_AVERAGE = 0.1;

export function trend(
  type: Pick<ServiceType, "total" | "profiles" | "previous" | "previousProfiles">,
  gauge: boolean,
): { text: string; title: string } {
  const { profiles, previousProfiles } = type;
  const what = gauge ? "snapshot" : "profile";
  const title = `${plural(profiles, what)} here, ${previousProfiles} in the period of the same length before`;
  if (previousProfiles === 0) return { text: `no ${what}s before`, title };
  if (previousProfiles < profiles * (gauge ? ENOUGH_FOR_AVERAGE : ENOUGH))
    return { text: `few ${what}s before`, title };
  const [before, now] = [Number(type.previous), Number(type.total)];
  const changed = gauge ? change(before / previousProfiles, now / profiles) : change(before, now);
  return { text: `${changed} vs. before`, title };
}
