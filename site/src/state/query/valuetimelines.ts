/** What the panel of labels shows: the values of one label over time. */
import { computed } from "@preact/signals";
import { pointsFor } from "../../time/series.ts";
import { resource } from "../resource.ts";
import { formatBy } from "../url/by.ts";
import { clock } from "../url/clock.ts";
import { exploreRoute } from "../url/router.ts";
import { labelOrder } from "./labels.ts";
import { readValues } from "./labelseries.ts";
import { ownLabels } from "./ownlabels.ts";
import { placeOf } from "./place.ts";
import { span } from "./services.ts";

const POINTS = 120;
/** Rows that a person still reads. */
const MOST_VALUES = 50;

/** Labels to choose of. */
export const names = computed(() => labelOrder(ownLabels.value ?? {}));

/** The label that is shown: that of the link, or the first. Another panel may have left values behind its name. */
export const shownLabel = computed(() => {
  const { by } = exploreRoute.value;
  const first = names.value[0] ?? "";
  if (by === null || by === "time" || by === "spans") return first;
  // A name with commas reads like a label with values.
  return names.value.find((name) => name === formatBy(by)) ?? by.label;
});

/** The link names a label that no profile here has. */
export const unknownLabel = computed(() => {
  const found = ownLabels.value;
  return found !== undefined && shownLabel.value !== "" && !Object.hasOwn(found, shownLabel.value);
});

export const valueTimelines = resource(
  "read the values of a label",
  () => {
    const { panel, service, type, base, window } = exploreRoute.value;
    const by = shownLabel.value;
    if (panel !== "labels" || !service || !type || !by) return null;
    const place = placeOf("base");
    const found = ownLabels.value;
    if (!found || unknownLabel.value) return null;
    const known = place ? found[by] : [];
    const subject = JSON.stringify([place, service, type, base, window, by]);
    return {
      place,
      service,
      type,
      filters: base.filters,
      by,
      known,
      ...(window ?? span.value),
      at: clock.value,
      subject,
    };
  },
  (asked, signal) => readValues(asked, pointsFor(asked, POINTS), MOST_VALUES, signal),
  ({ subject }) => subject,
  "dropped",
);
