import assert from "node:assert/strict";
import { test } from "node:test";
import { type Changed, changesOf, type FlameNode, grouped, type PartFunctions } from "../src/state/query/changed.ts";
import { shareOf, studentQuantile, studentTail, welch } from "../src/time/interval.ts";

const near = (found: number, expected: number, tolerance: number) =>
  assert.ok(Math.abs(found - expected) <= tolerance, `${found} is not ${expected}`);

/** Student's sleep data, as R has it: hours of sleep gained with two drugs. */
const SLEEP = [
  [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2],
  [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4],
];

test("Welch's interval is that of R's t.test(extra ~ group, data = sleep)", () => {
  const [first, second] = SLEEP.map((values) => shareOf(values.map((value) => ({ value, whole: 1 }))));
  near(first.share, 0.75, 1e-12);
  near(second.share, 2.33, 1e-12);
  const { low, high, freedom } = welch(second, first, 0.05);
  near(low, -3.3654832, 1e-6);
  near(high, 0.2054832, 1e-6);
  near(freedom, 17.776, 1e-3);
  near(2 * studentTail(1.8608, 17.776), 0.07939, 1e-5);
});

test("quantiles are those of printed tables", () => {
  near(studentQuantile(0.025, 1), 12.706, 1e-3);
  near(studentQuantile(0.025, 10), 2.228, 1e-3);
  near(studentQuantile(0.0005, 5), 6.869, 1e-3);
  near(studentQuantile(0.005, 30), 2.75, 1e-3);
  near(studentQuantile(0.025, 1e6), 1.96, 1e-3);
});

test("a share is of all parts together, whatever their sizes", () => {
  const { share, variance } = shareOf([
    { value: 1, whole: 10 },
    { value: 30, whole: 100 },
  ]);
  near(share, 31 / 110, 1e-12);
  assert.ok(variance > 0);
  assert.equal(shareOf([{ value: 1, whole: 2 }]).variance, Number.POSITIVE_INFINITY);
});

/** Mulberry32. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A window of a service of a hundred functions: each varies by an eighth from window to window, and is sampled. */
function made(next: () => number, planted: number): PartFunctions {
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  // Few large ones and many small ones; windows of unequal load.
  const load = 6_000 * (1 + 0.3 * normal() ** 2);
  const shares = Array.from({ length: 100 }, (_, i) => 1 / (i + 2) / 4.2 + (i === 20 ? planted : 0));
  const functions = new Map(
    shares.map((share, i) => {
      const mean = Math.max(0, load * share * (1 + 0.125 * normal()));
      const total = Math.max(0, Math.round(mean + Math.sqrt(mean) * normal()));
      return [`f${i}`, { self: total, total }];
    }),
  );
  const total = [...functions.values()].reduce((sum, one) => sum + one.total, 0);
  return { total, complete: true, functions };
}

const side = (next: () => number, planted = 0, windows = 10) => ({
  windows: Array.from({ length: windows }, () => made(next, planted)),
  processes: [],
});

test("where nothing changed at most one list in twenty has an entry; a change of two points is found", () => {
  const runs = 400;
  let [alarms, found, first] = [0, 0, 0];
  for (let run = 0; run < runs; run++) {
    const next = random(run);
    if (changesOf(side(next), side(next)).listed.length > 0) alarms++;
    const { listed } = changesOf(side(next), side(next, 0.02));
    if (listed.some(({ name }) => name === "f20")) found++;
    if (listed[0]?.name === "f20") first++;
  }
  console.log(`false alarms in ${alarms} of ${runs} runs; planted change found in ${found}, as the first in ${first}`);
  assert.ok(alarms <= runs * 0.05, `${alarms} false alarms in ${runs} runs`);
  assert.ok(found >= runs * 0.95, `found in ${found} of ${runs} runs`);
});

const part = (total: number, functions: Record<string, number>, complete = true): PartFunctions => ({
  total,
  complete,
  functions: new Map(Object.entries(functions).map(([name, value]) => [name, { self: value, total: value }])),
});

test("processes that differ explain what windows would not", () => {
  const windows = (a: number) => [a - 1, a, a + 1, a].map((value) => part(100, { f: value, g: 100 - value }));
  const alike = [20, 21, 19].map((value) => part(100, { f: value }));
  const unlike = [5, 60, 25].map((value) => part(100, { f: value }));
  const calm = changesOf({ windows: windows(20), processes: alike }, { windows: windows(30), processes: [] });
  assert.deepEqual(calm.listed.map(({ name }) => name).sort(), ["f", "g"]);
  assert.deepEqual([calm.heaviest?.name, calm.heaviest?.selfAfter], ["g", 0.7]);
  assert.equal(calm.byProcess, false);
  const wild = changesOf({ windows: windows(20), processes: alike }, { windows: windows(30), processes: unlike });
  assert.equal(wild.byProcess, true);
  assert.ok(!wild.listed.some(({ name }) => name === "f"), "processes vary more than that");
});

test("what a part does not say is not 0", () => {
  const before = [1, 2, 3].map((i) => part(100, { big: 60 + i, small: 3 }));
  const after = [1, 2, 3].map((i) => part(100, { big: 60 + i }, false));
  const changes = changesOf({ windows: before, processes: [] }, { windows: after, processes: [] });
  assert.equal(changes.unknown, 1);
  assert.deepEqual(changes.listed, []);
});

test("a function that began late in a side is told beside the list", () => {
  const windows = (late: number[]) => late.map((value) => part(100, { f: 90 - value, late: value, rest: 10 }));
  const before = { windows: windows([0, 0, 0, 0]), processes: [] };
  const changes = changesOf(before, { windows: windows([0, 0, 0, 6]), processes: [] });
  assert.deepEqual(changes.listed, []);
  assert.deepEqual(
    changes.oneSided.map(({ name, before, after }) => [name, before, after]),
    [["late", 0, 0.015]],
  );
  // One that is listed isn't told twice.
  const all = changesOf(before, { windows: windows([6, 7, 6, 6]), processes: [] });
  assert.deepEqual([all.listed.some(({ name }) => name === "late"), all.oneSided], [true, []]);
});

test("with few windows there are differences and no claims", () => {
  const windows = (value: number) => [part(100, { f: value }), part(100, { f: value })];
  const changes = changesOf({ windows: windows(10), processes: [] }, { windows: windows(20), processes: [] });
  assert.equal(changes.certain, false);
  assert.equal(changes.listed[0].interval, null);
});

test("what a function does itself is found where what it calls hides it", () => {
  const window = (self: number, callee: number, i: number): PartFunctions => ({
    total: self + callee,
    complete: true,
    functions: new Map([
      ["run", { self: self + i, total: self + callee + i }],
      ["work", { self: callee, total: callee }],
    ]),
  });
  const windows = (self: number, callee: number) => ({
    windows: [0, 1, 2, 1].map((i) => window(self, callee, i)),
    processes: [],
  });
  const { listed, others } = changesOf(windows(200, 600), windows(600, 600));
  assert.deepEqual(listed.map(({ name, own, after, before }) => [name, own, after > before]).sort(), [
    ["run", true, true],
    ["work", false, false],
  ]);
  const [run] = listed.filter(({ name }) => name === "run");
  assert.ok(Math.abs(run.before - 0.25) < 0.01 && Math.abs(run.after - 0.5) < 0.01);
  assert.equal(others, 0);
  const [more, less] = [true, false].map((grew) =>
    grouped(
      listed.filter((one) => one.after > one.before === grew),
      [],
    ),
  );
  assert.deepEqual(
    [more, less].map((groups) => groups.map(({ head }) => head.name)),
    [["run"], ["work"]],
  );
  // A leaf, and a caller that grows with it, are told by what they have in all.
  const leaf = changesOf(windows(10, 500), windows(10, 900));
  assert.deepEqual(leaf.listed.map(({ name, own }) => [name, own]).sort(), [
    ["run", true],
    ["work", false],
  ]);
});

test("a change takes its callers and callees along, and the called one of equals is the cause", () => {
  const changed = (name: string, by: number): Changed => ({
    name,
    own: false,
    before: 0,
    after: by,
    selfBefore: 0,
    selfAfter: 0,
    interval: null,
  });
  const nodes: FlameNode[] = [
    { depth: 0, name: "main", total: 100 },
    { depth: 1, name: "serve", total: 60 },
    { depth: 2, name: "wrap", total: 40 },
    { depth: 3, name: "match", total: 40 },
    { depth: 4, name: "compile", total: 30 },
    { depth: 1, name: "gc", total: 30 },
  ];
  const groups = grouped(
    [changed("match", 0.4), changed("wrap", 0.4), changed("compile", 0.3), changed("serve", 0.2), changed("gc", 0.1)],
    nodes,
  );
  assert.deepEqual(
    groups.map(({ head, callers, callees }) => [head, ...callers, ...callees].map(({ name }) => name)),
    [["match", "wrap", "serve", "compile"], ["gc"]],
  );
});
