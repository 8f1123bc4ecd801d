/** Which services the front page shows, and in which order. */
import type { Service, ServiceType } from "../../api.ts";
import { namePattern } from "../../format/namepattern.ts";
import { growth } from "../../format/trend.ts";
import { compareTypes, isCpu, isGauge, readAlike } from "../../format/type.ts";
import type { Sort } from "../url/values.ts";

export interface Arrangement {
  search: string;
  sort: Sort;
  /** The type that is chosen; empty for the one that most services have. */
  type: string;
  favourites: ReadonlySet<string>;
  /** How many times as much a service has since a change within the range; null where nothing changed to stay. */
  changed: (service: string, type: string) => number | null;
}

/**
 * Types of all services, what most people came for first. Those that read alike are one, by the id that most services
 * have: agents differ in the period type alone.
 */
export function typesOf(services: Service[]): string[] {
  const kinds: string[] = [];
  for (const id of [...counted(services).keys()]) if (!kinds.some((known) => readAlike(known, id))) kinds.push(id);
  return kinds.sort(compareTypes);
}

/**
 * The type that most services have, or one that reads like it. CPU needs half as many: a few services that send only memory
 * don't change what the page is about.
 */
export function commonType(services: Service[]): string {
  const having = (id: string) => services.filter((service) => typeOf(service, id)).length;
  const kinds = typesOf(services);
  const mostOf = (ids: string[]) => ids.reduce((best, id) => (having(id) > having(best) ? id : best), ids[0] ?? "");
  const [most, cpu] = [mostOf(kinds), mostOf(kinds.filter(isCpu))];
  return cpu && 2 * having(cpu) >= having(most) ? cpu : most;
}

/** How many services have each type, most first. */
function counted(services: Service[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { types } of services) for (const { id } of types) counts.set(id, (counts.get(id) ?? 0) + 1);
  return new Map([...counts].sort(([a, m], [b, n]) => n - m || compareTypes(a, b)));
}

/** A service's own type of this kind. */
function typeOf(service: Service, type: string): ServiceType | undefined {
  return service.types.find(({ id }) => id === type) ?? service.types.find(({ id }) => readAlike(id, type));
}

/** What is shown of a service: the chosen type, or its first where it has no such. */
export function shownType(service: Service, type: string): ServiceType | undefined {
  return typeOf(service, type) ?? service.types[0];
}

/** Whether a service has the chosen type; where none is chosen, each has one to show. */
export function hasType(service: Service, chosen: string): boolean {
  return chosen === "" || typeOf(service, chosen) !== undefined;
}

/**
 * The services whose names match the search: those without the chosen type last, each part with favourites first, then in
 * the order that is asked for, then by name.
 */
export function arranged(services: Service[], arrangement: Arrangement): Service[] {
  const { search, sort, type, favourites } = arrangement;
  const matches = namePattern(search) ?? (() => false);
  const chosen = type || commonType(services);
  const sign = sort.descending ? -1 : 1;
  const byName = (a: Service, b: Service) => a.name.localeCompare(b.name, "en");
  const ranked = services
    .filter(({ name }) => matches(name))
    .map((service) => ({
      service,
      lacks: !hasType(service, type),
      favourite: favourites.has(service.name),
      value: amountOf(service, arrangement, chosen),
    }));
  ranked.sort((a, b) => {
    if (a.lacks !== b.lacks) return a.lacks ? 1 : -1;
    if (a.favourite !== b.favourite) return a.favourite ? -1 : 1;
    if (sort.column === "name") return sign * byName(a.service, b.service);
    // What lacks the type is neither large nor small: it comes last both ways.
    if (a.value === null || b.value === null || a.value === b.value)
      return Number(a.value === null) - Number(b.value === null) || byName(a.service, b.service);
    return sign * (a.value < b.value ? -1 : 1);
  });
  return ranked.map(({ service }) => service);
}

/** By what a service is sorted; amounts of another type than the chosen one do not compare. */
function amountOf(service: Service, { sort: { column }, changed }: Arrangement, chosen: string): number | null {
  // Ratios compare, whatever the type.
  const type = column === "delta" ? shownType(service, chosen) : typeOf(service, chosen);
  if (!type) return null;
  const gauge = isGauge(type.id);
  // Where no change is known, there is none to sort by: as much as before, between increases and decreases.
  if (column === "delta") return changed(service.name, type.id) ?? growth(type, gauge) ?? 1;
  return Number(type.total) / (gauge ? type.profiles || 1 : 1);
}
