/** What the panel of labels shows: the values of one label over time. */
import { computed } from "@preact/signals";
import { fetchTimeline } from "../../api.ts";
import { ApiError } from "../../apierror.ts";
import { pointsFor } from "../../time/series.ts";
import { resource } from "../resource.ts";
import { clock } from "../url/clock.ts";
import { urlState } from "../url/router.ts";
import { askInTurn } from "./askinturn.ts";
import { labelOrder } from "./labels.ts";
import { fetchValues } from "./labelseries.ts";
import type { ValueTimelines } from "./labelvalues.ts";
import { ownLabels } from "./ownlabels.ts";
import { placeOf } from "./place.ts";
import { formatMatcher, selector } from "./selector.ts";
import { span } from "./services.ts";

const POINTS = 120;
/** Rows that a person still reads. */
const MOST_VALUES = 50;
/** Each value of a bundle is a question of its own. */
const MOST_OF_A_BUNDLE = 12;

/** Labels to choose of. */
export const names = computed(() => labelOrder(ownLabels.value ?? {}));

/** The label that is shown: that of the link, or the first. Another panel may have left values behind its name. */
export const shownLabel = computed(() => {
  const { by } = urlState.value;
  const name = names.value.includes(by) ? by : labelOf(by);
  return name || (names.value[0] ?? "");
});

/** The link names a label that no profile here has. */
export const unknownLabel = computed(() => {
  const found = ownLabels.value;
  return found !== undefined && shownLabel.value !== "" && !Object.hasOwn(found, shownLabel.value);
});

/** Of "label,before,after", in which each is escaped. */
function labelOf(by: string): string {
  const label = by.replace(/,.*/s, "");
  try {
    return by === label ? by : decodeURIComponent(label);
  } catch {
    return label;
  }
}

export const valueTimelines = resource(
  "read the values of a label",
  () => {
    const { route, panel, service, type, base, window } = urlState.value;
    const by = shownLabel.value;
    if (route !== "explore" || panel !== "labels" || !service || !type || !by) return null;
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
  async (asked, signal): Promise<ValueTimelines> => {
    const { place, service, type, filters, by, from, until } = asked;
    const range = { from, until };
    const points = pointsFor(range, POINTS);
    if (!place) {
      const query = type + selector(service, filters);
      try {
        return { type, ...(await fetchValues(query, range, points, by, MOST_VALUES, signal)) };
      } catch (failure) {
        // Labels of the service need not be those of this type or of what is filtered.
        if (!(failure instanceof ApiError) || failure.status !== 400) throw failure;
        return { type, by, values: [], all: 0, share: 1 };
      }
    }
    return { type, ...(await valuesOfBundle(asked, points, signal)) };
  },
  ({ subject }) => subject,
  "dropped",
);

interface AskedOfBundle {
  place: string;
  service: string;
  type: string;
  filters: string[];
  by: string;
  known: string[];
  from: number;
  until: number;
}

/** A bundle sums by no label: each value is asked for by itself, and all together. */
async function valuesOfBundle(
  { place, service, type, filters, by, known, from, until }: AskedOfBundle,
  points: number,
  signal: AbortSignal,
): Promise<Omit<ValueTimelines, "type">> {
  const ask = (more: string[]) =>
    fetchTimeline(place, type + selector(service, [...filters, ...more]), { from, until }, points, signal);
  const all = [...new Set([...known, ""])];
  const [whole, ...found] = await askInTurn(
    [null, ...all.slice(0, MOST_OF_A_BUNDLE)],
    async (value) => {
      const timeline = await ask(value === null ? [] : [formatMatcher({ name: by, op: "=", value })]);
      const total = timeline.points.reduce((sum, point) => sum + point, 0);
      return { ...timeline, value: value ?? "", total };
    },
    signal,
  );
  const values = found.filter(({ profiles }) => profiles > 0).sort((a, b) => b.total - a.total);
  const shown = values.reduce((sum, { total }) => sum + total, 0);
  const hidden = Math.max(0, all.length - MOST_OF_A_BUNDLE);
  return { by, values, all: values.length + hidden, share: whole.total === 0 ? 1 : shown / whole.total };
}
