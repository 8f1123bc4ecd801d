import assert from "node:assert/strict";
import { test } from "node:test";
import { coveredMillis } from "../src/time/series.ts";
import "./page.ts";

const { areTogether, causeOf, changedLoad, numbersDiffer } = await import("../src/state/query/changedload.ts");
const { changesIn } = await import("../src/state/query/loadchanges.ts");

const CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
const MINUTE = 60_000;

/** Windows of a minute with four profiles each; the last is cut off. */
const windows = (totals: number[]) => ({
  length: MINUTE,
  windows: totals.map((total, i) => ({ total, profiles: i === totals.length - 1 ? 2 : 4 })),
});

test("a load is an amount for the time with profiles, whatever is cut off at its ends", () => {
  const load = changedLoad([windows([100, 102, 98, 50]), windows([140, 139, 141, 70])], false, true);
  assert.ok(Math.abs(load.before * MINUTE - 100) < 1e-9 && Math.abs(load.after * MINUTE - 140) < 1e-9);
  assert.equal(load.differs, true);
  assert.equal(changedLoad([windows([100, 140, 60, 50]), windows([90, 130, 80, 50])], false, true).differs, false);
  assert.equal(changedLoad([windows([100, 102, 98, 50]), windows([140, 139, 141, 70])], false, false).differs, false);
});

test("of a gauge the averages of snapshots are compared", () => {
  const load = changedLoad([windows([400, 400, 400, 200]), windows([800, 800, 800, 400])], true, true);
  assert.deepEqual([load.before, load.after], [100, 200]);
});

test("the cause is what has the largest part of the change, if it has a fifth", () => {
  const changed = (name: string, before: number, after: number) => ({
    name,
    before,
    after,
    selfBefore: 0,
    selfAfter: 0,
    interval: null,
  });
  const listed = [changed("planted", 0.1, 0.4), changed("caller", 0.5, 0.7), changed("small", 0.3, 0.25)];
  const changes = { listed, others: 0, unknown: 0, certain: true, byProcess: false };
  const load = { before: 1, after: 1.5, differs: true };
  const cause = causeOf(load, changes, ["planted", "small"]);
  assert.equal(cause?.name, "planted");
  assert.ok(Math.abs((cause?.part ?? 0) - 1) < 1e-9, "0.5 of 0.5");
  assert.equal(causeOf(load, changes, ["small"]), null, "0.075 of 0.5");
  // Where the load fell, what fell with it.
  const fell = causeOf({ before: 1.5, after: 1, differs: true }, { ...changes, listed: [changed("gone", 0.4, 0.1)] }, [
    "gone",
  ]);
  assert.ok(fell && Math.abs(fell.part - 1) < 1e-9);
});

test("a canary beside the version before it is no drop of the load", () => {
  const span = (from: number, until: number) => ({ from, until });
  assert.ok(areTogether(span(0, 60), span(20, 60)) && !areTogether(span(0, 60), span(50, 110)));
  const side = (profiles: number) => ({ length: MINUTE, windows: Array(3).fill({ total: 1, profiles }) });
  assert.ok(numbersDiffer([side(36), side(4)]) && !numbersDiffer([side(36), side(35)]));
});

test("time with profiles counts, and a cut step in part", () => {
  const counts = [0, 0, 2, 4, 4, 4, 4, 1, 0, 0];
  const timeline = { start: 0, step: MINUTE, points: counts, counts, profiles: 19 };
  assert.equal(coveredMillis(timeline), 4.75 * MINUTE);
  // Fewer processes at first are no gap, and neither is a step that has as few as others, of an agent that pushes out of step.
  const scaled = [2, 2, 2, 2, 4, 4, 4, 4, 4, 4];
  assert.equal(coveredMillis({ ...timeline, points: scaled, counts: scaled }), 10 * MINUTE);
  const uneven = [1, 2, 1, 1, 2, 1, 2, 1, 1, 1];
  assert.equal(coveredMillis({ ...timeline, points: uneven, counts: uneven }), 10 * MINUTE);
  const seldom = Array.from({ length: 60 }, (_, i) => (i % 15 === 0 ? 1 : 0));
  assert.equal(coveredMillis({ ...timeline, points: seldom, counts: seldom }), 0, "a profile says nothing of 15 steps");
  assert.equal(coveredMillis({ ...timeline, counts: counts.map(() => 0), profiles: 0 }), 0);
  // How much of a step or two is covered is anyone's guess.
  assert.equal(coveredMillis({ ...timeline, counts: counts.map((_, i) => (i < 2 ? 4 : 0)) }), 0);
});

test("each service is looked at with its own label of versions", () => {
  const steps = Array.from({ length: 60 }, (_, minute) => minute);
  const one = (labels: Record<string, string>, from: number, until: number, value: number) => ({
    labels,
    total: 0,
    profiles: 0,
    points: steps.map((minute) => (from <= minute && minute < until ? value : 0)),
    counts: steps.map((minute) => (from <= minute && minute < until ? 1 : 0)),
  });
  const series = [
    one({ service_name: "a", version: "1" }, 0, 30, 100),
    one({ service_name: "a", version: "2" }, 30, 60, 150),
    one({ service_name: "b", service_git_ref: "f00", version: "x" }, 0, 30, 100),
    one({ service_name: "b", service_git_ref: "ba4", version: "x" }, 30, 60, 50),
    one({ service_name: "quiet" }, 0, 60, 100),
  ];
  const coverage = { series: 5, shown: 5, share: 1 };
  const found = new Map(changesIn(CPU, { start: 0, step: MINUTE, series, coverage, rounded: false }));
  assert.deepEqual([...found.keys()], ["a", "b"]);
  const told = ["a", "b"].map((name) => {
    const { kind, label, versions, from, before, after } = found.get(name) ?? assert.fail(name);
    return [kind, label, versions?.before, versions?.after, from / MINUTE, after / before];
  });
  assert.deepEqual(told, [
    ["deploy", "version", "1", "2", 30, 1.5],
    ["deploy", "service_git_ref", "f00", "ba4", 30, 0.5],
  ]);
});
