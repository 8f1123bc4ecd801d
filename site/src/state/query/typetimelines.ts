/** What the panel of types shows: each profile type of a service over time. */
import { computed } from "@preact/signals";
import { fetchTimeline, type ServiceType } from "../../api.ts";
import { pointsFor } from "../../time/series.ts";
import { type Loaded, resource } from "../resource.ts";
import { clock } from "../url/clock.ts";
import { exploreRoute } from "../url/router.ts";
import { askInTurn } from "./askinturn.ts";
import { fetchTypeChange } from "./loadchanges.ts";
import { placeOf } from "./place.ts";
import { selector } from "./selector.ts";
import type { NewVersion, ServiceChange } from "./servicechanges.ts";
import { services, span } from "./services.ts";

/** Enough for the width of a card. */
const POINTS = 60;

/** The types of the service, whatever is filtered. */
const known = computed(() => {
  const { service } = exploreRoute.value;
  return services.value.value?.find(({ name }) => name === service)?.types ?? [];
});

/** With filters or a window each type is asked for by itself, and for the time before. */
const narrowed = resource(
  "read the timeline of each profile type",
  () => {
    const { panel, service, base, window } = exploreRoute.value;
    if (panel !== "types" || !service) return null;
    if (base.filters.length === 0 && !window) return null;
    const ids = known.value.map(({ id }) => id);
    if (ids.length === 0) return null;
    const place = placeOf("base");
    const subject = JSON.stringify([place, service, base, window]);
    return {
      place,
      selected: selector(service, base.filters),
      ids,
      ...(window ?? span.value),
      at: clock.value,
      subject,
    };
  },
  async ({ place, selected, ids, from, until }, signal): Promise<ServiceType[]> => {
    const before = { from: from - (until - from), until: from };
    const points = pointsFor({ from, until }, POINTS);
    const found = await askInTurn(
      ids,
      async (id) => {
        const ask = (range: { from: number; until: number }, points: number) =>
          fetchTimeline(place, id + selected, range, points, signal);
        const [now, previous] = [await ask({ from, until }, points), await ask(before, 1)];
        return {
          id,
          total: String(now.total),
          profiles: now.profiles,
          points: now.points,
          counts: now.counts,
          covered: now.covered,
          duration: now.duration,
          start: now.start,
          step: now.step,
          previous: String(previous.total),
          previousProfiles: previous.profiles,
        };
      },
      signal,
    );
    return found.filter(({ profiles }) => profiles > 0);
  },
  ({ subject }) => subject,
  "dropped",
);

/** What changed in the load of each type, by its id. Where that isn't known, the cards say what they say without. */
export const typeChanges = resource(
  "find load changes",
  () => {
    const { panel, service, base, window } = exploreRoute.value;
    const ids = known.value.map(({ id }) => id);
    if (panel !== "types" || ids.length === 0 || placeOf("base") !== "") return null;
    const subject = JSON.stringify([service, base, window]);
    return { service, filters: base.filters, ids, ...(window ?? span.value), at: clock.value, subject };
  },
  async (
    { service, filters, ids, from, until },
    signal,
  ): Promise<Record<string, ServiceChange | NewVersion | null>> => {
    const ask = (id: string) => fetchTypeChange(id, service, filters, { from, until }, signal);
    const found = await askInTurn(ids, ask, signal);
    return Object.fromEntries(ids.map((id, i) => [id, found[i]]));
  },
  ({ subject }) => subject,
  "dropped",
);

export const types = computed((): Loaded<ServiceType[]> => {
  const { base, window } = exploreRoute.value;
  const { state, value, problem } = services.value;
  const plain = { state, value: value && known.value, problem };
  if (base.filters.length === 0 && !window) return plain;
  // Until the types are known there is nothing to ask.
  return known.value.length > 0 ? narrowed.value : plain;
});
