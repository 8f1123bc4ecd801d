/** How much of each step the profiles of one side cover, where others may run beside them. */

/** What a series has in each step: profiles, and the milliseconds that they cover. */
interface Steps {
  counts: number[];
  covered: number[];
}

/**
 * Alone, as much as `all` series cover together. Processes don't begin at the same time: beside others, a step counts by how
 * many of the side's processes have profiles in it. `points` are the side's values, 0 where a step isn't of it.
 */
export function coveredOfSide(own: Steps[], others: Steps[], all: number[], points: number[]): number[] {
  const isAlone = (at: number) => others.every(({ counts, covered }) => counts[at] === 0 && covered[at] === 0);
  const timeOf = (at: number) => own.reduce((sum, { covered }) => sum + covered[at], 0);
  const longest = (at: number) => own.reduce((most, { covered }) => Math.max(most, covered[at]), 0);
  let [time, alone] = [0, 0];
  for (const [at, value] of points.entries()) {
    if (value === 0 || !isAlone(at)) continue;
    time += timeOf(at);
    alone += all[at];
  }
  const processes = alone > 0 ? Math.max(1, time / alone) : 1;
  return points.map((_, at) => (isAlone(at) ? all[at] : Math.min(longest(at), timeOf(at) / processes)));
}
