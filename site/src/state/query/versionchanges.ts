/** When a version is new, and which are the last. */
import type { Mark } from "../../time/marks.ts";
import type { Span } from "../../time/range.ts";
import { isRollout } from "../../time/rollout.ts";
import { median, medianGap, mergeFactor, sumOf } from "../../time/series.ts";
import { isVersion, labelOrder, natural } from "./labels.ts";
import type { ValueTimeline } from "./labelvalues.ts";

/** More ticks than this tell nobody anything: the last ones stay. */
const MOST = 30;
/** What has so many digits is a commit, known by its first ones. */
const COMMIT = /^[0-9a-f]{16,}$/i;

/** The plainest names are the program's own. */
const PLAINEST = ["version", "service_version", "service_git_ref"];

/** The labels of versions that have several, the plainest first. */
export function versionLabels(labels: Record<string, string[]>): string[] {
  const names = labelOrder(labels).filter((name) => labels[name].length > 1 && isVersion(name));
  return [...PLAINEST.filter((name) => names.includes(name)), ...names.filter((name) => !PLAINEST.includes(name))];
}

/** The label that tells deploys apart, if there is one. */
export function versionLabel(labels: Record<string, string[]>): string | undefined {
  return versionLabels(labels)[0];
}

/**
 * A version that is missing for so many steps, and for so many times its usual gap, while others run, begins again. Of a short
 * rollback in long steps fewer are enough, if others don't run after it for as long. Where a step usually has several profiles
 * of the version a single one is enough, if the others have half as many in it.
 */
const PAUSE = { steps: 5, gaps: 4 };
const SHORT_PAUSE = { steps: 2, gaps: 2 };
const SEVERAL = 3;

/** The profiles of other values in each step, of those of one and of all. */
export function othersOf(counts: number[], all: number[]): number[] {
  return all.map((count, i) => count - (counts[i] ?? 0));
}

/** The steps at which one value begins: first, and after others that had hardly run beside it ran without it. */
export function beginnings(counts: number[], others: number[]): number[] {
  const [own, near] = [medianGap(counts), medianGap(others)];
  const [pause, short] = [PAUSE, SHORT_PAUSE].map(({ steps, gaps }) => Math.max(steps, gaps * own));
  const usual = median(counts.filter((count) => count > 0));
  const isAloneAfter = (at: number, length: number) =>
    at + length < counts.length && others.slice(at + 1, at + 1 + length).every((count) => count === 0);
  const found: number[] = [];
  // Of the steps since the last beginning, those with profiles, and with others', too; and those without.
  let [filled, beside, without, lastOther] = [0, 0, 0, Number.NEGATIVE_INFINITY];
  let isReplaced = false;
  for (const [i, count] of counts.entries()) {
    if (others[i] > 0) lastOther = i;
    if (count > 0) {
      const isShort = (without >= short && isAloneAfter(i, short)) || (isReplaced && isAloneAfter(i, 1));
      const isBack = without >= pause || isShort;
      if (found.length === 0 || (isBack && 2 * beside < filled)) {
        found.push(i);
        [filled, beside] = [0, 0];
      }
      filled++;
      if (i - lastOther < near) beside++;
      without = 0;
      isReplaced = false;
    } else if (others[i] > 0) {
      without++;
      isReplaced ||= usual >= SEVERAL && 2 * others[i] >= usual;
    }
  }
  return found;
}

/**
 * The steps at which each value begins inside the range. What is there when the range begins is not new, nor is the
 * first version of a service that begins in it; an agent that pushes seldom has no profile in the first steps.
 */
export function versionChanges(name: string, values: ValueTimeline[]): Mark[] {
  const there = values.filter((timeline) => timeline.value !== "" && first(timeline) >= 0);
  const begin = Math.min(...there.map(first));
  const all = sumOf(values.map(({ counts }) => counts));
  return there
    .flatMap((timeline): Mark[] => {
      const { value, counts, start, step } = timeline;
      const timeOf = (at: number) => start + at * step;
      const others = othersOf(counts, all);
      const begins = beginnings(counts, others);
      return begins
        .filter((at) => at - begin > mergeFactor(timeline))
        .map((at) => {
          const isBack = at > first(timeline);
          const [time, text] = [timeOf(at), `${name} ${versionText(value)}${isBack ? " again" : ""}`];
          const shared = sharedUntil(counts, others, at);
          const next = begins.find((other) => other > at);
          const isGone = neverAlone(counts.slice(at, next), others.slice(at, next));
          return {
            time,
            text,
            step,
            isBack,
            ...(isGone && { isGone }),
            ...(shared > at && { sharedUntil: timeOf(shared) }),
          };
        });
    })
    .sort((a, b) => a.time - b.time)
    .slice(-MOST);
}

/** Whether a value ended while others went on, and ran beside them in each of its steps. */
function neverAlone(counts: number[], others: number[]): boolean {
  const end = counts.findLastIndex((count) => count > 0) + 1;
  const isAfter = others.slice(end + medianGap(counts) - 1).some((count) => count > 0);
  return isAfter && counts.every((count, i) => count === 0 || others[i] > 0);
}

/** The step at which the others have gone that ran as a value began; where they stay, the one after it began. */
function sharedUntil(counts: number[], others: number[], began: number): number {
  const gap = medianGap(others);
  const isAlone = (at: number) => others.slice(at, at + gap).every((count) => count === 0);
  if (isAlone(began)) return began;
  const end = counts.findLastIndex((count) => count > 0) + 1;
  const alone = counts.findIndex((_, at) => at > began && isAlone(at));
  return alone >= 0 && isRollout({ from: began, until: alone }, end) ? alone : began + 1;
}

/** Values with when they were seen, oldest first. Of two that began together the one that ended first is older. */
export function byAge([a, seenA]: [string, Span], [b, seenB]: [string, Span]): number {
  return seenA.from - seenB.from || seenA.until - seenB.until || natural(a, b);
}

/** The last two values. */
export function latestTwo(values: ValueTimeline[]): [string, string] | undefined {
  const [before, after] = values
    .filter((timeline) => first(timeline) >= 0)
    .map((timeline): [string, Span] => {
      const { value, start, step, counts } = timeline;
      const last = counts.findLastIndex((count) => count > 0);
      return [value, { from: start + first(timeline) * step, until: start + (last + 1) * step }];
    })
    .sort(byAge)
    .slice(-2);
  return after && [before[0], after[0]];
}

/** The first step that has profiles; -1 without any. */
function first({ counts }: ValueTimeline): number {
  return counts.findIndex((count) => count > 0);
}

export function versionText(value: string): string {
  return COMMIT.test(value) ? value.slice(0, 8) : value;
}
