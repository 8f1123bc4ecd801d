/** How much of each step the profiles of one side cover, where those of others may overlap. */
import { sum } from "../../time/series.ts";

/** What a series has in each step: values, profiles, and the milliseconds that they cover. */
interface Steps {
  points: number[];
  counts: number[];
  covered: number[];
}

/**
 * The milliseconds of each step that the profiles of a side cover. Where only this side has profiles, it is what all series
 * cover together. In the steps of a rollout, in which others have profiles, too, processes start and end one after another:
 * there it is the part of the side's usual load that belongs to processes with profiles. `points` are the side's values, 0
 * where a step isn't of it.
 */
export function coveredOfSide(own: Steps[], others: Steps[], all: number[], points: number[]): number[] {
  const isAlone = (at: number) => others.every(({ counts, covered }) => counts[at] === 0 && covered[at] === 0);
  const filled = [...points.keys()].filter((at) => points[at] !== 0);
  const alone = filled.filter(isAlone);
  const loadOf = (values: number[], covered: number[]) =>
    sum(alone.map((at) => values[at])) / sum(alone.map((at) => covered[at]));
  const load = loadOf(points, all);
  const loads = own.map((one) => loadOf(one.points, one.covered));
  const isRollout = filled.length < 2 * alone.length && load > 0;
  const shared = (at: number) => {
    const longest = Math.max(0, ...own.map(({ covered }) => covered[at]));
    const usual = sum(own.map(({ covered }, i) => (covered[at] > 0 ? loads[i] * covered[at] : 0)));
    // The load of a process that never ran alone isn't known.
    return isRollout && Number.isFinite(usual) ? Math.min(longest, usual / load) : longest;
  };
  return points.map((_, at) => (isAlone(at) ? all[at] : shared(at)));
}
