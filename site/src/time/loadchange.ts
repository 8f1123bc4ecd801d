/**
 * Where the load of a service changes within a range: at a deploy, at another time, gradually, or for a short while.
 *
 * Only steps with profiles count, so a gap isn't a drop. Traffic comes in waves that last many steps, so the spread from step
 * to step says little: whole stretches before and after a change are compared instead.
 */
import { changeRatio, type LoadChange } from "./changeratio.ts";
import {
  bestCut,
  centreOf,
  slopeOf,
  squares,
  squaresAroundCurve,
  squaresAroundLevels,
  squaresAroundLine,
} from "./fit.ts";
import { isAtEnd, spike, standingOut } from "./loadspike.ts";
import { isPart, type Load, type LoadSeries, loadIn, mean, type Step, toQuarters } from "./loadsteps.ts";
import { isRollout } from "./rollout.ts";

/** A version of the program, the first and the last step that have profiles of it, and when it began. */
export interface VersionSteps {
  version: string;
  step: number;
  last: number;
  time: number;
}

interface Sides {
  before: Step[];
  after: Step[];
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
/** In a short series, fewer steps on each side are enough, if the levels are farther apart. */
const YOUNG = { steps: 5, part: 0.4, gap: 0.5 };

/** The largest change in a series; null where nothing stands out. */
export function loadChange(series: LoadSeries, versions: VersionSteps[]): LoadChange | null {
  const load = loadIn(series);
  if (!load) return null;
  const short = levelAtEnd(load) ?? spike(load);
  const away = short?.kind === "spike" ? null : whileAway(load);
  const found = [...deploys(load, versions), away ?? level(load), away ? null : short];
  const known = found.filter((change) => change !== null);
  // A shift at a deploy is told as that, and one that lasts before one that is over.
  const atDeploys = known.filter(({ kind }) => kind === "deploy");
  return largest(atDeploys.filter(({ lasted }) => lasted === undefined)) ?? largest(atDeploys) ?? largest(known);
}

function largest(changes: LoadChange[]): LoadChange | null {
  const size = (change: LoadChange) => Math.abs(Math.log(changeRatio(change)));
  return changes.reduce<LoadChange | null>((best, one) => (best && size(best) >= size(one) ? best : one), null);
}

/** Each version that begins inside the steps, against the one before it, but for one that only undid the deploy before it. */
function deploys(load: Load, versions: VersionSteps[]): (LoadChange | null)[] {
  const inOrder = [...versions].sort((a, b) => a.time - b.time);
  const all = inOrder.slice(1).map(({ version, step, time }, i) => {
    const [previous, next] = [inOrder[i], inOrder[i + 2]];
    const begin = i === 0 ? previous.step : rolloutEnd(previous.step, inOrder[i - 1].last, step) + 1;
    const end = next?.step ?? Number.POSITIVE_INFINITY;
    const rolledOut = rolloutEnd(step, previous.last, Math.min(end, load.counts.length));
    const sides = (steps: Step[]): Sides => ({
      before: steps.filter(({ at }) => at >= begin && at < step),
      after: steps.filter(({ at }) => at > rolledOut && at < end),
    });
    const inner = sides(load.steps);
    if (isElsewhere(inner, step, previous.last) || isTrend(inner)) return null;
    const versions = { before: previous.version, after: version };
    const found = shift(load, inner, sides(load.whole), DEPLOY, { kind: "deploy", versions, from: time });
    const nextEnd = inOrder[i + 3]?.step ?? Number.POSITIVE_INFINITY;
    const rest = load.steps.filter(({ at }) => at >= end && at < nextEnd).map(({ value }) => value);
    const isUndone = rest.length >= DEPLOY.steps && found && isBackAt(mean(rest.slice(0, LEVEL.steps)), found);
    const alone = load.firsts[inner.after[0]?.at];
    return found && { ...found, alone, lasted: isUndone ? next.time - time : undefined };
  });
  const told: (LoadChange | null)[] = [];
  // What is left out undid nothing: the next one may be the first again, for good.
  for (const one of all) told.push(told.at(-1)?.lasted === undefined ? one : null);
  return told;
}

/** Whether a load is nearly what it was before a change. */
function isBackAt(value: number, { before, after }: LoadChange): boolean {
  return Math.abs(value - before) <= BACK.part * Math.abs(after - before);
}

/** The last step of a rollout, in which both versions run: the one in which the new version begins, or a later one. */
function rolloutEnd(began: number, previousLast: number, end: number): number {
  return isRollout({ from: began, until: previousLast }, end) ? Math.max(began, previousLast) : began;
}

/** Whether the load changed before a rollout from one step to another, or after it. */
function isElsewhere({ before, after }: Sides, from: number, until: number): boolean {
  const both = [...before, ...after];
  const cut = bestCut(both, DEPLOY.steps);
  if (cut < 0 || (from - both[cut].at <= ELSEWHERE.steps && both[cut].at - until <= ELSEWHERE.steps)) return false;
  const atBest = squares(both.slice(0, cut)) + squares(both.slice(cut));
  return squares(before) + squares(after) > ELSEWHERE.squares * atBest;
}

/** Each side of a steady load is at least so steep, as a part of the whole. */
const LEAST_SLOPE = 0.5;
/** A smaller part of a difference is no jump. */
const LEAST_JUMP = 1 / 4;

/** Levels of stairs that are held against a line, and of how many steps at least. */
const STAIRS = { levels: 4, steps: 9 };

/** Whether the load rose or fell steadily before, and only went on with that after. */
export function isGradual(sides: Sides): boolean {
  const all = [...sides.before, ...sides.after];
  const slope = slopeOf([all]);
  return (
    isTrend(sides) &&
    [sides.before, sides.after].every((side) => slopeOf([side]) / slope >= LEAST_SLOPE) &&
    !areStairs(all)
  );
}

/** Whether levels explain steps better than a line does, which has fewer parameters: of levels also where each ends. */
function areStairs(steps: Step[]): boolean {
  const { levels, steps: fewest } = STAIRS;
  const variance = (squares: number, parameters: number) => squares / (steps.length - parameters);
  const atLevels = () => variance(squaresAroundLevels(steps, levels), 2 * levels - 1);
  return steps.length >= fewest && variance(squaresAroundLine(steps), 2) >= atLevels();
}

/** Whether a line explains both sides clearly better than two levels, without a jump between them. */
function isTrend(sides: Sides): boolean {
  const { before, after } = sides;
  const [from, to] = [centreOf(before), centreOf(after)];
  const difference = to.value - from.value;
  const jump = difference - slopeOf([before, after]) * (to.at - from.at);
  return Math.abs(jump) < LEAST_JUMP * Math.abs(difference) && isAlong(squaresAroundLine, sides);
}

/** Whether a line or a curve explains both sides clearly better than two levels. */
function isAlong(squaresAround: (steps: Step[]) => number, { before, after }: Sides): boolean {
  return squares(before) + squares(after) > STEADY * squaresAround([...before, ...after]);
}

/** A line or a step that leaves only this part of the squares is no wave. What it explains is told from a smaller change on. */
const CLEAR = { change: 0.1, squares: 0.1, steps: 20 };

/** A clear line is told from a smaller change on, as a leak that takes days. */
const LINE = { change: 0.05 };

/** A load that rises or falls along a line, by less than a level needs. */
function line(load: Load): LoadChange | null {
  const { steps } = load;
  return isClear(steps, squaresAroundLine(steps)) ? trend(load, LINE) : null;
}

/** Whether something leaves so little of the squares of steps that it is all there is. */
function isClear(steps: Step[], left: number): boolean {
  return steps.length >= CLEAR.steps && left <= CLEAR.squares * squares(steps);
}

/**
 * After more than this share of the steps at another level, the load is back: within this part of the change, for so many
 * steps. What is shorter is a spike or a short drop.
 */
const BACK = { share: 1 / 3, part: 0.35, steps: 2 };

/** A load that leaves its level at once, and comes back to it at once. */
function whileAway(load: Load): LoadChange | null {
  const { steps, firsts } = load;
  const cut = bestCut(steps, BACK.steps);
  if (cut < 0) return null;
  const [left, right] = [bestCut(steps.slice(0, cut), BACK.steps), bestCut(steps.slice(cut), BACK.steps)];
  const pairs = [...(left < 0 ? [] : [[left, cut]]), ...(right < 0 ? [] : [[cut, cut + right]])];
  const parts = ([from, until]: number[]) => [steps.slice(0, from), steps.slice(from, until), steps.slice(until)];
  const around = (pair: number[]) => parts(pair).reduce((sum, part) => sum + squares(part), 0);
  const best = pairs.sort((a, b) => around(a) - around(b))[0];
  if (!best) return null;
  const [before, away, back] = parts(best);
  const [from, to, end] = [before, away, back].map((part) => centreOf(part).value);
  // Three levels explain it clearly better than two, or a curve.
  const others = Math.min(squares([...before, ...away]) + squares(back), squaresAroundCurve(steps));
  const isBack = Math.abs(end - from) <= BACK.part * Math.abs(to - from);
  // What is shorter may be a part of a wave, unless it is far from both ends and nothing else varies.
  const isAlone = Math.min(before.length, back.length) >= LEVEL.steps && isClear(steps, around(best));
  const isShort = before.length < NEAREST || (away.length <= BACK.share * steps.length && !isAlone);
  // Waves rise and fall over many steps.
  const isAt = (level: number, step?: Step) => step && Math.abs(step.value - level) <= BACK.part * Math.abs(to - from);
  const isSteep =
    [before.at(-2), back[1]].every((step) => isAt(from, step)) &&
    [away[1], away.at(-2)].every((step) => isAt(to, step));
  if (!isBack || isShort || !isSteep || others <= STEADY * around(best)) return null;
  if (!areApart({ before, after: away }, GAP) || !areApart({ before: away, after: back }, GAP)) return null;
  const needed = isClear(steps, around(best)) ? CLEAR : LEVEL;
  const found = between(load, { before, after: away }, needed, {
    kind: "level",
    versions: null,
    from: firsts[away[0].at],
  });
  const until = Math.min(firsts[back[0].at], firsts[away[away.length - 1].at] + load.step);
  if (!found) return null;
  // The step in which it ends may have a part of it.
  const late = Math.min(1, Math.max(0, (back[0].value - end) / (to - end)));
  const lasted = Math.round((until - found.moment) / load.step + late) * load.step;
  return { ...found, kind: "spike", until, lasted, rest: restOf(load, before, back) };
}

/** The load after a while at another level, where it is clearly another than before. The first step may have a part of the while. */
function restOf(load: Load, before: Step[], [, ...after]: Step[]): number | undefined {
  return after.length >= YOUNG.steps && areApart({ before, after }) ? loadOf(load, after) : undefined;
}

/** How much of each end is looked at, and the part of the change that is left at the end of a load that doesn't come back. */
const RETURN = { end: 1 / 12, left: 0.75 };

/** Whether the last steps are much nearer to the first ones than the levels are to each other. */
function comesBack(steps: Step[], { before, after }: LoadChange): boolean {
  const length = Math.ceil(RETURN.end * steps.length);
  const [first, last] = [steps.slice(0, length), steps.slice(-length)].map((end) => centreOf(end).value);
  // A factor that stays multiplies what a wave has at its ends.
  const left =
    first > 0 && last > 0 ? Math.log(last / first) / Math.log(after / before) : (last - first) / (after - before);
  return left < RETURN.left;
}

/**
 * A level that is too near to an end for its place to be sure among waves. It is told from so many steps on, if nothing on
 * one side comes near the other.
 */
const NEAR_END = { steps: 4, gap: 0.75 };

function levelNearEnd(load: Load): LoadChange | null {
  const { steps } = load;
  const cut = bestCut(steps, NEAR_END.steps);
  if (cut < 0) return null;
  const sides = { before: steps.slice(0, cut), after: steps.slice(cut) };
  if (!areApart(sides, NEAR_END.gap)) return null;
  return isAlong(squaresAroundLine, sides) || isAlong(squaresAroundCurve, sides) ? null : levelFrom(load, steps[cut]);
}

function level(load: Load): LoadChange | null {
  return levelInside(load) ?? levelNearEnd(load) ?? line(load);
}

function levelInside(load: Load): LoadChange | null {
  const { steps } = load;
  const young = Math.max(YOUNG.steps, Math.floor(steps.length * YOUNG.part));
  const least = Math.max(Math.min(LEVEL.steps, young), Math.ceil(steps.length / 6));
  const cut = bestCut(steps, least);
  if (cut < 0) return null;
  const inner = { before: steps.slice(0, cut), after: steps.slice(cut) };
  const change = levelFrom(load, steps[cut]);
  if (!change) return null;
  if (!areApart(inner, young < LEVEL.steps ? YOUNG.gap : GAP)) return null;
  // A level that begins nearer to an end than is needed to find it makes the last allowed cut the best one.
  const nearest = bestCut(steps, NEAREST);
  const best = { before: steps.slice(0, nearest), after: steps.slice(nearest) };
  // Halves of the time differ by less than the two sides of the best cut.
  if (isAlong(squaresAroundLine, best)) return trend(load, CLEAR) ?? change;
  // A part of a wave has no moment.
  if (isAlong(squaresAroundCurve, best)) {
    if (comesBack(steps, change)) return null;
    return halves(load) ? trend(load, LEVEL) : change;
  }
  const isCloser = (cut === least && nearest < cut) || (cut === steps.length - least && nearest > cut);
  return isCloser ? levelFrom(load, steps[nearest]) : change;
}

/** What stands out up to an end of the range is a level, since it may go on outside. */
function levelAtEnd(load: Load): LoadChange | null {
  const { whole } = load;
  const values = whole.map(({ value }) => value);
  const runs = ([1, -1] as const).map((sign) => standingOut(values, sign));
  const run = runs.find((run) => run && isAtEnd(run, values));
  if (!run) return null;
  const [first, last] = run;
  if (last + 1 - first < NEAREST) return null;
  const step = whole[first === 0 ? last + 1 : first];
  const sides = sidesOf(load, step.at);
  if (isAlong(squaresAroundLine, sides)) return trend(load, LEVEL);
  return isAlong(squaresAroundCurve, sides) ? null : levelFrom(load, step);
}

/** A level that begins at a step; null where it is about as high as the one before. */
function levelFrom(load: Load, { at }: Step): LoadChange | null {
  const sides = sidesOf(load, at);
  const { before, after } = sides;
  const needed = isClear([...before, ...after], squares(before) + squares(after)) ? CLEAR : LEVEL;
  return between(load, sides, needed, { kind: "level", versions: null, from: load.firsts[at] });
}

/** One half of the time with profiles against the other. */
function trend(load: Load, needed: Pick<typeof LEVEL, "change">): LoadChange | null {
  const found = halves(load);
  return found && between(load, found.sides, needed, { kind: "trend", versions: null, from: found.from });
}

/** Both halves of the time with profiles, and when the second begins; null where a gap leaves hardly anything of one. */
function halves(load: Load): { sides: Sides; from: number } | null {
  const { whole, firsts, step } = load;
  const from = Math.round((firsts[whole[0].at] + firsts[whole[whole.length - 1].at] + step) / 2);
  const sides = sidesOf(load, whole.find(({ at }) => firsts[at] >= from)?.at ?? 0);
  return Math.min(sides.before.length, sides.after.length) < NEAREST ? null : { sides, from };
}

/** The steps before one, and those from it on. */
function sidesOf({ whole }: Load, from: number): Sides {
  return { before: whole.filter(({ at }) => at < from), after: whole.filter(({ at }) => at >= from) };
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
function between(load: Load, sides: Sides, needed: Pick<typeof LEVEL, "change">, found: Found): LoadChange | null {
  const { firsts, step } = load;
  const { before, after } = found.kind === "level" ? withoutShared(load, sides) : sides;
  const means = { before: loadOf(load, before), after: loadOf(load, after) };
  const ratio = changeRatio(means);
  if (!(means.before > 0) || Math.max(ratio, 1 / ratio) < 1 + needed.change) return null;
  const from = after === sides.after ? found.from : firsts[after[0].at];
  // The shared step, or the first after it.
  const shared = sides.before[before.length] ?? (after === sides.after ? undefined : sides.after[0]);
  const next = shared ?? sides.after[0];
  const later = shared ? (shared.value - means.before) / (means.after - means.before) : 0;
  return {
    ...found,
    from,
    moment: from - toQuarters(later) * step,
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

/** The mean of steps; of averages the mean of all their profiles. */
function loadOf({ average, counts }: Load, steps: Step[]): number {
  if (!average) return mean(steps.map(({ value }) => value));
  const [sum, profiles] = steps.reduce(
    ([sum, profiles], { at, value }) => [sum + value * counts[at], profiles + counts[at]],
    [0, 0],
  );
  return sum / profiles;
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
