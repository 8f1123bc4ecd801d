import assert from "node:assert/strict";
import { test } from "node:test";
import { effect } from "@preact/signals";
import type { NodeDetail } from "../src/core/types.ts";
import { engine, idle, server } from "./page.ts";

const { fileRoute, go, visit } = await import("../src/state/url/router.ts");
const { loadExplore, timeline } = await import("../src/state/query/loadexplore.ts");
const { loadCompare, sideSeries } = await import("../src/state/query/compare.ts");
const { checked, comparing, files, loadFiles, moveAcross, offeredTypes, opening, showAll, sides, swapFiles } =
  await import("../src/state/profile/files.ts");
const { failures, openFiles } = await import("../src/state/profile/opening.ts");
const { clear, shown } = await import("../src/state/profile/shown.ts");
const { notice } = await import("../src/state/page/notice.ts");
const { describeFrame, nextOccurrence, select, selected, startFocus } = await import("../src/state/profile/focus.ts");

const CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
const HOUR = 3_600_000;
const range = (from: number, until: number) => ({ from: String(from), until: String(until), filters: [] });

/** A server with a profile every 15 s in any range. */
function answered(url: URL): Response {
  const [from, until, points] = ["from", "until", "points"].map((name) => Number(url.searchParams.get(name)));
  if (url.pathname.endsWith("/timeline")) {
    const step = (until - from) / points;
    const counts = new Array<number>(points).fill(step / 15_000);
    const [values, covered] = [counts.map((n) => n * 10), counts.map(() => step)];
    return Response.json({ start: from, step, points: values, counts, covered, total: 10 * points, profiles: points });
  }
  if (url.pathname.endsWith("/profile"))
    return new Response(new Uint8Array(3), { headers: { "x-pilotlight-profiles": "4" } });
  return Response.json({ services: [], ended: [], labels: {} });
}

/** Profiles that are open in the core. */
const open = new Set<number>();
let last = 0;
const profile = () => {
  open.add(++last);
  return { id: last, name: "p", types: [], default_type: 0, warnings: [], samples: 1, functions: 1 };
};
const fail = () => {
  throw new Error("refused");
};
Object.assign(engine, {
  open: profile,
  merge: profile,
  close: (id: number) => open.delete(id),
  dropTree: () => {},
  unnamed: () => [],
});

test("a chart does not stay for another range of equal length that cannot be loaded", async () => {
  server.answer = answered;
  visit("explore", { service: "a", type: CPU, base: range(0, HOUR) });
  await idle();
  assert.equal(timeline.value.value?.start, 0);
  server.answer = () => new Response("", { status: 500 });
  go({ base: range(5 * HOUR, 6 * HOUR) });
  await idle();
  assert.equal(timeline.value.state, "error");
  assert.equal(timeline.value.value, undefined);
});

test("what a failed or stopped job has opened is closed", async () => {
  server.answer = answered;
  engine.tree = fail;
  visit("explore", { service: "a", type: CPU, base: range(0, HOUR) });
  const stopExplore = effect(loadExplore);
  await idle();
  assert.equal(shown.value.state, "error");
  assert.deepEqual([...open], [], "a profile that cannot be drawn");
  stopExplore();

  const sides = { service: "a", type: CPU, base: range(0, HOUR), other: range(HOUR, 2 * HOUR) };
  engine.diff = fail;
  visit("diff", sides);
  const stop = effect(loadCompare);
  await idle();
  assert.equal(shown.value.state, "error");
  assert.deepEqual([...open], [], "two that cannot be compared");

  let asked = 0;
  server.answer = (url) =>
    url.pathname.endsWith("/profile") && ++asked === 2 ? new Response("", { status: 500 }) : answered(url);
  go({ base: range(1000, HOUR) });
  await idle();
  assert.equal(asked, 2);
  assert.deepEqual([...open], [], "the first of two, when the second fails");

  server.answer = (url) => {
    if (url.pathname.endsWith("/profile") && url.searchParams.get("from") === String(HOUR)) clear();
    return answered(url);
  };
  go({ base: range(2000, HOUR) });
  await idle();
  assert.deepEqual([...open], [], "the first of two, when the person leaves");

  server.answer = answered;
  engine.diff = () => ({ id: 1, nodes: 1, depth: 1 });
  go({ base: range(3000, HOUR) });
  await idle();
  assert.equal(shown.value.state, "ready");
  assert.equal(open.size, 2, "those of the picture stay");
  stop();
  clear();
  await idle();
  assert.deepEqual([...open], [], "and go with it");
});

test("the timelines of a day and of an hour have steps of one length", async () => {
  server.answer = answered;
  visit("diff", { service: "a", type: CPU, base: range(0, 24 * HOUR), other: range(24 * HOUR, 25 * HOUR) });
  await idle();
  const { base, other, peak } = sideSeries.value;
  assert.equal(base?.step, other?.step);
  assert.ok(peak && peak > 0);
});

test("two quick steps through the occurrences go two frames far", async () => {
  startFocus();
  const tree = { id: 7, nodes: 5, depth: 2 };
  const detail = (node: number) => ({
    node,
    name: `f${node}`,
    fraction: 0.1,
    total: 10,
    children: 0,
    path: [
      { node: 0, name: "total" },
      { node, name: `f${node}` },
    ],
  });
  Object.assign(engine, {
    tree: () => tree,
    key: (_: number, node: number) => `k${node}`,
    find: (_: number, key: string) => Number(key.slice(1)),
    node: (_: number, node: number) => detail(node),
    children: () => ({ largest: [], count: 0 }),
    occurrence: (_: number, node: number) => ({ position: node, count: 4 }),
    otherOccurrence: (_: number, node: number, by: number) => ((node + by + 3) % 4) + 1,
    select: () => {},
    search: () => ({ matches: 0, fraction: 0, total: 0 }),
  });
  visit("explore", { service: "a", type: CPU, base: range(0, HOUR) });
  const stop = effect(loadExplore);
  await idle();
  await select(1);
  await Promise.all([nextOccurrence(1), nextOccurrence(1)]);
  await idle();
  assert.equal(selected.value, 3);
  // The root's own key is asked of the core; any other that finds the root is of no frame here.
  go({ selection: "k0" });
  await idle();
  assert.equal(selected.value, 0);
  engine.find = () => 0;
  go({ selection: "gone" });
  await idle();
  assert.equal(selected.value, 0xffffffff);
  stop();
});

test("a frame is announced with its share as the page shows it", () => {
  const frame = { name: "f", total: 3, fraction: 0.0004, children: 1, start: null, diff: null };
  assert.match(describeFrame(frame as unknown as NodeDetail), /, 0\.04 %, 1 child$/);
});

test("of a new tree nothing is marked or searched that the address does not name", async () => {
  const calls: string[] = [];
  Object.assign(engine, {
    tree: () => ({ id: 19, nodes: 5, depth: 2 }),
    select: () => void calls.push("select"),
    search: (_: number, query: string) => {
      calls.push(`search ${query}`);
      return { matches: 0, fraction: 0, total: 0 };
    },
  });
  visit("explore", { service: "a", type: CPU, base: range(0, HOUR) });
  const stop = effect(loadExplore);
  await idle();
  assert.deepEqual(calls, []);
  go({ search: "x" });
  await idle();
  go({ search: "" });
  await idle();
  assert.deepEqual(calls, ["search x", "search "]);
  stop();
});

test("a call about the picture that fails is reported, unless the picture was replaced", async () => {
  let tree = 20;
  let reject: (failure: Error) => void = () => {};
  Object.assign(engine, {
    tree: () => ({ id: ++tree, nodes: 5, depth: 2 }),
    select: () => new Promise((_, fail) => (reject = fail)),
    find: () => 3,
    key: () => "k",
    node: () => new Promise(() => {}),
    children: () => new Promise(() => {}),
    occurrence: () => new Promise(() => {}),
  });
  const { error } = console;
  const logged: unknown[] = [];
  console.error = (failure: unknown) => logged.push(failure);
  visit("explore", { service: "a", type: CPU, base: range(0, HOUR), selection: "k3" });
  const stop = effect(loadExplore);
  await idle();
  const ofReplaced = reject;
  go({ base: range(0, 2 * HOUR) });
  await idle();
  ofReplaced(new Error("no such tree"));
  await idle();
  assert.deepEqual(logged, []);
  assert.equal(notice.value, "");
  reject(new Error("out of memory"));
  await idle();
  assert.equal(logged.length, 1);
  assert.match(notice.value, /^Could not select this frame\. /);
  stop();
  console.error = error;
});

test("a batch of files that fails in an unexpected way does not block the next", async () => {
  const broken = { name: "b.txt", size: 1, slice: fail };
  await assert.rejects(openFiles([new File(["main 1"], "a.txt"), broken as unknown as File]));
  assert.equal(opening.value, null, "nothing is under way");
  await openFiles([new File(["main 1"], "a.txt")]);
  assert.deepEqual(
    files.value.map(({ info }) => info.name),
    ["p"],
  );
});

const text = (name: string) => new File(["main 1"], name);
const names = (list: { info: { name: string } }[]) => list.map(({ info }) => info.name);
/** A core that makes a profile of each file, which has the types of its name, with that total: "cpu-10.txt", "cpu+heap-2.txt". */
function openByName(): void {
  engine.open = (name: string) => {
    const [types, total] = name.split(/[-.]/);
    const typeOf = (type: string) => ({ type, unit: "count", total: Number(total), total_exact: total });
    return { ...profile(), name, types: types.split("+").map(typeOf) };
  };
}

test("of files opened together, those that measure what the first does are looked at", async () => {
  openByName();
  await openFiles([text("cpu-1.txt"), text("heap-2.txt"), text("cpu-3.txt")]);
  assert.deepEqual(names(checked.value), ["cpu-1.txt", "cpu-3.txt"]);
  assert.deepEqual(failures.value, []);
});

test("two files with a type in common are compared by it, whatever else they have", async () => {
  openByName();
  const asked: unknown[][] = [];
  engine.diff = (...args: unknown[]) => {
    asked.push(args);
    return { id: 1, nodes: 1, depth: 1, diff: {} };
  };
  files.value = [];
  visit("file");
  const stop = effect(loadFiles);
  await openFiles([text("heap+cpu+wall-1.txt"), text("wall+cpu-2.txt")]);
  await idle();
  assert.ok(comparing.value);
  assert.deepEqual(offeredTypes.value, ["cpu", "wall"]);
  assert.equal(asked.at(-1)?.[2], 1, "the first file's default is not in the second");
  go({ type: "wall" });
  await idle();
  assert.equal(asked.at(-1)?.[2], 2);
  // One with the types of the first is on its side.
  await openFiles([text("heap+cpu+wall-3.txt")]);
  assert.deepEqual(names(checked.value), ["heap+cpu+wall-3.txt"]);
  showAll();
  assert.deepEqual(names(sides.value.base), ["heap+cpu+wall-1.txt", "heap+cpu+wall-3.txt"]);
  assert.deepEqual(names(sides.value.other), ["wall+cpu-2.txt"]);
  await idle();
  stop();
});

test("two files without a type in common are not shown together", async () => {
  openByName();
  files.value = [];
  await openFiles([text("cpu-1.txt"), text("heap-2.txt")]);
  assert.deepEqual(names(checked.value), ["cpu-1.txt"]);
});

test("what a file has is said of one, not of several that are merged", async () => {
  openByName();
  files.value = [];
  engine.tree = () => ({ id: 1, nodes: 1, depth: 1 });
  engine.merge = () => ({ ...profile(), samples: 1, types: [{ type: "cpu", unit: "count" }] });
  visit("file");
  const stop = effect(loadFiles);
  const facts = () => (shown.value.state === "ready" ? shown.value.facts.join() : "");
  await openFiles([text("cpu-1.txt")]);
  await idle();
  assert.match(facts(), /^1 file, 6 B,1 record,1 function/);
  await openFiles([text("cpu-2.txt"), text("cpu-3.txt")]);
  await idle();
  assert.match(facts(), /^2 files merged, 12 B,[\d.]+ ms$/);
  stop();
});

test("a cancel stops the readers of other formats, and what is decoded later is closed", async () => {
  openByName();
  const before = files.value.length;
  let stopped = 0;
  let finish: (value: unknown) => void = () => {};
  engine.stopReaders = () => void stopped++;
  engine.open = () => new Promise((resolve) => (finish = resolve));
  const opened = openFiles([text("slow-1.txt"), text("never-1.txt")]);
  await idle();
  assert.equal(opening.value?.stage, "decoding");
  opening.value?.cancel();
  await opened;
  assert.equal(opening.value, null);
  assert.equal(files.value.length, before);
  const late = profile();
  finish(late);
  await idle();
  assert.ok(stopped > 0);
  assert.ok(!open.has(late.id), "it is closed");
  // And the next one does not wait for it.
  openByName();
  await openFiles([text("cpu-1.txt")]);
  assert.equal(files.value.length, before + 1);
});

test("several files are compared: the first with all others, until the person says otherwise", async () => {
  openByName();
  files.value = [];
  const asked: unknown[][] = [];
  engine.diff = (...args: unknown[]) => {
    asked.push(args);
    return { id: 1, nodes: 1, depth: 1, diff: {} };
  };
  engine.merge = () => ({ ...profile(), types: [{ type: "cpu", unit: "count", total: 30, total_exact: "30" }] });
  await openFiles([text("cpu-10.txt"), text("cpu-11.txt"), text("cpu-19.txt")]);
  const sideNames = () => [names(sides.value.base), names(sides.value.other)];
  assert.deepEqual(sideNames(), [["cpu-10.txt"], ["cpu-11.txt", "cpu-19.txt"]]);
  go({ compare: true });
  const stop = effect(loadFiles);
  await idle();
  assert.equal(asked.at(-1)?.[3], true, "the sides differ by more than a tenth: shares");
  const [, second, third] = files.value;
  moveAcross(second.info.id);
  assert.deepEqual(sideNames(), [["cpu-10.txt", "cpu-11.txt"], ["cpu-19.txt"]]);
  swapFiles();
  assert.deepEqual(sideNames(), [["cpu-19.txt"], ["cpu-10.txt", "cpu-11.txt"]]);
  go({ measure: "amount" });
  await idle();
  assert.equal(asked.at(-1)?.[3], false, "as the person wishes");
  go({ measure: "auto" });
  files.value = files.value.filter((file) => file.info.id !== third.info.id);
  await idle();
  assert.deepEqual(sideNames(), [["cpu-10.txt"], ["cpu-11.txt"]]);
  assert.equal(asked.at(-1)?.[3], false, "a tenth is no difference");
  stop();
});

test("a program names the addresses of open files, which are closed as they were", async () => {
  const program = (name: string, bytes = 100) => new File([new Uint8Array([0x7f, 69, 76, 70, ...Array(bytes)])], name);
  files.value = [];
  open.clear();
  openByName();
  await openFiles([text("cpu-1.txt"), text("cpu-2.txt")]);
  const [first, second] = files.value.map(({ info }) => info.id);
  go({ zoom: "0a", selection: "0b", compare: true });
  const answer = { fits: true, named: 4, addresses: 5, ids: ["0c"], wanted: [], info: null };
  const asked: unknown[] = [];
  engine.symbolize = (ids: number[], name: string) => {
    asked.push([ids, name]);
    return [
      { ...answer, info: profile() },
      { ...answer, fits: false },
    ];
  };
  await openFiles([program("small.so"), program("large.so", 200)]);
  const [renamed, same] = files.value.map(({ info }) => info.id);
  assert.deepEqual(asked[0], [[first, second], "large.so"]);
  assert.equal((asked[1] as unknown[])[1], "small.so", "what the first left");
  assert.deepEqual([same, renamed === first], [second, false]);
  await idle();
  assert.deepEqual([...open], [second, renamed], "what has fewer names is closed");
  const { zoom, selection, compare } = fileRoute.peek();
  assert.deepEqual([zoom, selection, compare], [null, null, true]);
  assert.equal(notice.value, "4 of 5 addresses symbolized with large.so. 4 of 5 addresses symbolized with small.so");
  assert.deepEqual(failures.value, []);
  assert.equal(opening.value, null);
});

test("a program that names nothing says why, and a cancel leaves all as it was", async () => {
  const program = new File([new Uint8Array([0xcf, 0xfa, 0xed, 0xfe, 7, 0, 0, 1])], "libfoo.dylib");
  const answer = { fits: false, named: 0, addresses: 0, ids: ["0c"], wanted: ["libbar.so (ab)"], info: null };
  const [{ info }] = files.value;
  const said = async () => {
    await openFiles([program]);
    const [{ title, meaning, tries }] = failures.value;
    assert.equal(title, "libfoo.dylib");
    return `${meaning} ${tries}`;
  };
  engine.symbolize = () => [answer];
  assert.match(
    await said(),
    /isn't part of the open profiles: its build ID is 0c\. Unresolved addresses .* libbar\.so \(ab\)\./,
  );
  engine.symbolize = fail;
  assert.match(await said(), /binary's symbols can't be read: .*refused/);
  let finish: (value: unknown) => void = () => {};
  engine.symbolize = () => new Promise((resolve) => (finish = resolve));
  const opened = openFiles([program]);
  await idle();
  assert.equal(opening.value?.stage, "symbolizing with");
  opening.value?.cancel();
  await opened;
  const late = profile();
  finish([{ ...answer, fits: true, info: late }]);
  await idle();
  assert.ok(!open.has(late.id), "it is closed");
  assert.equal(files.value[0].info.id, info.id);
  files.value = [];
  assert.match(await said(), /This is a binary, not a profile/);
});
