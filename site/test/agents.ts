/** What the worker answers about profiles that agents push. */
import type { TimelineAnswer } from "../src/api.ts";

/** A profile: when it begins, how long it is, in milliseconds, and what it measured. */
export interface Pushed {
  at: number;
  length: number;
  value: number;
}

/** The timeline of profiles in `count` steps from 0 on: values are distributed over the time that they cover. */
export function timelineOf(profiles: Pushed[], step: number, count: number): TimelineAnswer {
  const zeros = () => new Array<number>(count).fill(0);
  const [points, counts, covered] = [zeros(), zeros(), zeros()];
  const inside = profiles.filter(({ at }) => at >= 0 && at < step * count).sort((a, b) => a.at - b.at);
  const overlaps = (from: number, until: number, add: (i: number, millis: number) => void) => {
    for (let i = Math.floor(from / step); i < count && i * step < until; i++)
      add(i, Math.min(until, (i + 1) * step) - Math.max(from, i * step));
  };
  let end = 0;
  for (const { at, length, value } of inside) {
    counts[Math.floor(at / step)]++;
    if (length === 0) points[Math.floor(at / step)] += value;
    overlaps(at, at + length, (i, millis) => (points[i] += (value * millis) / length));
    if (at + length > end) overlaps(Math.max(at, end), at + length, (i, millis) => (covered[i] += millis));
    end = Math.max(end, at + length);
  }
  const total = inside.reduce((sum, { value }) => sum + value, 0);
  const duration = inside.reduce((sum, { length }) => sum + length, 0) / Math.max(1, inside.length);
  return { start: 0, step, points, counts, covered, duration, total, profiles: inside.length };
}

/** An agent's profiles from one time to another, each of `interval` milliseconds, of a load in units a second. */
export function agent(
  interval: number,
  from: number,
  until: number,
  load: number | ((at: number) => number) = 1,
): Pushed[] {
  const profiles: Pushed[] = [];
  for (let at = from; at < until; at += interval) {
    const each = typeof load === "number" ? load : load(at);
    profiles.push({ at, length: interval, value: (each * interval) / 1000 });
  }
  return profiles;
}
