/** Values over time as they are drawn: of the answer to a timeline query. */
import type { Timeline } from "../api.ts";
import type { Span } from "./range.ts";

export interface Series {
  start: number;
  step: number;
  /**
   * What each step would have if profiles covered all of it, so that a step in which they begin or end is as high as its load.
   * Averages a profile; null where an average has no profile, and before the first profile if earlier ones may go on until then.
   */
  values: (number | null)[];
  counts: number[];
  /** How much of each step profiles cover, in milliseconds. Those of unknown length cover their step. */
  covered: number[];
  /** Whether the values are averages a profile. */
  average: boolean;
  /** Profiles of unknown length come so seldom that most steps have none: values are amounts, a step says nothing about others. */
  sparse: boolean;
  total: number;
}

/** What says when there were profiles. */
type Counted = Pick<Timeline, "counts" | "covered">;

/** What a series is made of; large sums are decimal text. */
export interface Steps extends Omit<Timeline, "total" | "profiles"> {
  total: number | string;
  /** How long a profile is on average, in milliseconds; missing or 0 where that is unknown. */
  duration?: number;
}

/**
 * Agents push every 10, 15 or 30 seconds, and all of these divide this: in shorter steps a brush would now and then select no
 * profile.
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
export function seriesOf(timeline: Steps, average: boolean, factor = mergeFactor(timeline)): Series {
  const { start, points, counts } = timeline;
  // What does not divide evenly is at the start, where the range cuts a step anyway.
  const first = points.length % factor;
  const [sums, profiles] = [merged(points, factor), merged(counts, factor)];
  const step = timeline.step * factor;
  const unknown = counts.map((count, i) => Number(count > 0 && timeline.covered[i] === 0));
  const untimed = merged(unknown, factor);
  const covered = merged(timeline.covered, factor).map((millis, i) => (untimed[i] > 0 ? step : millis));
  const sparse =
    !isTimed(timeline) && (isLone(counts) || (usualGap(counts) > mostMerged(counts) && !areBursts(counts)));
  const whole = (value: number, i: number) => (sparse || covered[i] === 0 ? value : (value * step) / covered[i]);
  const [total, all] = [Number(timeline.total), sum(counts)];
  const begin = mayGoOn(timeline) ? covered.findIndex((millis) => millis > 0) : 0;
  return {
    start: start - (first === 0 ? 0 : factor - first) * timeline.step,
    step,
    values: average
      ? sums.map((sum, i) => (profiles[i] === 0 ? null : sum / profiles[i]))
      : sums.map((value, i) => (i < begin ? null : whole(value, i))),
    counts: profiles,
    covered,
    average,
    sparse,
    total: average ? (all === 0 ? 0 : total / all) : total,
  };
}

/** Whether profiles that began before the first step, and are not in a timeline, may go on until its first one begins. */
function mayGoOn({ step, covered, duration = 0 }: Steps): boolean {
  const first = covered.findIndex((millis) => millis > 0);
  return first > 0 && (first + 1) * step - covered[first] <= duration + step;
}

/**
 * Values of parts of a whole that has profiles for so much of each step: parts add up to it. At an end, where less counts than a
 * part has, each has a load of its own.
 */
export function valuesOfParts(parts: Series[], whole: number[]): (number | null)[][] {
  const isEnd = whole.map((millis, i) => parts.some(({ covered }) => covered[i] > millis + 1));
  return parts.map(({ values, covered }) =>
    values.map((value, i) => (value === null || whole[i] === 0 || isEnd[i] ? value : (value * covered[i]) / whole[i])),
  );
}

/** Whether profiles say how long they are. */
export function isTimed({ covered }: Pick<Timeline, "covered">): boolean {
  return covered.some((millis) => millis > 0);
}

/**
 * How many steps to merge into one, so that each has the begin of a profile: as many as lie between two that have. The widest
 * gap and one in twenty do not count, which may be outages. What comes more seldom, or irregularly, stays as it is, unless
 * profiles are as long as the gaps.
 */
export function mergeFactor({ counts, covered }: Counted): number {
  const gap = usualGap(counts);
  if (gap > 1 && areBridged({ counts, covered })) return gap;
  const found = areBursts(counts) ? medianGap(counts) : gap;
  return found > mostMerged(counts) ? 1 : found;
}

/** Whether most steps in which no profile begins are covered by earlier ones. */
function areBridged({ counts, covered }: Counted): boolean {
  const [first, last] = [counts.findIndex((count) => count > 0), counts.findLastIndex((count) => count > 0)];
  const empty = counts.flatMap((count, i) => (count === 0 && i > first && i < last ? [covered[i]] : []));
  return 2 * empty.filter((millis) => millis > 0).length > empty.length;
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

/**
 * Whether each step with profiles is a run of a job: it has many, and the next is farther than any interval between pushes.
 * Its runs are drawn one by one.
 */
export function areRuns({ counts, step }: Pick<Timeline, "counts" | "step">): boolean {
  const filled = counts.filter((count) => count > 0);
  return (
    filled.length > 1 && median(filled) > FEW && usualGap(counts) > 1 && medianGap(counts) * step > LONGEST_INTERVAL
  );
}

/** The gaps between bursts of profiles; none where they take less than half of the time. */
function pausesIn(counts: number[]): number[] {
  const gaps = gapsIn(counts);
  const pauses = gaps.filter((gap) => gap > PAUSE * medianGap(counts));
  return 2 * sum(pauses) >= sum(gaps) ? pauses : [];
}

/** Whether profiles come in bursts that are far apart. */
function areBursts(counts: number[]): boolean {
  return pausesIn(counts).length > 0;
}

/** The steps from one profile to the next, or from one burst of them to the next, if there are several. */
export function usualPause(counts: number[]): number {
  const pauses = pausesIn(counts);
  return pauses.length > 1 ? median(pauses) : medianGap(counts);
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

/**
 * The factor of each of several timelines for steps of one length, the longest that any of them needs, but for those with too
 * few pushes to tell. One that is still of a former range has steps of its own.
 */
export function commonFactors(timelines: Steps[]): number[] {
  const isTold = ({ counts }: Steps) => gapsIn(counts).length > 1;
  const told = timelines.some(isTold) ? timelines.filter(isTold) : timelines;
  const longest = Math.max(...told.map((timeline) => timeline.step * mergeFactor(timeline)));
  return timelines.map(({ step }) => Math.max(1, Math.round(longest / step)));
}

/** The same for drawing: runs of a job are drawn one by one. */
export function drawnFactors(timelines: Steps[], isJob = timelines.every(areRuns)): number[] {
  return isJob ? timelines.map(() => 1) : commonFactors(timelines);
}

/** So many profiles at once may be of one push; more are of several. */
const FEW = 4;

/** The middle one, the upper of two, or what there is of none. */
export function median(values: number[], none = 0): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? none;
}

export const sum = (numbers: number[]) => numbers.reduce((all, n) => all + n, 0);

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
