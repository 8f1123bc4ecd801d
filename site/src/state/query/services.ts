/** What there is in the current range: services, labels of one, and whether there is a server at all. */
import { computed, signal } from "@preact/signals";
import { fetchLabels, fetchServices } from "../../api.ts";
import { ApiError } from "../../apierror.ts";
import { compareTypes } from "../../format/type.ts";
import { resolve, type Span } from "../../time/range.ts";
import { pointsFor } from "../../time/series.ts";
import { resource } from "../resource.ts";
import { clock } from "../url/clock.ts";
import { urlState } from "../url/router.ts";
import { selector } from "./selector.ts";

/** Enough for a sparkline of a card's width. */
const POINTS = 60;

export const server = signal<"unknown" | "present" | "absent">("unknown");

const STORAGE_KEY = "pilotlight-server";
/** Whether there was a server the last time: the front page takes that shape while it looks, so that nothing jumps. */
export const rememberedServer = readStorage();

/** The range of the screen: of both sides together on the diff page. */
export const span = computed<Span>(() => {
  const { route, base, other } = urlState.value;
  const first = resolve(base, clock.value);
  if (route !== "diff") return first;
  const second = resolve(other, clock.value);
  return { from: Math.min(first.from, second.from), until: Math.max(first.until, second.until) };
});

export const services = resource(
  "list the services",
  () => {
    const { route, embed } = urlState.value;
    // On the file page only to learn, once, whether there is a server to go back to. From a frame nothing leads there.
    const known = route === "file" && (embed || server.value !== "unknown");
    return known ? null : { ...span.value, at: clock.value };
  },
  async (range, signal) => {
    try {
      const found = await fetchServices(range, pointsFor(range, POINTS), signal);
      setServer("present");
      for (const service of found) service.types.sort((a, b) => compareTypes(a.id, b.id));
      return found.sort((a, b) => (a.name < b.name ? -1 : 1));
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

/** Labels of the service, whatever is filtered, so that a filter can be changed to another value. */
export const labels = resource(
  "list the labels",
  () => {
    const { route, service } = urlState.value;
    return (route === "explore" || route === "diff") && service ? { service, ...span.value } : null;
  },
  ({ service, from, until }, signal) => fetchLabels(selector(service, []), { from, until }, signal),
  ({ service }) => service,
);

export const service = computed(() => services.value.value?.find(({ name }) => name === urlState.value.service));

function setServer(found: "present" | "absent"): void {
  server.value = found;
  try {
    localStorage.setItem(STORAGE_KEY, found);
  } catch {
    // Without storage the page only moves more while it loads.
  }
}

function readStorage(): string {
  try {
    return localStorage.getItem(STORAGE_KEY) ?? "";
  } catch {
    // Without storage it is as on a first visit.
    return "";
  }
}
