/** Which profiles can be merged, as they have the same types, and which can be compared, as they have one in common. */
import type { ProfileInfo } from "../../core/types.ts";
import { convertible } from "../../format/value.ts";

interface Opened {
  info: Pick<ProfileInfo, "types">;
}

/** Why profiles can't be merged; empty where they can. */
export function typesDiffer(all: Opened[]): string {
  const [first, ...more] = all;
  const names = ({ info }: Opened) => info.types.map(({ type }) => type).join();
  if (more.some((file) => names(file) !== names(first))) {
    const shared = sharedTypes(all).length;
    if (shared === 0) return "the profile types differ";
    const isAll = all.every(({ info }) => info.types.length === shared);
    return isAll ? "their profile types are in different orders" : "they have only some profile types in common";
  }
  const units = more.flatMap(({ info }) => info.types.map(({ unit }, i) => [first.info.types[i].unit, unit]));
  const unlike = units.find(([own, other]) => !convertible(own, other));
  return unlike ? `the units differ (${unlike.join(" and ")})` : "";
}

/** The names of types that all profiles have, in units that can be converted; in the order of the first. */
export function sharedTypes([first, ...more]: Opened[]): string[] {
  const shared = first?.info.types.filter((of) =>
    more.every(({ info }) => info.types.some(({ type, unit }) => type === of.type && convertible(unit, of.unit))),
  );
  return shared?.map(({ type }) => type) ?? [];
}
