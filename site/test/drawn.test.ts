/** How charts draw the steps of a series. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { statistics } from "../src/state/query/labelvalues.ts";
import { columnsOf, drawnSeries, drawnValues } from "../src/time/drawn.ts";
import { evenSeries, evenValues } from "../src/time/even.ts";
import { seriesOf } from "../src/time/series.ts";

const timeline = (counts: number[]) => ({ start: 0, step: 30_000, points: counts, counts, profiles: 0 });

test("many processes that push together are no peak where a step has two pushes", () => {
  // Twelve push every five minutes, into steps of six.
  const counts = Array.from({ length: 30 }, (_, i) => (i % 6 === 5 ? 24 : 12));
  const even = evenSeries(seriesOf({ ...timeline(counts), step: 360_000 }, false)).values.slice(1, -1);
  assert.ok(Math.max(...even.map(Number)) - Math.min(...even.map(Number)) < 0.5, even.join());
  const more = counts.map((_, i) => (i < 15 ? 12 : 24));
  assert.deepEqual(evenSeries(seriesOf({ ...timeline(more), step: 360_000 }, false)).values, more, "twice as many");
});

test("a job of ten minutes in each hour isn't drawn as if it always ran", () => {
  const counts = Array.from({ length: 36 }, (_, i) => (i % 6 === 0 ? 40 : 0));
  const job = { ...timeline(counts), step: 600_000 };
  assert.deepEqual(drawnSeries(job, false).values, counts);
  assert.equal(seriesOf(job, false).step, 3_600_000, "loads are of hours, which hold whole runs");
  // Each run's last profile is in the step after it.
  const late = { ...job, counts: counts.map((count, i) => (i % 6 === 1 ? 1 : count)) };
  assert.deepEqual(drawnSeries({ ...late, points: late.counts }, false).values, late.counts);
  assert.equal(statistics({ values: late.counts, counts: late.counts, average: false }).mean, 40);
  // A push each hour stands for it, and forty each three minutes are of forty processes.
  const pushes = counts.map((count) => Math.min(count, 1));
  assert.equal(drawnSeries({ ...job, points: pushes, counts: pushes }, false).step, 3_600_000);
  assert.equal(drawnSeries(timeline(counts), false).step, 180_000);
});

test("one push more in a step is no more load, of several processes neither", () => {
  const even = (counts: number[], perPush = 1, average = false) =>
    evenValues({ counts, values: counts.map((count) => count * 5), average }, perPush).map((value) =>
      Math.round(value ?? 0),
    );
  assert.deepEqual(even([1, 1, 1, 2, 1, 1, 1, 2, 1, 1]), Array(10).fill(6));
  assert.deepEqual(even([2, 2, 2, 4, 2, 2, 2, 4, 2, 2], 2), Array(10).fill(13));
  const more = [1, 1, 1, 1, 1, 3, 3, 3, 3, 3];
  assert.deepEqual(
    even(more),
    more.map((count) => count * 5),
    "more processes",
  );
  assert.deepEqual(even([1, 10, 10, 10, 10]), [5, 50, 50, 50, 50], "at the beginning, too");
  assert.deepEqual(even([1, 2, 1], 1, true), [5, 10, 5], "averages are even as they are");
  const paused = [1, 1, 1, 1, 0, 1, 1, 1, 1];
  assert.deepEqual(
    even(paused),
    paused.map((count) => count * 5),
    "a pause says nothing of the other steps",
  );
});

test("a small chart draws an end that is cut off as high as its part of the step says", () => {
  const drawn = (counts: number[]) =>
    drawnValues({ counts, values: counts.map((count) => count * 5), average: false }, false);
  assert.deepEqual(drawn([10, 10, 10, 10, 4]), Array(5).fill(50));
  // Twice as many processes since the fourth step.
  assert.deepEqual(drawn([10, 10, 10, 20, 20, 20, 20, 8]), [50, 50, 50, ...Array(5).fill(100)]);
  assert.deepEqual(drawn([10, 10, 10, 20, 20, 20, 20, 4]).at(-1), null, "too little to say");
  // An outage ends and begins within steps.
  assert.deepEqual(drawn([10, 10, 10, 20, 20, 20, 12, 0, 16, 20, 20, 20, 20]), [
    ...Array(3).fill(50),
    ...Array(4).fill(100),
    0,
    ...Array(5).fill(100),
  ]);
});

test("where profiles begin or end within a step its column is narrower, and as high as the load", () => {
  const whole = { from: 0, until: 1, times: 1 };
  const columns = (counts: number[], average = false) => columnsOf({ counts, average });
  assert.deepEqual(columns([5, 10, 10, 10, 4]), [
    { from: 0.5, until: 1, times: 2 },
    whole,
    whole,
    whole,
    { from: 0, until: 0.4, times: 2.5 },
  ]);
  assert.deepEqual(columns([5, 10, 10, 10, 4], true), Array(5).fill(whole), "averages say nothing of the time");
  assert.deepEqual(columns([10, 10, 10, 20, 20, 20]), Array(6).fill(whole));
  assert.deepEqual(columns([10, 10, 10, 20, 20, 20, 12]).at(-1), { from: 0, until: 0.6, times: 1 / 0.6 });
  assert.deepEqual(columns([0, 1, 0]), Array(3).fill(whole));
  // Empty steps reach to where profiles begin and end.
  assert.deepEqual(
    columns([0, 5, 10, 10, 10, 4, 0]).map(({ from, until }) => [from, until]),
    [
      [0, 1.5],
      [0.5, 1],
      [0, 1],
      [0, 1],
      [0, 1],
      [0, 0.4],
      [-0.6, 1],
    ],
  );
});

test("pushes that the steps don't divide evenly are drawn at one height, and a cut end as it is", () => {
  // Two processes push every ten minutes into steps of twelve, from the third minute on.
  const counts = new Array(30).fill(0);
  for (let minute = 3; minute < 355; minute += 10) counts[Math.floor(minute / 12)] += 2;
  const { values } = evenSeries(seriesOf({ ...timeline(counts), points: counts.map((n) => n * 90) }, false));
  const inside = values.slice(1, -1).map((value) => Math.round(value ?? 0));
  assert.ok(Math.max(...inside) - Math.min(...inside) <= 1, inside.join());
  const cut = [4, 4, 4, 4, 2];
  assert.deepEqual(evenSeries(seriesOf(timeline(cut), false)).values, cut);
});
