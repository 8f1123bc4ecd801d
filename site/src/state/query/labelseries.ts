/** The series of a label's values, as the server sums them. */
import { json } from "../../api.ts";
import type { Span } from "../../time/range.ts";
import type { ValueTimelines } from "./labelvalues.ts";

interface SeriesAnswer {
  start: number;
  step: number;
  series: { labels: Record<string, string>; total: number; profiles: number; points: number[]; counts: number[] }[];
  coverage: { series: number; shown: number; share: number };
}

/** The largest values of a label over time, as the server sums them. */
export async function fetchValues(
  query: string,
  { from, until }: Span,
  points: number,
  by: string,
  limit: number,
  signal: AbortSignal,
): Promise<Omit<ValueTimelines, "type">> {
  const asked = { query, from: Math.round(from), until: Math.round(until), points, by, limit };
  const params = Object.fromEntries(Object.entries(asked).map(([name, value]) => [name, String(value)]));
  const { start, step, series, coverage } = await json<SeriesAnswer>("series", params, signal);
  return {
    by,
    values: series.map(({ labels, ...rest }) => ({ value: labels[by] ?? "", start, step, ...rest })),
    all: coverage.series,
    share: coverage.share,
  };
}
