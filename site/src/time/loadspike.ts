/** A load that is far higher for a while. */
import type { LoadChange } from "./changeratio.ts";
import { type Load, mean, SHARED, toQuarters } from "./loadsteps.ts";
import { median } from "./series.ts";

/** A spike rises so far above the median, takes at most this part of the steps, and nothing else is nearly as high. */
const SPIKE = { change: 0.4, share: 0.15, longest: 0.34, others: 0.6 };
/** An edge step below this part of the height is only partly in the spike; runs begin and end above half of it. */
const EDGE = 0.56;
/**
 * The first or the last step is only partly in the spike, too, if it rises by less than this part of what the steps between them
 * do, and lacks so many times the usual difference of neighbouring steps, both relative to their height.
 */
const CUT = { part: 0.95, usual: 4 };
/** A time before a spike that is lower than this part of the rest is a dip. */
const LEAST_BEFORE = 0.7;

/** The first and the last of some steps. */
type Run = [number, number];

/** Whether a run is at an end of all: it may go on outside. */
export const isAtEnd = ([first, last]: Run, values: number[]): boolean => first === 0 || last === values.length - 1;

/** A run of steps that stands out alone from the median, upwards or downwards. */
export function standingOut(values: number[], sign: 1 | -1): Run | null {
  const middle = median(values);
  const over = (i: number) => sign * (values[i] - middle);
  const top = values.reduce((best, _, i) => (over(i) > over(best) ? i : best), 0);
  const height = over(top);
  // Down to the median's part from which it is as large a rise.
  const least = sign > 0 ? SPIKE.change : SPIKE.change / (1 + SPIKE.change);
  if (!(middle > 0) || height < least * middle) return null;
  let [first, last] = [top, top];
  while (first > 0 && over(first - 1) > height / 2) first--;
  while (last < values.length - 1 && over(last + 1) > height / 2) last++;
  const length = last + 1 - first;
  // A long one has steep sides, which waves don't have.
  const isSteep = [first - 2, last + 2].every((i) => !(over(i) > SHARED * height));
  if (length > (isSteep ? SPIKE.longest : SPIKE.share) * values.length) return null;
  // Next to it are steps of which it takes a part.
  const others = values.map((_, i) => i).filter((i) => i < first - 1 || i > last + 1);
  return others.some((i) => over(i) > SPIKE.others * height) ? null : [first, last];
}

/** A run that stands out alone. */
export function spike(load: Load): LoadChange | null {
  const { whole: steps, firsts, step } = load;
  const values = steps.map(({ value }) => value);
  const high = standingOut(values, 1);
  if (!high || isAtEnd(high, values)) return null;
  let [first, last] = high;
  const others = values.filter((_, i) => i < first - 1 || i > last + 1);
  const base = mean(others);
  const top = Math.max(...values);
  // It begins and ends within steps, which count towards its length, not its load.
  const [begin, end] = high;
  const isEdge = (i: number) => first < last && values[i] - base < EDGE * (top - base);
  while (isEdge(first)) first++;
  while (isEdge(last)) last--;
  const inner = last - first > 1 ? mean(values.slice(first + 1, last)) : top;
  const usual = median(others.slice(1).map((value, i) => Math.abs(value - others[i]))) / base;
  const isCut = (i: number) =>
    first < last && values[i] - base < CUT.part * (inner - base) && inner - values[i] > CUT.usual * usual * inner;
  const [isFirstCut, isLastCut] = [isCut(first), isCut(last)];
  first += Number(isFirstCut);
  last -= Number(isLastCut);
  const run = steps.slice(first, last + 1);
  const after = mean(run.map(({ value }) => value));
  const parts = (from: number, until: number) =>
    values
      .slice(from, until)
      .reduce((sum, value) => sum + Math.min(1, Math.max(0, (value - base) / (after - base))), 0);
  const [early, late] = [parts(begin - 1, first), parts(last + 1, end + 2)];
  // It is held against as much time right before the step in which it may begin, or half as much at the beginning of all; where
  // that has gaps or is low, against all else.
  const past = begin > 1 ? begin - 1 : begin;
  const previous = steps.slice(Math.max(past - run.length, 0), past);
  const level = mean(previous.map(({ value }) => value));
  const isWhole =
    2 * previous.length >= run.length && previous[0].at === steps[begin].at - (begin - past) - previous.length;
  const usable = isWhole && run[run.length - 1].at - run[0].at < run.length && level >= LEAST_BEFORE * base;
  const from = firsts[run[0].at];
  const length = (run[run.length - 1].at + 1 - run[0].at) * step;
  return {
    kind: "spike",
    from,
    until: from + length,
    moment: from - toQuarters(early) * step,
    since: firsts[(usable ? previous : steps)[0].at],
    beforeUntil: firsts[steps[past].at],
    before: usable ? level : base,
    after,
    lasted: Math.max(1, Math.round(parts(begin - 1, end + 2))) * step,
    extent: { from: from - early * step, until: from + length + late * step },
    versions: null,
  };
}
