/** Levels, lines and curves that fit steps best, by least squares. */
import { mean, type Step } from "./loadsteps.ts";

/** The sum of squares around the mean. */
export function squares(steps: Step[]): number {
  const level = mean(steps.map(({ value }) => value));
  return steps.reduce((sum, { value }) => sum + (value - level) ** 2, 0);
}

/** The sum of squares around the line that fits best. */
export function squaresAroundLine(steps: Step[]): number {
  const [centre, slope] = [centreOf(steps), slopeOf([steps])];
  return steps.reduce((sum, { at, value }) => sum + (value - centre.value - slope * (at - centre.at)) ** 2, 0);
}

/** The least sum of squares around so many levels, one after the other. */
export function squaresAroundLevels(steps: Step[], count: number): number {
  const values = steps.map(({ value }) => value);
  const sums = (of: number[]) => {
    let sum = 0;
    return [0, ...of.map((one) => (sum += one))];
  };
  const [plain, squared] = [sums(values), sums(values.map((value) => value ** 2))];
  const around = (from: number, until: number) =>
    squared[until] - squared[from] - (plain[until] - plain[from]) ** 2 / (until - from);
  // The least for the first steps, with one level, two, and so on.
  let best = values.map((_, i) => around(0, i + 1));
  for (let level = 1; level < count; level++)
    best = best.map((least, i) => Math.min(least, ...best.slice(0, i).map((left, at) => left + around(at + 1, i + 1))));
  return best[best.length - 1] ?? 0;
}

/** The sum of squares around the curve of the third degree that fits best. */
export function squaresAroundCurve(steps: Step[]): number {
  const { at: middle } = centreOf(steps);
  const times = steps.map(({ at }) => at - middle);
  const shapes = [0, 1, 2, 3].map((power) => times.map((time) => time ** power));
  const bases: number[][] = [];
  for (const shape of shapes) bases.push(bases.reduce(without, shape));
  const rest = bases.reduce(
    without,
    steps.map(({ value }) => value),
  );
  return dot(rest, rest);
}

/** What a vector has apart from its part along another. */
function without(of: number[], other: number[]): number[] {
  const part = dot(of, other) / dot(other, other);
  return of.map((value, i) => value - part * other[i]);
}

function dot(a: number[], b: number[]): number {
  return a.reduce((sum, value, i) => sum + value * b[i], 0);
}

/** How steep the line is that fits best, or the parallel lines of several runs of steps. */
export function slopeOf(runs: Step[][]): number {
  const sum = (of: (step: Step, centre: Step) => number) =>
    runs.reduce((all, steps) => {
      const centre = centreOf(steps);
      return steps.reduce((part, step) => part + of(step, centre), all);
    }, 0);
  const product = sum(({ at, value }, centre) => (at - centre.at) * (value - centre.value));
  return product / sum(({ at }, centre) => (at - centre.at) ** 2);
}

export function centreOf(steps: Step[]): Step {
  return { at: mean(steps.map(({ at }) => at)), value: mean(steps.map(({ value }) => value)) };
}

/** The cut that divides the steps best, by the sum of squares that it explains, with the least on each side; -1 if none. */
export function bestCut(steps: Step[], least: number): number {
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
