/** How charts draw the steps of a series: those in which profiles begin or end by what they cover. */
import { isPartlyCovered } from "./covered.ts";
import type { Span } from "./range.ts";
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

/**
 * The column of each step. That of a partly covered step is as wide as what profiles cover. It touches the neighbour that is
 * covered more, so that a pause within two steps is one gap; if both are covered as much, it touches the left one.
 */
export function columnsOf({ covered, step, average }: Pick<Series, "covered" | "step" | "average">): Column[] {
  const isPartly = (at: number) => isPartlyCovered({ covered, step }, at);
  const isWhole = (at: number) => covered[at] > 0 && !isPartly(at);
  return covered.map((millis, at) => {
    const [before, after] = [covered[at - 1] ?? 0, covered[at + 1] ?? 0];
    const isLone = isWhole(at - 1) && isWhole(at + 1);
    const isFirstOfTwo = isWhole(at - 1) && isPartly(at + 1) && isWhole(at + 2);
    const isSecondOfTwo = isWhole(at - 2) && isPartly(at - 1) && isWhole(at + 1);
    const atEdge = before === 0 || after === 0;
    if (average || !isPartly(at) || !(atEdge || isLone || isFirstOfTwo || isSecondOfTwo)) return { from: 0, until: 1 };
    const touchesRight = isSecondOfTwo || (!isFirstOfTwo && before < after);
    return touchesRight ? { from: 1 - millis / step, until: 1 } : { from: 0, until: millis / step };
  });
}

/** From where the first to where the last profiles of a series are drawn; null without any. */
export function drawnSpan(series: Pick<Series, "start" | "step" | "covered" | "average">): Span | null {
  const { start, step, covered } = series;
  const [first, last] = [covered.findIndex((millis) => millis > 0), covered.findLastIndex((millis) => millis > 0)];
  if (first < 0) return null;
  const columns = columnsOf(series);
  return { from: start + (first + columns[first].from) * step, until: start + (last + columns[last].until) * step };
}

/** A value, and from where to where it is drawn, in steps. */
export interface Piece extends Column {
  value: number | null;
}

/** What values of steps are drawn as, from left to right; a gap between two columns is a piece with the value 0. */
export function piecesOf(columns: Column[], values: (number | null)[]): Piece[] {
  return columns.flatMap(({ from, until }, at) => {
    const [value, next] = [values[at] ?? null, columns[at + 1]];
    const piece = { from: at + from, until: at + until, value };
    if (!next || until === 1 + next.from) return [piece];
    const isKnown = value !== null && (values[at + 1] ?? null) !== null;
    return [piece, { from: piece.until, until: at + 1 + next.from, value: isKnown ? 0 : null }];
  });
}

/** What a small chart draws: after the last profiles there is nothing yet, unless profiles have ended. */
export function smallPieces(series: Series, hasEnded: boolean): Piece[] {
  const { values, covered } = series;
  const last = covered.findLastIndex((millis) => millis > 0);
  const known = values.map((value, at) => (at > last && last >= 0 && !hasEnded ? null : value));
  return piecesOf(columnsOf(series), known);
}
