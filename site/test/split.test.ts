import assert from "node:assert/strict";
import { test } from "node:test";
import { SERIES_COLOURS, splitOf, type ValueTimeline } from "../src/state/query/labelvalues.ts";
import { type Part, partAmount, partsAt, stackTops } from "../src/time/seriessplit.ts";

const CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
const IN_USE = "memory:inuse_space:bytes:space:bytes";

const sum = (numbers: number[]) => numbers.reduce((all, n) => all + n, 0);

/** Steps of half a minute; where something is, one profile of unknown length took it. */
function timeline(
  value: string,
  points: number[],
  counts: number[] = points.map((point) => (point > 0 ? 1 : 0)),
): ValueTimeline {
  const covered = counts.map(() => 0);
  return { value, start: 0, step: 30_000, points, counts, covered, total: sum(points), profiles: sum(counts) };
}

/** A timeline of a type by its largest values, which are `all` in truth. */
function split(type: string, whole: ValueTimeline, values: ValueTimeline[], all = values.length) {
  return splitOf(whole, { type, by: "region", values, covered: whole.covered, all, share: 1, rounded: false });
}

const percentOf = (share: number) => `${Number(share.toFixed(1))} %`;

const named = (parts: Part[]) => parts.map(({ name, values }) => [name, values]);

test("parts stand on each other", () => {
  const tops = stackTops([
    [1, null, 3],
    [10, 20, 0],
    [0, 5, null],
  ]);
  assert.deepEqual(tops, [
    [1, 0, 3],
    [11, 20, 3],
    [11, 25, 3],
  ]);
});

test("parts of all values are all there is", () => {
  const found = split(CPU, timeline("", [3, 5, 2]), [timeline("eu", [3, 1, 2]), timeline("", [0, 4, 0])]);
  assert.deepEqual(named(found?.parts ?? []), [
    ["eu", [3, 1, 2]],
    ["not set", [0, 4, 0]],
  ]);
  assert.deepEqual([found?.stacked, found?.more, found?.peak], [true, 0, 5]);
});

test("what is not shown is one part, and never negative", () => {
  // A profile of "eu" came after all of it was read: the last step of the parts is more than that of the whole.
  const found = split(CPU, timeline("", [10, 5, 2]), [timeline("eu", [3, 1, 4]), timeline("us", [2, 4, 0])], 5);
  const others = found?.parts.at(-1);
  assert.deepEqual([others?.name, others?.value, others?.values], ["3 others", null, [5, 0, 0]]);
  assert.deepEqual([found?.more, found?.peak], [3, 10]);
});

test("parts of which each pauses once are what they took, and others what is left", () => {
  const minutes = Array.from({ length: 10 }, (_, minute) => minute);
  const pods = Array.from({ length: 12 }, (_, pod) =>
    timeline(
      `pod-${pod}`,
      minutes.flatMap((minute) => [minute === pod ? 0 : 100 - pod, 0]),
    ),
  );
  const step = (of: "points" | "counts", i: number) => sum(pods.map((pod) => pod[of][i]));
  const steps = pods[0].points.map((_, i) => i);
  const whole = timeline(
    "",
    steps.map((i) => step("points", i)),
    steps.map((i) => step("counts", i)),
  );
  const found = split(CPU, whole, pods.slice(0, SERIES_COLOURS), pods.length);
  assert.ok(found);
  assert.deepEqual(
    found.parts.map(({ values }) => values),
    [...pods.slice(0, SERIES_COLOURS), null].map((pod) =>
      minutes.map((minute) =>
        pod
          ? pod.points[2 * minute]
          : whole.points[2 * minute] - sum(pods.slice(0, SERIES_COLOURS).map(({ points }) => points[2 * minute])),
      ),
    ),
  );
  const share = (total: number) => (100 * total) / whole.total;
  const rest = pods.slice(SERIES_COLOURS).reduce((all, { total }) => all + total, 0);
  assert.equal(partAmount(found.parts[SERIES_COLOURS], found, "nanoseconds"), percentOf(share(rest)));
});

test("no more parts than colours", () => {
  const values = Array.from({ length: SERIES_COLOURS + 4 }, (_, i) => timeline(`v${i}`, [20 - i, 1]));
  const whole = timeline(
    "",
    [0, 1].map((i) => sum(values.map(({ points }) => points[i]))),
  );
  const parts = split(CPU, whole, values)?.parts ?? [];
  assert.equal(parts.length, SERIES_COLOURS + 1);
  assert.equal(new Set(parts.map(({ colour }) => colour)).size, SERIES_COLOURS + 1);
  assert.deepEqual(parts.at(-1)?.values, [42, 4]);
});

test("averages do not add up: no part is what is left, and none has a share", () => {
  const whole = timeline("", [300, 100, 0], [2, 1, 0]);
  const found = split(IN_USE, whole, [timeline("eu", [200, 0, 0]), timeline("us", [100, 100, 0])], 7);
  assert.ok(found);
  assert.deepEqual(named(found.parts), [
    ["eu", [200, null, null]],
    ["us", [100, 100, null]],
  ]);
  assert.deepEqual(found.series.values, [150, 100, null]);
  assert.deepEqual([found.stacked, found.more, found.peak], [false, 5, 200]);
  assert.equal(partAmount(found.parts[0], found, "bytes"), "200 B");
  assert.deepEqual(
    partsAt(found, 1, String).map(({ part, text }) => [part.name, text]),
    [["us", "100"]],
  );
});

test("shares are of all, and what takes nothing in a step is not told of there", () => {
  const found = split(CPU, timeline("", [8, 2]), [timeline("eu", [3, 2]), timeline("us", [3, 0])], 3);
  assert.ok(found);
  assert.deepEqual(
    found.parts.map((part) => partAmount(part, found, "nanoseconds")),
    ["50 %", "30 %", "20 %"],
  );
  assert.deepEqual(
    partsAt(found, 1, String).map(({ part }) => part.name),
    ["eu"],
  );
});

test("all parts and all of it are in steps of one length, as long as any of them needs", () => {
  const often = new Array(24).fill(1);
  const seldom = often.map((_, i) => (i % 4 === 3 ? 1 : 0));
  const found = split(CPU, timeline("", often), [timeline("a", seldom), timeline("b", often)]);
  assert.equal(found?.series.step, 120_000);
  assert.deepEqual(found?.series.values, new Array(6).fill(4));
  assert.deepEqual(named(found?.parts ?? []), [
    ["a", new Array(6).fill(1)],
    ["b", new Array(6).fill(4)],
  ]);
});

test("values in other steps than those of the timeline are no parts of it", () => {
  const value = { ...timeline("eu", [1, 2, 3]), start: 30_000 };
  assert.equal(split(CPU, timeline("", [1, 2, 3]), [value]), null);
  assert.equal(split(CPU, timeline("", [1, 2, 3]), [timeline("eu", [1, 2])]), null);
  assert.equal(split(CPU, timeline("", [1, 2, 3]), []), null);
});
