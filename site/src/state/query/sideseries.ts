/** When there were profiles of each value of a label. */
import { fetchTimeline } from "../../api.ts";
import { ApiError } from "../../apierror.ts";
import type { Span } from "../../time/range.ts";
import { pointsFor } from "../../time/series.ts";
import { fetchSeries, type SeriesAnswer } from "./labelseries.ts";
import { selector } from "./selector.ts";

/** Whose series they are. */
interface Selected {
  type: string;
  service: string;
  filters: string[];
}

/** Series, and the labels by which they are divided: not all that were asked for, perhaps. */
export interface SeriesByLabels extends SeriesAnswer {
  by: string[];
}

/** Steps of 30 s in six hours: a young version has few, and loads are of how long it ran. */
const POINTS = 720;
/** More series than a service has by two labels, such as version and process. */
const MOST = 1000;
/** By more labels, which may be divided far finer. */
const MOST_BY_MORE = 100;

/**
 * The series by these labels, by fewer of them where the series are too many or none has all labels, and without labels one of
 * all profiles. Where profiles fill less than half of the range, they are asked for again over that part: of a month a step is
 * hours long, and two versions in one step would seem to run beside each other.
 */
export async function seriesOfProfiles(
  selected: Selected,
  by: string[],
  range: Span,
  stopped: AbortSignal,
): Promise<SeriesByLabels> {
  const found = await seriesBy(selected, by, range, stopped);
  const { start, step, series } = found;
  const firsts = series.map(({ counts }) => counts.findIndex((n) => n > 0)).filter((first) => first >= 0);
  const lasts = series.map(({ counts }) => counts.findLastIndex((n) => n > 0));
  const part = { from: start + Math.min(...firsts) * step, until: start + (Math.max(...lasts) + 1) * step };
  const isSmall = 2 * (part.until - part.from) < range.until - range.from;
  return firsts.length > 0 && isSmall ? seriesBy(selected, by, part, stopped) : found;
}

async function seriesBy(selected: Selected, by: string[], range: Span, stopped: AbortSignal): Promise<SeriesByLabels> {
  const { type, service, filters } = selected;
  const query = type + selector(service, filters);
  if (by.length === 0) {
    const timeline = await fetchTimeline("", query, range, pointsFor(range, POINTS), stopped);
    const { start, step, covered } = timeline;
    return {
      start,
      step,
      series: [{ labels: {}, ...timeline }],
      covered,
      by,
      coverage: { series: 1, shown: 1, share: 1 },
      rounded: false,
    };
  }
  const fewer = by.length > 2 ? by.slice(0, 2) : by.slice(0, -1);
  try {
    const limit = by.length > 2 ? MOST_BY_MORE : MOST;
    const found = await fetchSeries(query, range, pointsFor(range, POINTS), by, limit, stopped);
    // The smallest are left out, which a new version is at first.
    const cut = by.length > 1 && found.coverage.shown < found.coverage.series;
    return cut ? seriesBy(selected, fewer, range, stopped) : { ...found, by };
  } catch (failure) {
    // Labels of the service need not be those of what is filtered.
    if (!(failure instanceof ApiError) || failure.status !== 400) throw failure;
    return seriesBy(selected, fewer, range, stopped);
  }
}
