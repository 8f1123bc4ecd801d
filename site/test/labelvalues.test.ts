import assert from "node:assert/strict";
import { test } from "node:test";
import {
  histogram,
  SERIES_COLOURS,
  seriesColours,
  sortedRows,
  statistics,
  type ValueTimeline,
  type ValueTimelines,
  valueRows,
} from "../src/state/query/labelvalues.ts";

import type { Series } from "../src/time/series.ts";

const CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
const IN_USE = "memory:inuse_space:bytes:space:bytes";

function timeline(value: string, points: number[], counts: number[]): ValueTimeline {
  const sum = (numbers: number[]) => numbers.reduce((all, n) => all + n, 0);
  const covered = counts.map((count) => count && 30_000);
  return { value, start: 0, step: 30_000, points, counts, covered, total: sum(points), profiles: sum(counts) };
}

const answer = (type: string, ...values: ValueTimeline[]): ValueTimelines => ({
  type,
  by: "region",
  values,
  covered: values[0]?.counts.map(() => 30_000) ?? [],
  all: values.length,
  share: 1,
  rounded: false,
});

/** A series in steps of which a part is covered. */
const series = (values: (number | null)[], parts: number[], average = false): Series => ({
  start: 0,
  step: 30_000,
  values,
  counts: parts.map((part) => Math.ceil(4 * part)),
  covered: parts.map((part) => 30_000 * part),
  average,
  sparse: false,
  total: 0,
});

test("mean and deviation are of the time that has profiles", () => {
  const of = (values: (number | null)[], parts: number[], average = false) =>
    statistics(series(values, parts, average));
  assert.deepEqual(of([0, 2, 4, 4, 4, 5, 5, 7, 9, 0], [0, 1, 1, 1, 1, 1, 1, 1, 1, 0]), {
    max: 9,
    mean: 5,
    deviation: 2,
  });
  // A step that has profiles which took nothing counts, and one that has them in part counts in part.
  assert.deepEqual(of([0, 4, 2], [1, 1, 1]), { max: 4, mean: 2, deviation: Math.sqrt(8 / 3) });
  assert.deepEqual(of([8, 5], [0.5, 1]), { max: 8, mean: 6, deviation: Math.sqrt(2) });
  const unknown = { max: null, mean: null, deviation: null };
  for (const none of [of([0, null], [0, 0]), of([], []), of([null], [0], true)]) assert.deepEqual(none, unknown);
  assert.deepEqual(statistics({ ...series([3, 0], [1, 0]), sparse: true }), unknown);
  assert.deepEqual(of([0, 4], [1, 1], true), { max: 4, mean: 2, deviation: 2 });
});

test("steps are counted by what they take, up to the largest of all rows", () => {
  const steps = series([0, 1, 5, 10, 20, 0, null], [1, 1, 1, 1, 1, 0, 0]);
  assert.deepEqual(histogram(steps, 20, 4), { steps: [2, 1, 1, 1], median: 5 });
  assert.deepEqual(histogram(series([2, 4], [1, 1]), 4, 2), { steps: [0, 2], median: 3 });
  assert.deepEqual(histogram(series([], []), 0, 2), { steps: [0, 0], median: 0 });
  assert.deepEqual(histogram(series([0], [1]), 0, 2), { steps: [1, 0], median: 0 });
});

test("amounts are sums and parts of all, also of what is not shown", () => {
  const values = answer(CPU, timeline("eu", [10, 20, 30], [1, 1, 1]), timeline("us", [0, 40, 0], [0, 2, 0]));
  const [eu, us] = valueRows(values);
  assert.deepEqual([eu.total, eu.share, eu.max, eu.mean, eu.profiles], [60, 0.6, 30, 20, 3]);
  assert.deepEqual([us.total, us.share, us.max, us.mean, us.deviation, us.profiles], [40, 0.4, 40, 40, 0, 2]);
  const [part] = valueRows({ ...values, all: 9, share: 0.5 });
  assert.equal(part.share, 0.3);
});

test("of a gauge everything is an average a snapshot, and there is no share", () => {
  const [row] = valueRows(answer(IN_USE, timeline("eu", [100, 0, 0, 600, 300], [1, 0, 0, 2, 1])));
  assert.deepEqual(row.series.values, [100, null, null, 300, 300]);
  assert.equal(row.total, 1000 / 4);
  assert.equal(row.share, null);
  assert.deepEqual([row.max, row.profiles], [300, 4]);
  assert.equal(Math.round(row.mean ?? 0), 233);
});

test("values are held against each other in steps of one length", () => {
  const often = timeline("a", new Array(24).fill(5), new Array(24).fill(1));
  const every = Array.from({ length: 24 }, (_, i) => (i % 4 === 3 ? 1 : 0));
  const seldom = timeline(
    "b",
    every.map((n) => n * 20),
    every,
  );
  // Each lasts until the next.
  seldom.covered = often.covered;
  const [a, b] = valueRows(answer(CPU, often, seldom));
  assert.deepEqual([a.series.step, b.series.step], [120_000, 120_000]);
  assert.deepEqual([a.mean, a.deviation, b.mean, b.deviation], [20, 0, 20, 0]);
});

test("rows are sorted by any column; names by the numbers in them", () => {
  const rows = valueRows(
    answer(CPU, timeline("1.10.0", [1], [1]), timeline("1.9.0", [3], [1]), timeline("1.8.2", [2], [7])),
  );
  const order = (...by: [Parameters<typeof sortedRows>[1], boolean]) =>
    sortedRows(rows, ...by).map(({ value }) => value);
  assert.deepEqual(order("value", false), ["1.8.2", "1.9.0", "1.10.0"]);
  assert.deepEqual(order("total", true), ["1.9.0", "1.8.2", "1.10.0"]);
  assert.deepEqual(order("profiles", true), ["1.8.2", "1.10.0", "1.9.0"]);
});

test("no two of the first values have one colour, and their order does not matter", () => {
  const values = ["eu", "us", "ap", "sa", "af", "me", "oc", "an"];
  const colours = seriesColours(values);
  assert.equal(new Set(colours.values()).size, SERIES_COLOURS);
  const other = seriesColours([...values].reverse());
  assert.deepEqual(
    values.map((value) => other.get(value)),
    values.map((value) => colours.get(value)),
  );
  assert.equal(seriesColours([...values, "xx"]).has("xx"), false);
});
