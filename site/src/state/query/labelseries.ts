/** The series of a label's values, as the server sums them, or a bundle one by one. */
import { fetchTimeline, json } from "../../api.ts";
import { ApiError } from "../../apierror.ts";
import type { Span } from "../../time/range.ts";
import { askInTurn } from "./askinturn.ts";
import type { ValueTimelines } from "./labelvalues.ts";
import { formatMatcher, selector } from "./selector.ts";

/** Each value of a bundle is a question of its own. */
const MOST_OF_A_BUNDLE = 12;

/** Sums in steps, by labels. */
export interface SeriesAnswer {
  start: number;
  step: number;
  series: {
    labels: Record<string, string>;
    total: number;
    profiles: number;
    points: number[];
    counts: number[];
    covered: number[];
    /** How long a profile is on average, in milliseconds; 0 where that is unknown. */
    duration: number;
  }[];
  /** How much of each step the profiles of all series cover, in milliseconds. */
  covered: number[];
  coverage: { series: number; shown: number; share: number };
  rounded: boolean;
}

/** The largest series by these labels; an error where no series has one of them. */
export function fetchSeries(
  query: string,
  { from, until }: Span,
  points: number,
  by: string[],
  limit: number,
  signal: AbortSignal,
): Promise<SeriesAnswer> {
  const asked = { query, from: Math.round(from), until: Math.round(until), points, by, limit };
  const params = Object.fromEntries(Object.entries(asked).map(([name, value]) => [name, String(value)]));
  return json<SeriesAnswer>("series", params, signal);
}

/** The largest values of a label over time, as the server sums them. */
export async function fetchValues(
  query: string,
  range: Span,
  points: number,
  by: string,
  limit: number,
  signal: AbortSignal,
): Promise<Omit<ValueTimelines, "type">> {
  const { start, step, series, covered, coverage, rounded } = await fetchSeries(
    query,
    range,
    points,
    [by],
    limit,
    signal,
  );
  return {
    by,
    values: series.map(({ labels, ...rest }) => ({ value: labels[by] ?? "", start, step, ...rest })),
    covered,
    all: coverage.series,
    share: coverage.share,
    rounded,
  };
}

export interface AskedValues extends Span {
  place: string;
  service: string;
  type: string;
  filters: string[];
  by: string;
  /** The values that a bundle is asked for. */
  known: string[];
}

/** The largest values of a label over time, wherever the profiles are; of a server at most `limit`. */
export async function readValues(
  asked: AskedValues,
  points: number,
  limit: number,
  signal: AbortSignal,
): Promise<ValueTimelines> {
  const { place, service, type, filters, by } = asked;
  if (place) return { type, ...(await valuesOfBundle(asked, points, signal)) };
  try {
    return { type, ...(await fetchValues(type + selector(service, filters), asked, points, by, limit, signal)) };
  } catch (failure) {
    // Labels of the service need not be those of this type or of what is filtered.
    if (!(failure instanceof ApiError) || failure.status !== 400) throw failure;
    return { type, by, values: [], covered: [], all: 0, share: 1, rounded: false };
  }
}

/** A bundle sums by no label: each value is asked for by itself, and all together. */
async function valuesOfBundle(
  { place, service, type, filters, by, known, from, until }: AskedValues,
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
      return { ...timeline, value: value ?? "" };
    },
    signal,
  );
  const values = found.filter(({ profiles }) => profiles > 0).sort((a, b) => b.total - a.total);
  const shown = values.reduce((sum, { total }) => sum + total, 0);
  const hidden = Math.max(0, all.length - MOST_OF_A_BUNDLE);
  const share = whole.total === 0 ? 1 : shown / whole.total;
  // The timeline of a bundle does not tell.
  return { by, values, covered: whole.covered, all: values.length + hidden, share, rounded: false };
}
