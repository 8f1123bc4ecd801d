import assert from "node:assert/strict";
import { test } from "node:test";
import { effect } from "@preact/signals";
import { nameOf, parseSteps, stepOf } from "../src/core/steps.ts";
import { idleReason, stepLabel } from "../src/format/step.ts";
import { engine, idle, server } from "./page.ts";

const { go, pictureRoute, undo, visit } = await import("../src/state/url/router.ts");
const { loadExplore } = await import("../src/state/query/loadexplore.ts");
const { loadCompare } = await import("../src/state/query/compare.ts");
const { startDrawing } = await import("../src/state/profile/draw.ts");
const { startFocus } = await import("../src/state/profile/focus.ts");
const { KEYS } = await import("../src/keys.ts");
const { files, loadFiles } = await import("../src/state/profile/files.ts");
const { shown } = await import("../src/state/profile/shown.ts");
const steps = await import("../src/state/profile/stepchanges.ts");

test("a step of one name matches that name as it is, and is shown as it", () => {
  for (const name of ["main.(*Svc).Place", "a|b", "^x$", "operator[](int)", "back\\slash", "std::vec<{a}>?+*"]) {
    const step = stepOf("focus", name);
    assert.ok(new RegExp(step.slice("focus:".length)).test(name), name);
    assert.ok(!new RegExp(step.slice("focus:".length)).test(`${name}x`), name);
    assert.equal(nameOf(step), name);
  }
  assert.equal(nameOf("focus:^a.b$"), null, "an expression of several names");
  assert.equal(nameOf("focus:main"), null);
});

test("steps in words", () => {
  const label = (step: string, words: string) => assert.equal(stepLabel(step), words);
  label(stepOf("focus", "github.com/acme/shop/orders.(*Svc).Place"), "focus orders.(*Svc).Place");
  label("show-from:^main\\.|run", "show from /^main\\.|run/");
  label("group:package", "by package");
  label("recursion:direct", "recursion folded");
  label("inlines:hide", "inlined calls hidden");
  assert.equal(idleReason("group:module"), "no frame has a module");
  assert.equal(idleReason("focus:x"), "matches nothing");
});

test("what is no step is left out, and there is an end to them", () => {
  assert.deepEqual(parseSteps(["focus:a:b", "focus:", "focus", "turn:x", "group:line", "group:file", ""]), [
    "focus:a:b",
    "group:file",
  ]);
  assert.equal(parseSteps(new Array(100).fill("hide:x")).length, 64);
});

/** What the core was asked to draw: steps, and whether upside down. */
const asked: [string[], boolean][] = [];
const dropped: number[] = [];
let tree = 0;
const profileInfo = { id: 1, name: "p", types: [], default_type: 0, warnings: [], samples: 1, functions: 1 };
Object.assign(engine, {
  unnamed: () => [],
  open: () => profileInfo,
  close: () => {},
  dropTree: (id: number) => void dropped.push(id),
  tree: (_: number, __: number, steps: string[], invert: boolean) => {
    asked.push([steps, invert]);
    if (steps.includes("focus:(")) throw new Error("step 1, focus:(: unclosed group");
    return { id: ++tree, nodes: 5, depth: 2, unmatched: [], diff: null };
  },
});
let fetched = 0;
server.answer = (url) => {
  if (!url.pathname.endsWith("/profile"))
    return Response.json({ services: [], ended: [], labels: {}, points: [], counts: [], covered: [] });
  fetched++;
  return new Response(new Uint8Array(3), { headers: { "x-pilotlight-profiles": "4" } });
};

test("a change of steps draws the same profile again", async () => {
  visit("explore", { service: "a", type: "cpu", base: { from: "0", until: "3600000", filters: [] } });
  const stop = effect(loadExplore);
  startDrawing();
  await idle();
  steps.stepOn("focus", "main.run");
  await idle();
  steps.setGroup("package");
  steps.toggleRecursion();
  await idle();
  assert.deepEqual(pictureRoute.value.steps, ["focus:^main\\.run$", "group:package", "recursion:direct"]);
  steps.setGroup("file");
  steps.toggleRecursion();
  steps.toggleInvert();
  await idle();
  assert.deepEqual(asked.at(-1), [["focus:^main\\.run$", "group:file"], true]);
  assert.equal(steps.group.value, "file");
  go({ view: "sandwich" });
  await idle();
  assert.deepEqual(asked.at(-1)?.[1], false, "a sandwich is made of the tree as it is");
  assert.equal(fetched, 1, "the profile is not asked for again");
  const answer = shown.value;
  assert.ok(answer.state === "ready");
  assert.equal(dropped.length, tree - 1, "former trees are dropped");
  assert.ok(!dropped.includes(answer.tree.id));

  go({ steps: ["focus:("] });
  await idle();
  const failed = shown.value;
  assert.ok(failed.state === "ready");
  assert.match(failed.stepProblem ?? "", /unclosed group/);
  assert.deepEqual(asked.at(-1), [[], false], "the profile is shown without");

  go({ steps: ["group:file"] });
  assert.equal(steps.group.value, "function", "what is drawn until the answer is there");
  assert.equal(steps.askedGroup.value, "file");
  await idle();
  assert.equal(steps.group.value, "file");
  go({ steps: ["group:file", "focus:("] });
  await idle();
  assert.deepEqual([steps.group.value, steps.askedGroup.value], ["function", "file"], "the steps were refused");
  assert.deepEqual(steps.takenSteps.value, []);
  stop();
});

test("keys that are pressed quickly act one after the other", async () => {
  Object.assign(engine, {
    key: () => "k",
    find: () => 3,
    select: () => {},
    children: () => ({ largest: [], count: 0 }),
    occurrence: () => ({ position: 1, count: 1 }),
    search: () => ({ matches: 0, fraction: 0, total: 0 }),
    node: () => ({ node: 3, name: "work", path: [], children: 0, fraction: 1, total: 1, start: null }),
  });
  visit("explore", { service: "a", type: "cpu", base: { from: "0", until: "3600000", filters: [] }, selection: "k" });
  const stop = effect(loadExplore);
  startFocus();
  await idle();
  const press = (key: string) =>
    KEYS.flatMap(({ bindings }) => bindings)
      .find(({ keys }) => keys.includes(key))
      ?.run();
  for (const key of ["f", "r", "g", "v", "2"]) press(key);
  await idle();
  const { steps, invert, view } = pictureRoute.value;
  assert.deepEqual(steps, ["focus:^work$", "recursion:direct", "group:file"]);
  assert.deepEqual([invert, view], [true, "table"]);
  stop();
});

test("a chart is of a thread of which the filters leave samples", async () => {
  const all = ["swapper", "forks (9)", "forks (11)"];
  const left: Record<string, string[]> = { "hide:x": all, "tagfocus:thread_id=9": ["forks"], "focus:none": [] };
  let taken: string[] = [];
  Object.assign(engine, {
    part: (_: number, steps: string[]) => {
      taken = steps;
      return { id: 2 };
    },
    threads: (profile: number) => (profile === 2 ? left[taken[0]] : all).map((name) => ({ name, total: 1 })),
    chart: (_: number, __: number, [step]: string[], thread: string) => {
      const has = step === "tagfocus:thread_id=9" ? thread === "forks (9)" : (left[step] ?? all).includes(thread);
      return { id: ++tree, nodes: has ? 5 : 1, depth: has ? 2 : 1, unmatched: [], diff: null, start: 0 };
    },
  });
  const info = { ...profileInfo, timed: true };
  files.value = [{ info, bytes: 1, millis: 1, checked: true, address: "" }] as unknown as typeof files.value;
  const drawn = async (step: string, thread = "") => {
    visit("file", { view: "chart", thread, steps: [step] });
    await idle();
    const answer = shown.value;
    assert.ok(answer.state === "ready");
    assert.deepEqual([answer.stepProblem, answer.threads?.length], ["", 3]);
    return [answer.thread, answer.tree.nodes];
  };
  const stop = effect(loadFiles);
  assert.deepEqual(await drawn("hide:x"), ["swapper", 5]);
  assert.deepEqual(await drawn("tagfocus:thread_id=9"), ["forks (9)", 5]);
  assert.deepEqual(await drawn("focus:none"), ["swapper", 1]);
  // One that was chosen stays, with nothing to draw.
  assert.deepEqual(await drawn("tagfocus:thread_id=9", "forks (11)"), ["forks (11)", 1]);
  assert.deepEqual(await drawn("hide:x", "forks (11)"), ["forks (11)", 5]);
  const before = { trees: tree, dropped: dropped.length };
  const { part } = engine;
  engine.part = () => {
    throw new Error("out of memory");
  };
  visit("file", { view: "chart", steps: ["focus:none"] });
  await idle();
  const answer = shown.value;
  assert.ok(answer.state === "ready");
  assert.match(answer.stepProblem ?? "", /out of memory/);
  // The former one, and the one without samples.
  assert.deepEqual([tree - before.trees, dropped.length - before.dropped], [2, 2]);
  assert.ok(!dropped.includes(answer.tree.id));
  engine.part = part;
  stop();
});

test("a comparison takes the same steps on both sides, and is drawn again", async () => {
  const compared: unknown[] = [];
  engine.diff = (
    _base: number,
    _other: number,
    _type: number,
    normalise: boolean,
    steps: string[],
    invert: boolean,
  ) => {
    compared.push([normalise, steps, invert]);
    return { id: ++tree, nodes: 5, depth: 2, unmatched: [], diff: { normalised_to: normalise ? 100 : null } };
  };
  const range = (from: string, until: string) => ({ from, until, filters: [] });
  visit("diff", { service: "a", type: "cpu", base: range("0", "3600000"), other: range("3600000", "7200000") });
  const stop = effect(loadCompare);
  await idle();
  const before = fetched;
  steps.stepOn("focus", "main.run");
  steps.toggleInvert();
  await idle();
  assert.deepEqual(compared[0], [false, [], false]);
  assert.deepEqual(compared.at(-1), [false, ["focus:^main\\.run$"], true]);
  assert.equal(fetched, before, "the profiles are not asked for again");
  assert.deepEqual(steps.takenSteps.value, ["focus:^main\\.run$"]);
  stop();
});

test("an address without a name is no step", () => {
  const before = pictureRoute.value.steps;
  for (const name of ["?", "0x20", "0x20 [libc.so.6]"]) steps.stepOn("hide", name);
  assert.equal(pictureRoute.value.steps, before);
  steps.stepOn("hide", "[libc.so.6]");
  assert.deepEqual(pictureRoute.value.steps.at(-1), "hide:^\\[libc\\.so\\.6\\]$");
});

test("undoing ends where the page begins", () => {
  let back = 0;
  const entries: unknown[] = [];
  const put = (state: unknown, _: unknown, url: string) => {
    Object.assign(history, { state });
    entries.push(state);
    location.href = url;
  };
  Object.assign(history, { pushState: put, replaceState: put, state: null, back: () => back++ });
  visit("home");
  visit("explore", { service: "b" });
  undo();
  assert.equal(back, 0);
  go({ view: "table" });
  go({ search: "x" }, "replace");
  go({ view: "flame" });
  undo();
  assert.equal(back, 1);
  assert.deepEqual(entries.slice(-4), [0, 1, 1, 2]);
});
