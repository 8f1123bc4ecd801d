/**
 * Where the load of a service changes within a range: at a deploy, at another time, or for a short while.
 *
 * Only steps with profiles count, so a gap isn't a drop. Traffic comes in waves that last many steps, so the spread from step
 * to step says little: whole stretches before and after a change are compared instead.
 */
import { changeRatio, type LoadChange } from "./changeratio.ts";
import { coveredParts, type Series } from "./series.ts";

/** A series, with the time of the first profiles of each step, which may be merged of several. */
export interface LoadSeries extends Series {
  firsts: number[];
}

/** A version of the program, the first and the last step that have profiles of it, and when it began. */
export interface VersionSteps {
  version: string;
  step: number;
  last: number;
  time: number;
}

/** What must change at least, and the fewest steps on each side. A deploy needs less than a search: its place is known. */
const DEPLOY = { change: 0.1, steps: 3 };
const LEVEL = { change: 0.25, steps: 10 };
/**
 * A deploy explains a change unless the best cut is more than so many steps from its rollout, and leaves so much less of the
 * squares. In 400 simulations each of 40 to 360 steps in waves, one true deploy in 100 at most had a better one.
 */
const ELSEWHERE = { steps: 2, squares: 1.5 };
/** Where a level begins is looked for up to so many steps from an end. */
const NEAREST = 3;
/** A line explains a trend so much better than a step: it leaves so much less of the squares. */
const STEADY = 1.5;
/** A spike rises so far above the median, takes at most this part of the steps, and nothing else is nearly as high. */
const SPIKE = { change: 0.4, share: 0.15, others: 0.6 };
/** A time before a spike that is lower than this part of the rest is a dip. */
const LEAST_BEFORE = 0.7;
/** A step at an end of the profiles is cut off, and says less than there was. */
const CUT = 1;
/** Fewer steps don't show a shape. */
const FEWEST = 8;

interface Step {
  at: number;
  value: number;
}

interface Load extends LoadSeries {
  /** All steps with profiles. */
  all: Step[];
  /** The same without those that are cut. */
  steps: Step[];
}

/** The largest change in a series; null where nothing stands out. */
export function loadChange(series: LoadSeries, versions: VersionSteps[]): LoadChange | null {
  const all = series.values.flatMap((value, at): Step[] =>
    series.counts[at] > 0 && value !== null ? [{ at, value }] : [],
  );
  const steps = all.slice(CUT, all.length - CUT);
  if (steps.length < FEWEST || series.sparse) return null;
  const load = { ...series, steps, all };
  const found = [...deploys(load, versions), level(load), spike(load)];
  const known = found.filter((change) => change !== null);
  // A shift at a deploy is told as that.
  const atDeploys = known.filter(({ kind }) => kind === "deploy");
  return largest(atDeploys) ?? largest(known);
}

function largest(changes: LoadChange[]): LoadChange | null {
  const size = (change: LoadChange) => Math.abs(Math.log(changeRatio(change)));
  return changes.reduce<LoadChange | null>((best, one) => (best && size(best) >= size(one) ? best : one), null);
}

/** Each version that begins inside the steps, against the one before it. */
function deploys(load: Load, versions: VersionSteps[]): (LoadChange | null)[] {
  const { steps } = load;
  const inOrder = [...versions].sort((a, b) => a.time - b.time);
  return inOrder.slice(1).map(({ version, step, time }, i) => {
    const [previous, next] = [inOrder[i], inOrder[i + 2]];
    const end = next?.step ?? Number.POSITIVE_INFINITY;
    // Both versions run in the step in which one begins.
    const before = steps.filter(({ at }) => at > previous.step && at < step);
    const after = steps.filter(({ at }) => at > step && at < end);
    if (isElsewhere(before, after, step, previous.last)) return null;
    const versions = { before: previous.version, after: version };
    return shift(load, before, after, DEPLOY, { kind: "deploy", versions, from: time });
  });
}

/** Whether the load changed before a rollout from one step to another, or after it. */
function isElsewhere(before: Step[], after: Step[], from: number, until: number): boolean {
  const both = [...before, ...after];
  const cut = bestCut(both, DEPLOY.steps);
  if (cut < 0 || (from - both[cut].at <= ELSEWHERE.steps && both[cut].at - until <= ELSEWHERE.steps)) return false;
  const atBest = squares(both.slice(0, cut)) + squares(both.slice(cut));
  return squares(before) + squares(after) > ELSEWHERE.squares * atBest;
}

/** The sum of squares around the mean. */
function squares(steps: Step[]): number {
  const level = mean(steps.map(({ value }) => value));
  return steps.reduce((sum, { value }) => sum + (value - level) ** 2, 0);
}

function level(load: Load): LoadChange | null {
  const { steps } = load;
  const least = Math.max(LEVEL.steps, Math.ceil(steps.length / 6));
  const cut = bestCut(steps, least);
  if (cut < 0) return null;
  const [before, after] = [steps.slice(0, cut), steps.slice(cut)];
  const change = shift(load, before, after, LEVEL, { kind: "level", versions: null, from: load.firsts[steps[cut].at] });
  if (!change) return null;
  if (squares(before) + squares(after) > STEADY * squaresAroundLine(steps)) return trend(load) ?? change;
  // A level that begins nearer to an end than is needed to find it makes the last allowed cut the best one.
  const nearest = bestCut(steps, NEAREST);
  const isCloser = (cut === least && nearest < cut) || (cut === steps.length - least && nearest > cut);
  return isCloser ? levelAt(load, nearest) : change;
}

/** What changed at a step. */
function levelAt(load: Load, cut: number): LoadChange {
  const { steps, firsts } = load;
  const found = { kind: "level" as const, versions: null, from: firsts[steps[cut].at] };
  return between(load, steps.slice(0, cut), steps.slice(cut), found);
}

/** One half of the time with profiles against the other; null where a gap leaves hardly anything of one. */
function trend(load: Load): LoadChange | null {
  const { steps, all, firsts, step } = load;
  const from = Math.round((firsts[all[0].at] + firsts[all[all.length - 1].at] + step) / 2);
  const cut = steps.filter(({ at }) => firsts[at] < from).length;
  if (cut < NEAREST || steps.length - cut < NEAREST) return null;
  return between(load, steps.slice(0, cut), steps.slice(cut), { kind: "trend", versions: null, from });
}

/** The sum of squares around the line that fits best. */
function squaresAroundLine(steps: Step[]): number {
  const [middle, level] = [mean(steps.map(({ at }) => at)), mean(steps.map(({ value }) => value))];
  const sum = (of: (step: Step) => number) => steps.reduce((all, step) => all + of(step), 0);
  const slope = sum(({ at, value }) => (at - middle) * (value - level)) / sum(({ at }) => (at - middle) ** 2);
  return sum(({ at, value }) => (value - level - slope * (at - middle)) ** 2);
}

/** The cut that divides the steps best, by the sum of squares that it explains, with the least on each side; -1 if none. */
function bestCut(steps: Step[], least: number): number {
  const sum = steps.reduce((all, { value }) => all + value, 0);
  let [best, cut, left] = [0, -1, 0];
  for (const [i, { value }] of steps.entries()) {
    const [n, rest] = [i, steps.length - i];
    if (n >= least && rest >= least) {
      const explained = (left / n - (sum - left) / rest) ** 2 * n * rest;
      if (explained > best) [best, cut] = [explained, i];
    }
    left += value;
  }
  return cut;
}

/** A short run of steps that stands out alone. */
function spike(load: Load): LoadChange | null {
  const { steps, firsts } = load;
  const values = steps.map(({ value }) => value);
  const median = [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
  const top = values.indexOf(Math.max(...values));
  const rise = values[top] - median;
  if (!(median > 0) || rise < SPIKE.change * median) return null;
  const isHigh = (i: number) => values[i] > median + rise / 2;
  let [first, last] = [top, top];
  while (first > 0 && isHigh(first - 1)) first--;
  while (last < values.length - 1 && isHigh(last + 1)) last++;
  const run = steps.slice(first, last + 1);
  // Next to it are steps of which it takes a part.
  const others = values.filter((_, i) => i < first - 1 || i > last + 1);
  if (run.length > SPIKE.share * steps.length) return null;
  if (others.some((value) => value > median + SPIKE.others * rise)) return null;
  // Of a run at an end it isn't known how long it is: the load changed where it begins or ends.
  if (first === 0 || last === values.length - 1)
    return run.length < NEAREST ? null : levelAt(load, first === 0 ? last + 1 : first);
  // It is held against as much time right before it; where that has gaps or is low, against all else.
  const previous = steps.slice(Math.max(first - run.length, 0), first);
  const level = mean(previous.map(({ value }) => value));
  const isWhole = previous.length === run.length && previous[0].at === run[0].at - run.length;
  const usable = isWhole && run[run.length - 1].at - run[0].at < run.length && level >= LEAST_BEFORE * mean(others);
  const from = firsts[run[0].at];
  const length = (run[run.length - 1].at + 1 - run[0].at) * load.step;
  return {
    kind: "spike",
    from,
    until: from + length,
    since: usable ? from - length : firsts[steps[0].at],
    before: usable ? level : mean(others),
    after: mean(run.map(({ value }) => value)),
    versions: null,
  };
}

interface Found {
  kind: "deploy" | "level" | "trend";
  versions: LoadChange["versions"];
  from: number;
}

/** Two runs of steps, where they differ enough and clearly. */
function shift(load: Load, before: Step[], after: Step[], needed: typeof LEVEL, found: Found): LoadChange | null {
  if (Math.min(before.length, after.length) < needed.steps) return null;
  const [first, second] = [before, after].map((steps) => steps.map(({ value }) => value));
  const means = { before: mean(first), after: mean(second) };
  const ratio = changeRatio(means);
  const isSmall = Math.max(ratio, 1 / ratio) < 1 + needed.change;
  if (!(means.before > 0) || isSmall) return null;
  return areApart(first, second) ? between(load, before, after, found) : null;
}

/** What changed from one run of steps to another, with what was cut off at the ends. */
function between(load: Load, before: Step[], after: Step[], found: Found): LoadChange {
  const { all, steps, firsts, step } = load;
  const [from, until] = [before[0], after[after.length - 1]];
  const first = from === steps[0] ? all[0] : from;
  const last = until === steps[steps.length - 1] ? all[all.length - 1] : until;
  return {
    ...found,
    since: firsts[first.at],
    until: firsts[last.at] + step,
    before: loadOf(load, first.at, before[before.length - 1].at),
    after: loadOf(load, after[0].at, last.at),
  };
}

/** The load from one step to another: for each step, as far as its time is covered, or of averages for each profile. */
function loadOf({ all, average, counts }: Load, first: number, last: number): number {
  const weights = average ? counts : coveredParts(counts);
  const [sum, weight] = all
    .filter(({ at }) => at >= first && at <= last)
    .reduce(
      ([sum, weight], { at, value }) => [sum + (average ? value * counts[at] : value), weight + weights[at]],
      [0, 0],
    );
  return sum / Math.max(weight, Number.MIN_VALUE);
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

/**
 * Whether no stretch of the second is as low as the highest of the first, or the other way round. Stretches are half as long
 * as the shorter side, so waves that are shorter than it average out, and longer ones are seen in both.
 */
function areApart(first: number[], second: number[]): boolean {
  const length = Math.ceil(Math.min(first.length, second.length) / 2);
  const [a, b] = [first, second].map((values) => stretches(values, length));
  return Math.min(...b) > Math.max(...a) || Math.max(...b) < Math.min(...a);
}

/** The means of all runs of so many values. */
function stretches(values: number[], length: number): number[] {
  const means: number[] = [];
  let sum = 0;
  for (const [i, value] of values.entries()) {
    sum += value - (values[i - length] ?? 0);
    if (i >= length - 1) means.push(sum / length);
  }
  return means;
}
