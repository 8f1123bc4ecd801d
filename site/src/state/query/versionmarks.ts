/** Finds the versions that begin in the range of the timeline, once it is there. Where that fails nothing is marked. */
import { effect } from "@preact/signals";
import { resource } from "../resource.ts";
import { clock } from "../url/clock.ts";
import { urlState } from "../url/router.ts";
import { timeline } from "./explore.ts";
import { marks } from "./marks.ts";
import { ownLabels } from "./ownlabels.ts";
import { placeOf } from "./place.ts";
import { selector } from "./selector.ts";
import { labels, span } from "./services.ts";
import { versionLabel } from "./versionchanges.ts";
import { fetchVersions } from "./versions.ts";

const found = resource(
  "find the versions",
  () => {
    const { route, service, type, base } = urlState.value;
    const by = versionLabel(ownLabels.value ?? {});
    const shown = route === "explore" && placeOf("base") === "" && timeline.value.state === "ready";
    if (!shown || !service || !type || !by) return null;
    return { query: type + selector(service, base.filters), by, ...span.value, at: clock.value };
  },
  ({ query, by, ...range }, signal) => fetchVersions(query, by, range, signal),
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
