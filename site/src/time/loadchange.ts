/**
 * Where the load of a service changes within a range: at a deploy, at another time, gradually, or for a short while.
 *
 * Only steps with profiles count, so a gap isn't a drop. Traffic comes in waves that last many steps, so the spread from step
 * to step says little: whole stretches before and after a change are compared instead.
 */
import { changeRatio, type LoadChange } from "./changeratio.ts";
import { type Series, steadyPace } from "./series.ts";

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
/** Stretches before and after a level must be apart by this part of the change. */
const GAP = 0.25;
/** A step that is at least so far from both levels has a part of each. */
const SHARED = 0.2;
/** A spike rises so far above the median, takes at most this part of the steps, and nothing else is nearly as high. */
const SPIKE = { change: 0.4, share: 0.15, longest: 0.34, others: 0.6 };
/** An edge step below this part of the height is only partly in the spike; runs begin and end above half of it. */
const EDGE = 0.56;
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

interface Sides {
  before: Step[];
  after: Step[];
}

interface Load extends LoadSeries {
  /** The steps with profiles but the first and the last, which may be cut off. */
  steps: Step[];
  /** The same with the first and the last, as far as they have as many profiles as others. */
  whole: Step[];
}

/** The largest change in a series; null where nothing stands out. */
export function loadChange(series: LoadSeries, versions: VersionSteps[]): LoadChange | null {
  const all = filledSteps(series);
  const steps = all.slice(CUT, all.length - CUT);
  if (steps.length < FEWEST || series.sparse) return null;
  const usual = median(steps.map(({ at }) => series.counts[at]));
  const isInside = (i: number) => i >= CUT && i < all.length - CUT;
  const whole = all.filter(({ at }, i) => isInside(i) || series.counts[at] >= usual);
  const load = { ...series, steps, whole };
  const found = [...deploys(load, versions), level(load), spike(load)];
  const known = found.filter((change) => change !== null);
  // A shift at a deploy is told as that.
  const atDeploys = known.filter(({ kind }) => kind === "deploy");
  return largest(atDeploys) ?? largest(known);
}

/** The steps with profiles. At a steady pace, one profile more or less in a step is no more or less load. */
function filledSteps({ values, counts, average }: LoadSeries): Step[] {
  const filled = values.flatMap((value, at): Step[] => (counts[at] > 0 && value !== null ? [{ at, value }] : []));
  const [first, last] = [filled[CUT]?.at, filled[filled.length - 1 - CUT]?.at];
  const pace = average ? null : steadyPace(counts.slice(first, last + 1));
  return pace === null ? filled : filled.map(({ at, value }) => ({ at, value: (value * pace) / counts[at] }));
}

function largest(changes: LoadChange[]): LoadChange | null {
  const size = (change: LoadChange) => Math.abs(Math.log(changeRatio(change)));
  return changes.reduce<LoadChange | null>((best, one) => (best && size(best) >= size(one) ? best : one), null);
}

/** Each version that begins inside the steps, against the one before it. */
function deploys(load: Load, versions: VersionSteps[]): (LoadChange | null)[] {
  const inOrder = [...versions].sort((a, b) => a.time - b.time);
  return inOrder.slice(1).map(({ version, step, time }, i) => {
    const [previous, next] = [inOrder[i], inOrder[i + 2]];
    const begin = i === 0 ? previous.step : previous.step + 1;
    const end = next?.step ?? Number.POSITIVE_INFINITY;
    // Both versions run in the step in which one begins.
    const sides = (steps: Step[]): Sides => ({
      before: steps.filter(({ at }) => at >= begin && at < step),
      after: steps.filter(({ at }) => at > step && at < end),
    });
    const inner = sides(load.steps);
    if (isElsewhere(inner, step, previous.last) || isSteady(inner)) return null;
    const versions = { before: previous.version, after: version };
    return shift(load, inner, sides(load.whole), DEPLOY, { kind: "deploy", versions, from: time });
  });
}

/** Whether the load changed before a rollout from one step to another, or after it. */
function isElsewhere({ before, after }: Sides, from: number, until: number): boolean {
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

/** Whether a line explains both sides clearly better than a step between them. */
function isSteady({ before, after }: Sides): boolean {
  return squares(before) + squares(after) > STEADY * squaresAroundLine([...before, ...after]);
}

function level(load: Load): LoadChange | null {
  const { steps } = load;
  const least = Math.max(LEVEL.steps, Math.ceil(steps.length / 6));
  const cut = bestCut(steps, least);
  if (cut < 0) return null;
  const inner = { before: steps.slice(0, cut), after: steps.slice(cut) };
  const change = levelFrom(load, steps[cut]);
  if (!change || !areApart(inner, GAP)) return null;
  // A level that begins nearer to an end than is needed to find it makes the last allowed cut the best one.
  const nearest = bestCut(steps, NEAREST);
  if (isSteady({ before: steps.slice(0, nearest), after: steps.slice(nearest) })) return trend(load) ?? change;
  const isCloser = (cut === least && nearest < cut) || (cut === steps.length - least && nearest > cut);
  return isCloser ? levelFrom(load, steps[nearest]) : change;
}

/** A level that begins at a step; null where it is about as high as the one before. */
function levelFrom(load: Load, { at }: Step): LoadChange | null {
  return between(load, sidesOf(load, at), LEVEL, { kind: "level", versions: null, from: load.firsts[at] });
}

/** One half of the time with profiles against the other; null where a gap leaves hardly anything of one. */
function trend(load: Load): LoadChange | null {
  const { whole, firsts, step } = load;
  const from = Math.round((firsts[whole[0].at] + firsts[whole[whole.length - 1].at] + step) / 2);
  const sides = sidesOf(load, whole.find(({ at }) => firsts[at] >= from)?.at ?? 0);
  if (Math.min(sides.before.length, sides.after.length) < NEAREST) return null;
  return between(load, sides, LEVEL, { kind: "trend", versions: null, from });
}

/** The steps before one, and those from it on. */
function sidesOf({ whole }: Load, from: number): Sides {
  return { before: whole.filter(({ at }) => at < from), after: whole.filter(({ at }) => at >= from) };
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

/** A run of steps that stands out alone from the median, upwards or downwards: its first and last one. */
function standingOut(values: number[], sign: 1 | -1): [number, number] | null {
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

/** A short run that stands out alone; at an end of the range it is a level, since it may go on outside. */
function spike(load: Load): LoadChange | null {
  const { whole: steps, firsts, step } = load;
  const values = steps.map(({ value }) => value);
  const atEnd = ([first, last]: [number, number]) => first === 0 || last === values.length - 1;
  const high = standingOut(values, 1);
  const low = standingOut(values, -1);
  const cut = [high, low].find((run) => run && atEnd(run));
  if (cut) {
    const [first, last] = cut;
    if (last + 1 - first < NEAREST) return null;
    const at = steps[first === 0 ? last + 1 : first];
    return isSteady(sidesOf(load, at.at)) ? trend(load) : levelFrom(load, at);
  }
  if (!high) return null;
  let [first, last] = high;
  const others = values.filter((_, i) => i < first - 1 || i > last + 1);
  const base = mean(others);
  const top = Math.max(...values);
  // It begins and ends within steps, which count towards its length, not its load.
  const edges = values.slice(first - 1, last + 2);
  const begin = first;
  const isEdge = (i: number) => first < last && values[i] - base < EDGE * (top - base);
  while (isEdge(first)) first++;
  while (isEdge(last)) last--;
  const run = steps.slice(first, last + 1);
  const after = mean(run.map(({ value }) => value));
  const parts = edges.reduce((sum, value) => sum + Math.min(1, Math.max(0, (value - base) / (after - base))), 0);
  // It is held against as much time right before it; where that has gaps or is low, against all else.
  const isShared = begin > 1 && isPart(values[begin - 1], base, after);
  const end = isShared ? begin - 1 : begin;
  const previous = steps.slice(Math.max(end - run.length, 0), end);
  const level = mean(previous.map(({ value }) => value));
  const isWhole = previous.length === run.length && previous[0].at === steps[end].at - run.length;
  const usable = isWhole && run[run.length - 1].at - run[0].at < run.length && level >= LEAST_BEFORE * base;
  const from = firsts[run[0].at];
  const length = (run[run.length - 1].at + 1 - run[0].at) * step;
  return {
    kind: "spike",
    from,
    until: from + length,
    since: usable ? firsts[steps[end].at] - length : firsts[steps[0].at],
    beforeUntil: firsts[steps[end].at],
    before: usable ? level : base,
    after,
    lasted: Math.max(1, Math.round(parts)) * step,
    versions: null,
  };
}

interface Found {
  kind: "deploy" | "level" | "trend";
  versions: LoadChange["versions"];
  from: number;
}

/** Two runs of steps, where they differ enough and clearly. What is told is of whole ones. */
function shift(load: Load, inner: Sides, whole: Sides, needed: typeof LEVEL, found: Found): LoadChange | null {
  if (Math.min(inner.before.length, inner.after.length) < needed.steps) return null;
  return areApart(inner) ? between(load, whole, needed, found) : null;
}

/** What changed from one run of steps to another; null where it isn't enough. */
function between(load: Load, sides: Sides, needed: typeof LEVEL, found: Found): LoadChange | null {
  const { firsts, step } = load;
  const { before, after } = found.kind === "level" ? withoutShared(load, sides) : sides;
  const means = { before: loadOf(load, before), after: loadOf(load, after) };
  const ratio = changeRatio(means);
  if (!(means.before > 0) || Math.max(ratio, 1 / ratio) < 1 + needed.change) return null;
  const from = after === sides.after ? found.from : firsts[after[0].at];
  // The shared step, or the first after it.
  const next = sides.before[before.length] ?? sides.after[0];
  return {
    ...found,
    from,
    until: firsts[after[after.length - 1].at] + step,
    since: firsts[before[0].at],
    beforeUntil: Math.min(found.from, firsts[next.at]),
    ...means,
  };
}

/** Both sides without the step between them that has a part of each. */
function withoutShared(load: Load, { before, after }: Sides): Sides {
  const [last, first] = [before[before.length - 1], after[0]];
  const rest = { before: before.slice(0, -1), after: after.slice(1) };
  if (last.at + 1 !== first.at || Math.min(rest.before.length, rest.after.length) === 0) return { before, after };
  const means = [loadOf(load, rest.before), loadOf(load, rest.after)] as const;
  if (isPart(last.value, ...means)) return { before: rest.before, after };
  return isPart(first.value, ...means) ? { before, after: rest.after } : { before, after };
}

/** Whether a value is clearly between two others. */
function isPart(value: number, before: number, after: number): boolean {
  const part = (value - before) / (after - before);
  return part > SHARED && part < 1 - SHARED;
}

/** The mean of steps; of averages the mean of all their profiles. */
function loadOf({ average, counts }: Load, steps: Step[]): number {
  if (!average) return mean(steps.map(({ value }) => value));
  const [sum, profiles] = steps.reduce(
    ([sum, profiles], { at, value }) => [sum + value * counts[at], profiles + counts[at]],
    [0, 0],
  );
  return sum / profiles;
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

/**
 * Whether no stretch of the steps after is as low as the highest of those before, or the other way round. Stretches are half
 * as long as the shorter side, so waves that are shorter than it average out, and longer ones are seen in both.
 */
function areApart({ before, after }: Sides, gap = 0): boolean {
  const [first, second] = [before, after].map((steps) => steps.map(({ value }) => value));
  const length = Math.ceil(Math.min(first.length, second.length) / 2);
  const [a, b] = [first, second].map((values) => stretches(values, length));
  const least = gap * Math.abs(mean(second) - mean(first));
  return Math.min(...b) - Math.max(...a) > least || Math.min(...a) - Math.max(...b) > least;
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
