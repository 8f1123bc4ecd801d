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

/**
 * Of each step. Where profiles begin or end within it, its column is as wide as what they cover. A pause that is shorter than two
 * steps leaves none empty: what it leaves of a step is drawn at the side of steps that have more, or at the left if both have.
 */
export function columnsOf({ covered, step, average }: Pick<Series, "covered" | "step" | "average">): Column[] {
  const isPartly = (at: number) => isPartlyCovered({ covered, step }, at);
  const isWhole = (at: number) => covered[at] > 0 && !isPartly(at);
  return covered.map((millis, at) => {
    const [before, after] = [covered[at - 1] > 0, covered[at + 1] > 0];
    const begins = !before || (isPartly(at - 1) && isWhole(at - 2) && isWhole(at + 1));
    const ends = !after || (isWhole(at - 1) && (isWhole(at + 1) || (isPartly(at + 1) && isWhole(at + 2))));
    if (average || !isPartly(at) || !(begins || ends)) return { from: 0, until: 1 };
    return ends ? { from: 0, until: millis / step } : { from: 1 - millis / step, until: 1 };
  });
}

/** A value, and from where to where it is drawn, in steps. */
export interface Piece extends Column {
  value: number | null;
}

/** What values of steps are drawn as, from left to right: between columns that don't meet they are 0. */
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
