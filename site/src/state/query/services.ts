/** What there is in the current range: services, labels of one, and whether there is a server at all. */
import { computed, signal } from "@preact/signals";
import { fetchLabels, fetchServices, type Service, type ServicesAnswer } from "../../api.ts";
import { ApiError } from "../../apierror.ts";
import { compareTypes } from "../../format/type.ts";
import { resolve, type Span } from "../../time/range.ts";
import { pointsFor } from "../../time/series.ts";
import { store, stored } from "../page/storage.ts";
import { resource } from "../resource.ts";
import { clock } from "../url/clock.ts";
import { route, serviceRoute } from "../url/router.ts";
import { initialRange } from "../url/values.ts";
import { common, namesOf, type Offered } from "./common.ts";
import { apart, placeOf } from "./place.ts";
import { selector } from "./selector.ts";

/** Enough for a sparkline of a card's width. */
const POINTS = 60;

export const server = signal<"unknown" | "present" | "absent">("unknown");

const STORAGE_KEY = "pilotlight-server";
/** Whether there was a server the last time: the front page takes that shape while it looks, so that nothing jumps. */
export const rememberedServer = stored(STORAGE_KEY) ?? "";

/** The range of the screen: of both sides together on the diff page; of the baseline where each side has a place of its own. */
export const span = computed<Span>(() => {
  const at = route.value;
  const first = resolve("base" in at ? at.base : initialRange("base"), clock.value);
  if (at.page !== "diff" || apart.value) return first;
  const second = resolve(at.other, clock.value);
  return { from: Math.min(first.from, second.from), until: Math.max(first.until, second.until) };
});

/** Names of services that have profiles in the time of equal length before a range, and none in it. */
export const ended = signal<Span & { names: string[] }>({ from: 0, until: 0, names: [] });

export const services = resource(
  "list the services",
  () => {
    const at = route.value;
    // On pages that list none only to learn, once, whether there is a server. From a frame nothing leads there.
    const known =
      ["file", "rules", "alerts"].includes(at.page) && (("embed" in at && at.embed) || server.value !== "unknown");
    return known ? null : { place: placeOf("base"), ...span.value, at: clock.value };
  },
  async ({ place, ...range }, signal) => {
    try {
      const found = await answerOf(place, range, signal);
      setServer("present");
      ended.value = { names: found.ended, from: range.from, until: range.until };
      return found.services;
    } catch (failure) {
      // One that does not answer is down. Only what says that there is no such path is a viewer without a server.
      if (failure instanceof ApiError && failure.kind === "absent" && server.peek() !== "present") {
        setServer("absent");
        return [];
      }
      throw failure;
    }
  },
);

/** Of the comparison, where that is of another place. */
const otherSide = computed(() => {
  const at = route.value;
  return at.page === "diff" && apart.value ? { place: placeOf("other"), ...resolve(at.other, clock.value) } : null;
});
export const otherServices = resource(
  "list the services of the comparison",
  () => otherSide.value && { ...otherSide.value, at: clock.value },
  sortedServices,
);

export async function sortedServices(
  { place, ...range }: Span & { place: string },
  signal: AbortSignal,
): Promise<Service[]> {
  return (await answerOf(place, range, signal)).services;
}

async function answerOf(place: string, range: Span, signal: AbortSignal): Promise<ServicesAnswer> {
  const found = await fetchServices(place, range, pointsFor(range, POINTS), signal);
  for (const service of found.services) service.types.sort((a, b) => compareTypes(a.id, b.id));
  found.services.sort((a, b) => (a.name < b.name ? -1 : 1));
  return found;
}

/** Services and types to choose of: of two places what both have, or what either has where they have nothing in common. */
export const offered = computed((): Offered[] => {
  const first = namesOf(services.value.value);
  return otherSide.value ? common(first, namesOf(otherServices.value.value)) : first;
});

/**
 * Labels of the service's profiles of the type, whatever is filtered, so that a filter can be changed to another value. An
 * agent's types need not have the same ones.
 */
export const labels = resource(
  "list the labels",
  () => {
    const { service, type } = serviceRoute.value;
    return service && type ? { place: placeOf("base"), service, type, ...span.value } : null;
  },
  typeLabels,
  ({ service, type }) => service + type,
);
export const otherLabels = resource(
  "list the labels of the comparison",
  () => {
    const { service, type } = serviceRoute.value;
    return otherSide.value && service && type ? { ...otherSide.value, service, type } : null;
  },
  typeLabels,
  ({ service, type }) => service + type,
);

interface AskedLabels extends Span {
  place: string;
  service: string;
  type: string;
}

function typeLabels({ place, service, type, ...range }: AskedLabels, signal: AbortSignal) {
  return fetchLabels(place, type + selector(service, []), range, signal);
}

function setServer(found: "present" | "absent"): void {
  server.value = found;
  store(STORAGE_KEY, found);
}
