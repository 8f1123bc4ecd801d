/** Values over time as they are drawn: of the answer to a timeline query. */
import type { Timeline } from "../api.ts";
import type { Span } from "./range.ts";

export interface Series {
  start: number;
  step: number;
  /** Sums, or averages a profile; null where an average has no profile. */
  values: (number | null)[];
  counts: number[];
  /** Whether the values are averages a profile. */
  average: boolean;
  /** Profiles come so seldom that most steps have none: a step says nothing about the time around it. */
  sparse: boolean;
  total: number;
}

/**
 * Agents push every 10, 15 or 30 seconds, and all of these divide this: shorter steps would have no profile, or by turns one
 * and two, which looks like an outage.
 */
export const SHORTEST_STEP = 30_000;

/** Most steps that are merged into one; what comes more seldom is drawn as it is. */
const MAX_MERGED = 12;
/**
 * The same where they have a push each, at a steady pace: with steps of half a minute, an agent that pushes every ten minutes
 * has no gaps. A job has many profiles in the steps in which it runs.
 */
const MAX_MERGED_PUSHES = 30;
/** How much longer than the median the usual gap is of what comes at a steady pace. */
const STEADY = 1.5;

/** A gap that is so many times as long as the median is a pause. */
const PAUSE = 3;
/**
 * Agents push more often than this. Steps that are farther apart and have many profiles each are runs, as of an hourly job.
 */
const LONGEST_INTERVAL = 10 * 60_000;

/** How many steps to ask for. */
export function pointsFor({ from, until }: Span, most: number): number {
  const step = Math.max(SHORTEST_STEP, (until - from) / most);
  // One more, since the server's steps are round and may begin before the span.
  return Math.floor((until - from) / step) + 1;
}

/** What the steps of a series cover. */
export function stepsSpan({ start, step, values }: Pick<Series, "start" | "step" | "values">): Span {
  return { from: start, until: start + step * values.length };
}

/** The series of an answer, in steps `factor` times as long. It is sparse where too many steps would be one, or only one is filled. */
export function seriesOf(
  { start, step, points, counts }: Timeline,
  average: boolean,
  factor = mergeFactor(counts),
): Series {
  // What does not divide evenly is at the start, where the range cuts a step anyway.
  const first = points.length % factor;
  const sums = merged(points, factor);
  const profiles = merged(counts, factor);
  const [total, all] = [points, counts].map((numbers) => numbers.reduce((sum, n) => sum + n, 0));
  return {
    start: start - (first === 0 ? 0 : factor - first) * step,
    step: step * factor,
    values: average ? sums.map((sum, i) => (profiles[i] === 0 ? null : sum / profiles[i])) : sums,
    counts: profiles,
    average,
    sparse: isLone(counts) || (usualGap(counts) > mostMerged(counts) && !areBursts(counts)),
    total: average ? (all === 0 ? 0 : total / all) : total,
  };
}

/**
 * How many steps to merge into one, so that an agent that pushes less often than every step leaves no step empty: as many as
 * lie between two filled ones. The widest gap and one in twenty do not count, which may be outages. What comes more seldom,
 * or irregularly, stays as it is.
 */
export function mergeFactor(counts: number[]): number {
  const gap = areBursts(counts) ? medianGap(counts) : usualGap(counts);
  if (gap > mostMerged(counts)) return 1;
  return gap === 1 && isSawtooth(counts) ? 2 : gap;
}

function mostMerged(counts: number[]): number {
  const filled = counts.filter((count) => count > 0);
  const isPushes = filled.every((count) => count <= FEW) && usualGap(counts) <= STEADY * medianGap(counts);
  return isPushes ? MAX_MERGED_PUSHES : MAX_MERGED;
}

/** Whether one step alone has profiles: how long they stand for isn't known. */
function isLone(counts: number[]): boolean {
  return counts.length > 1 && counts.filter((count) => count > 0).length === 1;
}

/** Two steps together nearly always have as many profiles, single ones don't: an agent pushes every 20 s into steps of 30. */
function isSawtooth(counts: number[]): boolean {
  const filled = counts.slice(
    counts.findIndex((count) => count > 0),
    counts.findLastIndex((count) => count > 0) + 1,
  );
  const even = (numbers: number[]) => {
    const usual = median(numbers);
    return numbers.filter((n) => n === usual).length / numbers.length;
  };
  return filled.length >= 8 && even(filled) < 0.7 && even(merged(filled, 2)) >= 0.9;
}

/**
 * Whether each step with profiles is a run of a job: it has many, and the next is farther than any interval between pushes.
 * Its runs are drawn one by one; loads are compared by merged steps, which hold whole runs wherever steps begin.
 */
export function areRuns({ counts, step }: Pick<Timeline, "counts" | "step">): boolean {
  const filled = counts.filter((count) => count > 0);
  return (
    filled.length > 1 && median(filled) > FEW && usualGap(counts) > 1 && medianGap(counts) * step > LONGEST_INTERVAL
  );
}

/** Whether profiles come in bursts that are far apart: pauses between them take half of the time and more. */
function areBursts(counts: number[]): boolean {
  const gaps = gapsIn(counts);
  const pauses = gaps.filter((gap) => gap > PAUSE * medianGap(counts));
  const sum = (of: number[]) => of.reduce((all, gap) => all + gap, 0);
  return pauses.length > 0 && 2 * sum(pauses) >= sum(gaps);
}

/** How many steps lie between two that have profiles. */
function usualGap(counts: number[]): number {
  const gaps = gapsIn(counts);
  // One alone is all that is known.
  const pauses = gaps.length < 2 ? 0 : Math.max(1, Math.floor(gaps.length / 20));
  return gaps.at(-1 - pauses) ?? 1;
}

/** The same as often as not: pauses and the ends of processes don't count. */
export function medianGap(counts: number[]): number {
  return median(gapsIn(counts), 1);
}

/** Each number of steps from one with profiles to the next, the smallest first. */
function gapsIn(counts: number[]): number[] {
  const filled = counts.flatMap((count, i) => (count > 0 ? [i] : []));
  const gaps = filled.slice(1).map((at, i) => at - filled[i]);
  return gaps.sort((a, b) => a - b);
}

const MINUTE = 60_000;
/** A pause of less than this is no news. */
const LEAST_QUIET = 5 * MINUTE;

/**
 * For how long there have been no profiles at the end of a timeline, up to `until`; 0 where the usual time between two explains
 * it. Rounded down to minutes, or of a long span to its steps. A profile comes when its time is over, so the next one may begin
 * twice the usual time ago.
 */
export function quietMillis(
  { start, step, counts }: Pick<Timeline, "start" | "step" | "counts">,
  until: number,
): number {
  const last = counts.findLastIndex((count) => count > 0);
  const empty = counts.length - 1 - last;
  const millis = Math.max(0, Math.floor((until - start - (last + 1) * step) / MINUTE)) * MINUTE;
  // Of two steps with profiles, the gap may be a pause.
  const gap = gapsIn(counts).length > 1 ? usualGap(counts) : 1;
  // Where each step has profiles, the usual gap is shorter than a step; where it has several, far shorter.
  const perPush = profilesAtOnce(counts);
  const isDense = counts.filter((count) => count > perPush).length > counts.filter((count) => count === perPush).length;
  const usual = gap > 1 ? 3 * gap : isDense ? 0 : 1;
  const pushes = counts.reduce((sum, count) => sum + count, 0) / perPush;
  const filled = counts.filter((count) => count > 0).length;
  const interval = (gap > 1 ? gap : filled / pushes) * step;
  // The last profile of an agent that pushes seldom covers minutes after it began.
  const quiet = interval > MINUTE ? Math.floor((millis - interval) / MINUTE) * MINUTE : millis;
  return last >= 0 && empty > usual && quiet >= LEAST_QUIET && millis >= 2 * interval ? quiet : 0;
}

/**
 * The factor of each of several timelines for steps of one length, the longest that any of them needs, but for those with too
 * few pushes to tell. One that is still of a former range has steps of its own.
 */
export function commonFactors(timelines: Timeline[]): number[] {
  const isTold = ({ counts }: Timeline) => gapsIn(counts).length > 1;
  const told = timelines.some(isTold) ? timelines.filter(isTold) : timelines;
  const longest = Math.max(...told.map(({ step, counts }) => step * mergeFactor(counts)));
  return timelines.map(({ step }) => Math.max(1, Math.round(longest / step)));
}

/** The same for drawing: runs of a job are drawn one by one. */
export function drawnFactors(timelines: Timeline[], isJob = timelines.every(areRuns)): number[] {
  return isJob ? timelines.map(() => 1) : commonFactors(timelines);
}

/** So many profiles at once may be of one push; more are of several. */
const FEW = 4;

/** Pushes in a step that is longer than the interval between two. */
const PUSHES = { least: 2, most: 3 };

/**
 * How many profiles come at once where processes push at the same time; 1 if that can't be told. Of many processes, steps with
 * two or three times as many profiles as others tell.
 */
export function profilesAtOnce(counts: number[]): number {
  const common = counts.filter((count) => count > 0).reduce(commonDivisor, 0);
  const most = Math.max(0, ...counts) / Math.max(1, common);
  const isTold = common <= FEW || (most >= PUSHES.least && most <= PUSHES.most);
  return common > 0 && isTold ? common : 1;
}

export function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}

/** The middle one, the upper of two, or what there is of none. */
export function median(values: number[], none = 0): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? none;
}

/** The sum of several lists, number by number. */
export function sumOf(lists: number[][]): number[] {
  return lists.reduce((sums, list) => list.map((n, i) => n + (sums[i] ?? 0)), []);
}

/** Sums of `factor` numbers each, of fewer at the start. */
export function merged(numbers: number[], factor: number): number[] {
  if (factor === 1) return numbers;
  const offset = (factor - (numbers.length % factor)) % factor;
  const sums = new Array<number>(Math.ceil(numbers.length / factor)).fill(0);
  for (const [i, n] of numbers.entries()) sums[Math.floor((i + offset) / factor)] += n;
  return sums;
}
