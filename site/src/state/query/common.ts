/** What two places have in common. */
import type { Service } from "../../api.ts";
import { typeLabel } from "../../format/type.ts";

/** A service and the ids of its types. */
export interface Offered {
  name: string;
  types: string[];
}

export function namesOf(services: Service[] = []): Offered[] {
  return services.map(({ name, types }) => ({ name, types: types.map(({ id }) => id) }));
}

/** The services and types that both have, in the order of the first; all of either where there is none. */
export function common(first: Offered[], second: Offered[]): Offered[] {
  const typesOf = (name: string) => second.find((service) => service.name === name)?.types ?? [];
  const both = first
    .map(({ name, types }) => ({ name, types: types.filter((id) => typesOf(name).includes(id)) }))
    .filter(({ types }) => types.length > 0);
  if (both.length > 0) return both;
  return [...first, ...second.filter(({ name }) => first.every((service) => service.name !== name))];
}

/** What a place lacks of a service and a type, as a sentence; empty when it has both. */
export function lacking(place: string, has: Offered[], service: string, type: string): string {
  const list = (names: string[]) => `${names.slice(0, 5).join(", ")}${names.length > 5 ? " and more" : ""}`;
  if (has.length === 0) return `${place} has no profiles in this range.`;
  const found = has.find(({ name }) => name === service);
  if (!found) return `${place} has no service ${service} in this range. It has ${list(has.map(({ name }) => name))}.`;
  if (found.types.includes(type)) return "";
  return `${service} has no profiles of this type in ${place}. It has ${list(found.types.map(typeLabel))}.`;
}
