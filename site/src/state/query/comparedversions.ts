/** The versions in the time that the timelines of a comparison show, when its timelines are loaded. Where that fails none are marked. */
import { computed } from "@preact/signals";
import { resource } from "../resource.ts";
import { clock } from "../url/clock.ts";
import { diffRoute } from "../url/router.ts";
import { timelines } from "./compare.ts";
import { ownLabels } from "./ownlabels.ts";
import { selector, withoutValue } from "./selector.ts";
import { askedVersions } from "./shownmarks.ts";
import { timelineSpan } from "./sides.ts";
import { versionChanges } from "./versionchanges.ts";
import { fetchVersions } from "./versions.ts";

/** The filters that both sides have. */
export const sharedFilters = computed(() => {
  const { base, other } = diffRoute.value;
  return base.filters.filter((filter) => other.filters.includes(filter));
});

export const comparedVersions = resource(
  "find the versions",
  () => {
    const { service, type } = diffRoute.value;
    const by = askedVersions(ownLabels.value ?? {});
    const isReady = timelines.base.value.value !== undefined && timelines.other.value.value !== undefined;
    if (!service || !type || !by || !isReady) return null;
    const query = type + selector(service, withoutValue(sharedFilters.value, by));
    return { query, by, ...timelineSpan("base"), at: clock.value };
  },
  ({ query, by, ...range }, signal) => fetchVersions(query, by, range, signal),
  ({ query, by, from, until }) => JSON.stringify([query, by, from, until]),
  "dropped",
);

/** Where versions begin. */
export const comparedMarks = computed(() => {
  const found = comparedVersions.value.value;
  return found ? versionChanges(found.by, found.values) : [];
});
