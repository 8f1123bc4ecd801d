import assert from "node:assert/strict";
import { test } from "node:test";
import { RULES as EXAMPLES, NO_RULE } from "../../tests/browser/rules.mjs";
import type { TableRow, TreeInfo } from "../src/core/types.ts";
import { engine } from "./page.ts";

const { RULES, rulesFor } = await import("../src/explain/advice.ts");
const { describeChange, summarise } = await import("../src/explain/summary.ts");

/** Whether steps leave a stack, as the core takes them; tests/browser/explain.test.mjs asks the core itself. */
function leave(steps: string[], stack: string): boolean {
  return steps.every((step) => {
    const [verb] = step.split(":", 1);
    const pattern = new RegExp(step.slice(verb.length + 1));
    return stack.split(";").some((name) => pattern.test(name)) === (verb === "focus");
  });
}

const rulesOf = (stack: string) => RULES.filter(({ stacks }) => leave(stacks, stack)).map(({ name }) => name);

test("each rule has stacks that it is about, and others that look alike", () => {
  assert.deepEqual(
    RULES.map(({ name }) => name),
    Object.keys(EXAMPLES),
  );
  for (const [name, { fires, silent }] of Object.entries(EXAMPLES)) assert.ok(fires.length && silent.length, name);
});

test("a stack is of the rule that is about it, and of no other", () => {
  for (const [name, { fires }] of Object.entries(EXAMPLES))
    for (const stack of fires) assert.deepEqual(rulesOf(stack), [name], stack);
});

test("a stack that looks alike is not of the rule", () => {
  for (const [name, { silent }] of Object.entries(EXAMPLES))
    for (const stack of silent) assert.ok(!rulesOf(stack).includes(name), `${name}: ${stack}`);
  for (const stack of NO_RULE) assert.deepEqual(rulesOf(stack), [], stack);
});

test("advice is on what the profile measures", () => {
  const names = (type: string, unit: string) => rulesFor({ type, unit }).map(({ name }) => name);
  const work = names("cpu", "nanoseconds");
  assert.equal(work.length, RULES.length);
  for (const [type, unit] of [
    ["wall", "nanoseconds"],
    ["samples", "count"],
    ["cpu", "cores"],
    ["cache-misses", "count"],
  ])
    assert.deepEqual(names(type, unit), work, type);
  const locks = ["Waiting for locks", "Waiting for java.util.concurrent locks"];
  for (const type of ["delay", "contentions", "mutex_contentions", "goroutines"])
    assert.deepEqual(names(type, "count"), locks, type);
  for (const type of ["alloc_space", "alloc_objects", "alloc_in_new_tlab_bytes", "malloc_bytes"]) {
    const found = names(type, "bytes/s");
    assert.ok(found.includes("Growing arrays and maps") && found.includes("JSON"), type);
    assert.ok(!found.includes("Compression") && !found.includes("Garbage collection"), type);
  }
  for (const type of ["inuse_space", "inuse_objects", "live", "space", "peak"])
    assert.deepEqual(names(type, type === "live" ? "count" : "bytes"), [], type);
});

test("a change is said as the table says it, also of a function that is new or gone", () => {
  const said = (base_total: number, comparison_total: number) =>
    describeChange({ diff: { base_total, comparison_total } } as TableRow, "seconds");
  assert.deepEqual([said(2, 3), said(0, 3), said(2, 0)], ["2 s → 3 s (+50 %)", "0 → 3 s (new)", "2 s → 0 (gone)"]);
  const diff = { base_total: 500, comparison_total: 490, base_self: 400, comparison_self: 100 };
  assert.equal(
    describeChange({ diff } as TableRow, "seconds"),
    "8.33 min → 8.17 min (−2 %), itself 6.67 min → 1.67 min (−75 %)",
    "where callees hide its own",
  );
});

test("advice names the settings of the runtime whose functions are there", async () => {
  const adviceFor = async (stack: string, name = "Garbage collection") => {
    Object.assign(engine, {
      table: () => ({ rows: [], count: 0 }),
      search: (_: number, query: string) => ({ matches: stack.split(";").filter(matcher(query)).length }),
      dropTree: () => {},
    });
    const tree = { id: 1, type: "cpu", unit: "nanoseconds", total: 100, unmatched: [], diff: null };
    const { patterns } = await summarise(async () => tree as unknown as TreeInfo, "p", []);
    return patterns.find(({ rule }) => rule.name === name)?.advice ?? "";
  };
  const matcher = (query: string) => {
    const pattern = new RegExp(query.slice(1, -1), "i");
    return (name: string) => pattern.test(name);
  };
  assert.match(await adviceFor("runtime.gcBgMarkWorker;runtime.gcDrain"), /\(GOGC\)[^-]*$/);
  assert.match(
    await adviceFor("WorkerThread::run;G1ParScanThreadState::steal"),
    /shows where\. A larger heap \(-Xmx\)/,
  );
  assert.match(await adviceFor("main;gc_collect_main"), /shows where\.$/);
  const orjson = (name: string) => adviceFor(`main;${name}`, "JSON").then((advice) => /orjson/.test(advice));
  const jackson = "com/fasterxml/jackson/core/json/UTF8StreamJsonParser.nextToken";
  const told = [await orjson("json.loads"), await orjson("JSON.parse"), await orjson(jackson)];
  assert.deepEqual(told, [true, false, false]);
});

test("of profiles whose functions are alike it says whether in values or in shares", async () => {
  Object.assign(engine, { table: () => ({ rows: [], count: 0 }), dropTree: () => {} });
  const told = async (normalised_to: number | null) => {
    const diff = { base: 100, comparison: 100, base_exact: "100", comparison_exact: "100", normalised_to };
    const tree = { id: 1, type: "cpu", unit: "nanoseconds", total: 200, unmatched: [], diff } as unknown as TreeInfo;
    return (await summarise(async () => tree, "a → b", [])).of;
  };
  assert.match(await told(null), /100 ns → 100 ns\. No function's value changed /);
  assert.match(await told(1000), / No function's share changed by more than 0\.1 % of the total/);
});

test("of a chain of calls one is listed, and of functions beside each other each", async () => {
  const row = (name: string, total: number, self = 0) => ({
    func: 0,
    name,
    file: "",
    total,
    self,
    total_fraction: total / 100,
    self_fraction: self / 100,
  });
  const all = [
    row("main", 100),
    row("serve", 60),
    row("handle", 59),
    row("parse", 38),
    row("render", 37.5),
    row("leaf", 30, 30),
  ];
  const callers: Record<string, string[]> = { serve: ["main"], parse: ["main"] };
  const callees: Record<string, string[]> = { serve: ["handle"] };
  const trees: (string[] | undefined)[] = [];
  const made = (names?: string[]) => {
    trees.push(names);
    return { id: trees.length - 1, type: "samples", unit: "count", total: 100, whole: 400, unmatched: [], diff: null };
  };
  Object.assign(engine, {
    dropTree: () => {},
    table: (id: number) => {
      const names = trees[id];
      return { rows: names ? all.filter(({ name }) => names.includes(name)) : all, count: 0 };
    },
    sandwich: (_: number, name: string) => ({ callers: made(callers[name] ?? []), callees: made(callees[name] ?? []) }),
  });
  const treeOf = async (steps: string[]) => ({ ...made(), total: steps.length > 0 ? 0 : 100 }) as unknown as TreeInfo;
  const { total, of } = await summarise(treeOf, "p", ["1 file", "filtered by focus ^x$"]);
  assert.deepEqual(
    total.map(({ name }) => name),
    ["serve", "parse", "render"],
  );
  assert.equal(of, "100 samples of 400 samples, 1 file, filtered by focus ^x$");
});
