import assert from "node:assert/strict";
import { test } from "node:test";
import { effect } from "@preact/signals";
import { labelOf } from "../src/core/steps.ts";
import { stepLabel } from "../src/format/step.ts";
import { engine, idle } from "./page.ts";

const { fileRoute, go, visit } = await import("../src/state/url/router.ts");
const { files, loadFiles } = await import("../src/state/profile/files.ts");
const { openFiles } = await import("../src/state/profile/opening.ts");
const { startDrawing } = await import("../src/state/profile/draw.ts");
const { shown } = await import("../src/state/profile/shown.ts");
const steps = await import("../src/state/profile/stepchanges.ts");

/** Profiles that are open in the core, and what it was asked to compare. */
const open = new Set<number>();
const compared: unknown[][] = [];
let last = 0;
const profile = (total = 0) => {
  open.add(++last);
  const types = [{ type: "cpu", unit: "count", total, total_exact: String(total) }];
  return { id: last, name: "p", types, default_type: 0, warnings: [], samples: 1, functions: 1, timed: true };
};
let trees = 0;
Object.assign(engine, {
  open: () => profile(30),
  close: (id: number) => open.delete(id),
  dropTree: () => {},
  tree: () => ({ id: ++trees, nodes: 5, depth: 2, unmatched: [], diff: null }),
  threads: () => [{ name: "", total: 1 }],
  chart: () => ({ id: ++trees, nodes: 5, depth: 2, unmatched: [], diff: null, start: 0 }),
  // As much as the time is long.
  part: (_: number, steps: string[]) => {
    const [, from, until] = /^time:(\d+)-(\d+)$/.exec(steps[0]) ?? [];
    return profile(Number(until) - Number(from));
  },
  diff: (...args: unknown[]) => {
    compared.push(args);
    const unmatched = (args[4] as string[]).map((_, i) => i);
    return { id: ++trees, nodes: 5, depth: 2, unmatched, diff: {} };
  },
});
const ready = () => {
  const answer = shown.value;
  assert.ok(answer.state === "ready");
  return answer;
};

test("two parts of the time are compared, and nothing of it stays open", async () => {
  visit("file");
  const stop = effect(loadFiles);
  startDrawing();
  await openFiles([new File(["main 1"], "a.txt")]);
  await idle();
  const before = open.size;
  steps.setAgainst([5, 6]);
  await idle();
  assert.deepEqual(fileRoute.value.steps, ["time:5-6"], "without a first part it is the first");
  assert.equal(fileRoute.value.against, null);
  steps.setAgainst([10, 20]);
  await idle();
  assert.deepEqual(fileRoute.value.against, [10, 20]);
  assert.equal(compared.at(-1)?.[3], true, "one is longer than the other: shares");
  assert.equal(ready().totals?.base.total, 1);
  assert.equal(ready().totals?.other.total, 10);
  assert.equal(open.size, before);

  go({ measure: "amount" });
  await idle();
  assert.equal(compared.at(-1)?.[3], false);
  steps.addStep("hide:x");
  await idle();
  assert.deepEqual(ready().tree.unmatched, [1], "what matches nothing in either");
  steps.swapParts();
  await idle();
  assert.deepEqual(
    [fileRoute.value.steps, fileRoute.value.against],
    [
      ["time:10-20", "hide:x"],
      [5, 6],
    ],
  );
  assert.equal(ready().totals?.base.total, 10);

  steps.setTime([1, 2]);
  await idle();
  assert.deepEqual(fileRoute.value.against, [5, 6], "the other side stays");
  steps.lookAt("chart");
  await idle();
  assert.deepEqual([fileRoute.value.against, ready().totals], [[5, 6], undefined], "a chart is of the first part");
  steps.lookAt("flame");
  await idle();
  assert.equal(ready().totals?.base.total, 1, "the second part is still there");
  steps.lookAt("chart");
  steps.setAgainst([6, 7]);
  assert.equal(fileRoute.value.view, "flame", "a comparison is no chart");
  steps.removeStep(0);
  assert.equal(fileRoute.value.against, null, "there is nothing to compare it with");
  await idle();
  assert.equal(ready().totals, undefined);
  assert.equal(open.size, before);
  stop();
});

test("files with and without decimals are compared in the finer unit", async () => {
  files.value = [];
  const totals: [unit: string, total: number][] = [
    ["count", 50],
    ["count/1000", 50_500],
  ];
  const before = engine.open;
  Object.assign(engine, {
    open: () => {
      const [unit, total] = totals.shift() ?? ["", 0];
      return { ...profile(), types: [{ type: "samples", unit, total, total_exact: String(total) }] };
    },
  });
  visit("file");
  const stop = effect(loadFiles);
  await openFiles([new File(["main 50"], "a.txt"), new File(["main 50.5"], "b.txt")]);
  assert.deepEqual(
    files.value.map(({ checked }) => checked),
    [true, true],
    "they can be added up",
  );
  compared.length = 0;
  go({ compare: true });
  await idle();
  assert.equal(compared.at(-1)?.[3], false, "they differ by 1 %");
  const { base, other } = ready().totals ?? {};
  assert.deepEqual([base?.unit, base?.total, base?.total_exact], ["count/1000", 50_000, "50000"]);
  assert.deepEqual([other?.unit, other?.total, other?.total_exact], ["count/1000", 50_500, "50500"]);
  stop();
  Object.assign(engine, { open: before });
});

test("frames of labels come before what may name them", () => {
  go({ steps: ["focus:eu"] });
  steps.frameBy("tagroot", "region");
  assert.deepEqual(fileRoute.value.steps, ["tagroot:region", "focus:eu"]);
});

test("steps of labels in words", () => {
  const label = (step: string, words: string) => assert.equal(stepLabel(step), words);
  label("tagfocus:region=^eu$", "region = eu");
  label("tagignore:path=^/a\\.b\\x2cc\\x3d\\\\$", "path ≠ /a.b,c=\\");
  label("tagfocus:size=1kb:2kb", "with label size=1kb:2kb");
  label("tagignore:region=^eu|us$", "without label region=^eu|us$");
  label("tagroot:region,zone", "region,zone at the root");
  label("tagleaf:region", "region at the leaves");
  assert.deepEqual(labelOf("tagfocus:a=^\\(x\\)$"), { key: "a", value: "(x)" });
  assert.equal(labelOf("tagfocus:a=^x$,^y$"), null);
  assert.equal(labelOf("tagfocus:a=^\\d$"), null);
});
