import assert from "node:assert/strict";
import { test } from "node:test";
import { beganAt, longestPause } from "../src/time/pauses.ts";

const MINUTE = 60_000;
const START = 1_700_000_000_000;

/** A timeline with steps of six minutes; `counts` of profiles that take a minute each. */
const timeline = (counts: number[], covered = counts.map((count) => Math.min(6, count) * MINUTE)) => ({
  start: START,
  step: 6 * MINUTE,
  counts,
  covered,
  duration: MINUTE,
});
const steps = (n: number, count = 6) => new Array<number>(n).fill(count);

test("profiles that begin within a range say when, exactly where the first step is covered up to its end", () => {
  assert.equal(beganAt(timeline([...steps(10, 0), 3, ...steps(20)]), START), START + 63 * MINUTE);
  assert.equal(beganAt(timeline(steps(30)), START), null);
  assert.equal(beganAt(timeline([0, ...steps(20)]), START), START + 6 * MINUTE);
  assert.equal(beganAt(timeline(steps(20, 0)), START), null, "none at all");
  // An hourly job may run at any minute of the first hour.
  const job = Array.from({ length: 60 }, (_, i) => (i % 10 === 9 ? 1 : 0));
  assert.equal(beganAt(timeline(job), START), null);
});

test("a pause is told where it is longer than usual", () => {
  const pause = [...steps(20), ...steps(7, 0), ...steps(20)];
  assert.equal(longestPause(timeline(pause)), 42 * MINUTE);
  // The steps at its ends have parts of it.
  assert.equal(longestPause(timeline([...steps(20), 2, 0, 3, ...steps(20)])), 13 * MINUTE);
  assert.equal(longestPause(timeline(steps(40))), 0);
  const job = Array.from({ length: 60 }, (_, i) => (i % 10 === 9 ? 1 : 0));
  assert.equal(longestPause(timeline(job)), 0, "each hour");
  const seldom = [1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1];
  assert.equal(longestPause(timeline(seldom)), 0, "now and then");
  // Profiles that go on are no pause.
  const long = timeline([1, 0, 0, 1, 0, 0, 1, 0, 0, 1], steps(10).fill(6 * MINUTE));
  assert.equal(longestPause(long), 0);
  assert.equal(longestPause(timeline([])), 0);
});
