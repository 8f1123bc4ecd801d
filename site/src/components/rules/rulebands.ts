/** What the chart of a recording rule draws: its series on top of each other, or as lines. */
import { count } from "../../format/number.ts";
import { isGauge } from "../../format/type.ts";
import { colourToken, SERIES_COLOURS, seriesColours, valueName } from "../../state/query/labelvalues.ts";
import { metricLabel, queryParts, type RuleDraft } from "../../state/query/recordingrule.ts";
import type { RulePreview } from "../../state/query/recordingrules.ts";
import { stackTops } from "../../time/seriessplit.ts";
import type { Band } from "../panels/bandpaths.ts";

/** Averages don't add up: two versions in one step, one after the other, never used the sum of both. */
export type Drawing = "stacked" | "lines";

/** How the series of a rule are drawn where nothing watches them. */
export function drawingOf({ query, group_by }: RuleDraft): Drawing {
  return group_by.length > 0 && isGauge(queryParts(query).type) ? "lines" : "stacked";
}

/** The first series, and all further ones together; lines are only of the first. */
export function bandsOf({ series }: Pick<RulePreview, "series">, by: string[], drawing: Drawing): Band[] {
  const names = series.map(({ labels }) => by.map((name) => valueName(labels[metricLabel(name)] ?? "")).join(", "));
  const colours = seriesColours(names);
  const shown = series.slice(0, SERIES_COLOURS).map(({ points }, i) => ({
    name: names[i],
    colour: by.length === 0 ? "var(--series-rest)" : `var(${colourToken(colours.get(names[i]))})`,
    values: points,
  }));
  const rest = series.slice(SERIES_COLOURS);
  if (drawing === "lines") return shown.map((band) => ({ ...band, below: [] }));
  if (rest.length > 0) {
    const values = rest[0].points.map((_, i) => rest.reduce((sum, { points }) => sum + (points[i] ?? 0), 0));
    shown.push({ name: `${rest.length} more`, colour: "var(--series-rest)", values });
  }
  const tops = stackTops(shown.map(({ values }) => values));
  return shown.map((band, i) => ({ ...band, below: tops[i - 1] ?? [] }));
}

/**
 * Sums as they are drawn: a last step that is still going on is as high as it will be at this rate, and no higher than the
 * others. `part` is how much of it is over.
 */
export function rated(bands: Band[], part: number): Band[] {
  const last = (bands[0]?.values.length ?? 0) - 1;
  const sum = bands.reduce((all, { values }) => all + (values[last] ?? 0), 0);
  if (part >= 1 || part <= 0 || sum === 0) return bands;
  const times = Math.max(1, Math.min(1 / part, peakOf(bands) / sum));
  const scaled = <T extends number | null>(value: T, i: number) =>
    i === last && value !== null ? value * times : value;
  return bands.map((band) => ({ ...band, values: band.values.map(scaled), below: band.below.map(scaled) as number[] }));
}

/** The highest point of the bands; 0 without any. */
export function peakOf(bands: Band[]): number {
  return Math.max(0, ...bands.flatMap(({ values, below }) => values.map((value, i) => (value ?? 0) + (below[i] ?? 0))));
}

/** "3 series", and how many of them are drawn. */
export function seriesCount({ series, series_count }: RulePreview, drawing: Drawing): string {
  if (series_count === 0) return "No series: no profile of this time has what the rule measures";
  const all = `${count(series_count)} series`;
  const drawn = drawing === "lines" ? Math.min(series.length, SERIES_COLOURS) : series.length;
  return drawn < series_count ? `${all}; the chart shows the ${drawn} largest` : all;
}
