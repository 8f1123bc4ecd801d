/** Finds the versions that begin in the range of the timeline, once it is there. Where that fails nothing is marked. */
import { effect } from "@preact/signals";
import { pointsFor } from "../../time/series.ts";
import { resource } from "../resource.ts";
import { clock } from "../url/clock.ts";
import { urlState } from "../url/router.ts";
import { timeline } from "./explore.ts";
import { fetchValues } from "./labelseries.ts";
import { marks } from "./marks.ts";
import { ownLabels } from "./ownlabels.ts";
import { placeOf } from "./place.ts";
import { selector } from "./selector.ts";
import { labels, span } from "./services.ts";
import { versionChanges, versionLabel } from "./versionchanges.ts";

/** As many steps as the timeline has. */
const POINTS = 120;
/** A new version may have hardly any profiles yet, so all are asked for. */
const MOST_VERSIONS = 1000;

const found = resource(
  "find the versions",
  () => {
    const { route, service, type, base } = urlState.value;
    const by = versionLabel(ownLabels.value ?? {});
    const shown = route === "explore" && placeOf("base") === "" && timeline.value.state === "ready";
    if (!shown || !service || !type || !by) return null;
    return { query: type + selector(service, base.filters), by, ...span.value, at: clock.value };
  },
  async ({ query, by, from, until }, signal) => {
    const range = { from, until };
    const { values } = await fetchValues(query, range, pointsFor(range, POINTS), by, MOST_VERSIONS, signal);
    return versionChanges(by, values);
  },
  ({ query, by }) => JSON.stringify([query, by]),
  "dropped",
);

effect(() => {
  const { state, value } = found.value;
  // Until the next timeline is there, the former one and its marks are seen.
  if (state === "ready") marks.value = value ?? [];
  else if (state === "error" || labels.value.state === "error" || timeline.value.state === "error") marks.value = [];
  else if (timeline.value.state === "ready" && (state === "idle" || !value)) marks.value = [];
});
