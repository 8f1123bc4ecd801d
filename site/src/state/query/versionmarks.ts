/** Finds the versions of the range of the timeline, once it is there. Where that fails nothing is marked. */
import { effect } from "@preact/signals";
import { resource } from "../resource.ts";
import { clock } from "../url/clock.ts";
import { exploreRoute } from "../url/router.ts";
import { timeline } from "./loadexplore.ts";
import { ownLabels } from "./ownlabels.ts";
import { selector, withoutValue } from "./selector.ts";
import { span } from "./services.ts";
import { askedVersions, latest, marks, versionsOf } from "./shownmarks.ts";
import { latestTwo, versionChanges, versionText } from "./versionchanges.ts";
import { fetchVersions } from "./versions.ts";

const found = resource(
  "find the versions",
  () => {
    const { service, type, base } = exploreRoute.value;
    const by = askedVersions(ownLabels.value ?? {});
    if (timeline.value.value === undefined || !service || !type || !by) return null;
    // One version alone says nothing of the others.
    const query = type + selector(service, withoutValue(base.filters, by));
    return { of: versionsOf(exploreRoute.value), query, by, ...span.value, at: clock.value };
  },
  async ({ of, query, by, ...range }, signal) => ({ of, ...(await fetchVersions(query, by, range, signal)) }),
  ({ of, by }) => JSON.stringify([of, by]),
  "dropped",
);

effect(() => {
  const { state, value } = found.value;
  // Until the next timeline is there, the former one and its marks are seen.
  if (timeline.value.state === "loading") return;
  if (state === "ready" && value && timeline.value.state === "ready") {
    const { by: label, values } = value;
    marks.value = versionChanges(label, values);
    const two = latestTwo(values);
    const names = two?.map((text) => versionText(text || "none"));
    latest.value =
      two && names
        ? {
            of: value.of,
            sides: { name: label, values: two },
            text: `${label} ${names.join(" and ")}`,
            short: names.join(" → "),
            by: { label, before: two[0], after: two[1] },
          }
        : null;
  } else if (state !== "loading" || !value) {
    marks.value = [];
    latest.value = null;
  }
});
