/** How charts draw the steps of a series: those in which profiles begin or end by what they cover. */
import { isPartlyCovered } from "./covered.ts";
import { drawnFactors, type Series, type Steps, seriesOf } from "./series.ts";

/** The series of a chart. */
export function drawnSeries(timeline: Steps, average: boolean): Series {
  return seriesOf(timeline, average, drawnFactors([timeline])[0]);
}

/** From where to where in a step a column is drawn, as parts of it. */
export interface Column {
  from: number;
  until: number;
}

/** Where profiles begin or end within a step, its column is as wide as what they cover; an empty step beside it reaches as far. */
export function columnsOf({ covered, step, average }: Pick<Series, "covered" | "step" | "average">): Column[] {
  const columns = covered.map((): Column => ({ from: 0, until: 1 }));
  for (const at of covered.keys()) {
    const [before, after] = [covered[at - 1] > 0, covered[at + 1] > 0];
    if (average || (before && after) || !isPartlyCovered({ covered, step }, at)) continue;
    const part = covered[at] / step;
    const beside = columns[after ? at - 1 : at + 1];
    columns[at] = after ? { from: 1 - part, until: 1 } : { from: 0, until: part };
    if (after && beside) beside.until = 2 - part;
    else if (beside) beside.from = part - 1;
  }
  return columns;
}

/** Values as a small chart draws them: after the last profiles there are none yet, unless profiles have ended. */
export function drawnValues({ values, covered }: Pick<Series, "values" | "covered">, hasEnded: boolean) {
  const last = covered.findLastIndex((millis) => millis > 0);
  return values.map((value, at) => (at > last && last >= 0 && !hasEnded ? null : value));
}
