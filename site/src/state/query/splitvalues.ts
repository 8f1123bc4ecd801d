/** Finds the values of the label by which the timeline of /explore is split. */
import { computed, effect } from "@preact/signals";
import { pointsFor } from "../../time/series.ts";
import { resource } from "../resource.ts";
import { clock } from "../url/clock.ts";
import { exploreRoute } from "../url/router.ts";
import { labelOrder } from "./labels.ts";
import { readValues } from "./labelseries.ts";
import { SERIES_COLOURS, splitOf } from "./labelvalues.ts";
import { split, timeline } from "./loadexplore.ts";
import { TIMELINE_POINTS } from "./merged.ts";
import { ownLabels } from "./ownlabels.ts";
import { placeOf } from "./place.ts";
import { span } from "./services.ts";

/** Labels to choose of: those that tell something apart. */
export const splitLabels = computed(() => {
  const found = ownLabels.value ?? {};
  return labelOrder(found).filter((name) => found[name].length > 1);
});

/** The link names a label that no profile here has. */
export const unknownSplit = computed(() => {
  const [found, by] = [ownLabels.value, exploreRoute.value.split];
  return found !== undefined && by !== null && !Object.hasOwn(found, by);
});

/** What the values are of, whatever the range and the filters. */
const subject = computed(() => {
  const { service, type, split: by } = exploreRoute.value;
  return service && type && by ? JSON.stringify([placeOf("base"), service, type, by]) : "";
});

export const splitValues = resource(
  "read the values of a label",
  () => {
    const { service, type, base, split: by } = exploreRoute.value;
    const [place, found] = [placeOf("base"), ownLabels.value];
    if (!subject.value || !by || !found || unknownSplit.value) return null;
    const asked = { place, service, type, filters: base.filters, by, known: place ? found[by] : [] };
    return { ...asked, ...span.value, at: clock.value, subject: subject.value };
  },
  async ({ subject, ...asked }, signal) => {
    const values = await readValues(asked, pointsFor(asked, TIMELINE_POINTS), SERIES_COLOURS, signal);
    return { subject, ...values };
  },
  ({ subject }) => subject,
);

/** Draws the values once the timeline of the same range is there. */
function followValues(): void {
  let subjectShown = "";
  effect(() => {
    const { state, value } = splitValues.value;
    const whole = timeline.value;
    if (state === "ready" && value?.subject === subject.value && whole.state === "ready" && whole.value) {
      split.value = splitOf(whole.value, value);
      subjectShown = subject.value;
    }
    // Until both of the next range are there, both of the former are seen.
    else if (subject.value !== subjectShown || state === "idle" || state === "error") split.value = null;
  });
}
followValues();
