import assert from "node:assert/strict";
import { test } from "node:test";
import type { ValueTimeline } from "../src/state/query/labelvalues.ts";
import { latestTwo, versionChanges, versionLabel } from "../src/state/query/versionchanges.ts";
import { marksIn } from "../src/time/marks.ts";

const STEP = 30_000;

/** A version that has profiles in steps from `from` to `until`, in every `every`th. */
function version(value: string, from: number, until: number, every = 1): ValueTimeline {
  const counts = Array.from({ length: 120 }, (_, i): number =>
    i >= from && i < until && (i - from) % every === 0 ? 1 : 0,
  );
  const profiles = counts.reduce((sum, n) => sum + n, 0);
  const covered = counts.map(() => 0);
  return { value, start: 1000, step: STEP, points: counts, counts, covered, total: profiles, profiles };
}

test("a version is new where it begins inside the range", () => {
  const found = versionChanges("version", [version("1.9.0", 70, 120), version("1.8.2", 0, 71)]);
  assert.deepEqual(found, [
    { time: 1000 + 70 * STEP, text: "version 1.9.0", step: STEP, isBack: false, sharedUntil: 1000 + 71 * STEP },
  ]);
  const [alone] = versionChanges("version", [version("1.9.0", 70, 120), version("1.8.2", 0, 70)]);
  assert.deepEqual(alone, { time: 1000 + 70 * STEP, text: "version 1.9.0", step: STEP, isBack: false });
});

test("several are in order of time, also one that came back for a while", () => {
  const back = version("1.8.2", 0, 50);
  for (let i = 80; i < 90; i++) back.counts[i] = 1;
  const found = versionChanges("version", [version("1.9.1", 90, 120), back, version("1.9.0", 50, 80)]);
  assert.deepEqual(
    found.map(({ text }) => text),
    ["version 1.9.0", "version 1.8.2 again", "version 1.9.1"],
  );
});

test("a rollback of a few long steps begins the old version again, and a gap beside a canary doesn't", () => {
  const back = version("1.8.2", 0, 120);
  for (let i = 60; i < 63; i++) back.counts[i] = 0;
  const found = versionChanges("version", [version("1.9.0", 60, 63), back]);
  assert.deepEqual(
    found.map(({ text, time }) => [text, (time - 1000) / STEP]),
    [
      ["version 1.9.0", 60],
      ["version 1.8.2 again", 63],
    ],
  );
  const late = version("1.8.2", 0, 64);
  for (let i = 60; i < 63; i++) late.counts[i] = 0;
  const rolled = versionChanges("version", [version("1.9.0", 60, 120), late]);
  assert.deepEqual(
    rolled.map(({ text }) => text),
    ["version 1.9.0"],
    "one profile of the old version, late in a rollout",
  );
});

test("where steps have several profiles a rollback of one step is one", () => {
  const [back, rolled] = [version("1.8.2", 0, 120), version("1.9.0", 60, 63)];
  back.counts = back.counts.map((count, i) => (i === 61 ? 0 : 10 * count));
  [back.counts[60], back.counts[62]] = [1, 9];
  rolled.counts = rolled.counts.map((count, i) => count * ({ 60: 9, 62: 1 }[i] ?? 10));
  const marked = () => versionChanges("version", [rolled, back]).map(({ text, time }) => [text, (time - 1000) / STEP]);
  assert.deepEqual(marked(), [
    ["version 1.9.0", 60],
    ["version 1.8.2 again", 62],
  ]);
  rolled.counts[61] = 1;
  assert.deepEqual(marked(), [["version 1.9.0", 60]], "a straggler says nothing of the other one");
  rolled.counts[61] = 10;
  back.counts = back.counts.map((count) => Math.min(count, 1));
  assert.deepEqual(marked(), [["version 1.9.0", 60]], "its agent may have missed a step");
});

test("a rollout ends where the version before is gone, and a pause is no new beginning", () => {
  const rolled = versionChanges("version", [version("b", 40, 120, 2), version("a", 0, 61, 2)]);
  assert.deepEqual(rolled, [
    { time: 1000 + 40 * STEP, text: "version b", step: STEP, isBack: false, sharedUntil: 1000 + 61 * STEP },
  ]);
  const [beside] = versionChanges("version", [version("b", 40, 120), version("a", 0, 120)]);
  assert.equal(beside.sharedUntil, 1000 + 41 * STEP, "they go on beside each other");
  const [brief] = versionChanges("version", [version("b", 40, 41), version("a", 0, 120)]);
  assert.ok(brief.isGone, "no step is its own");
  const alone = version("a", 0, 120);
  alone.counts[41] = 0;
  assert.equal(versionChanges("version", [version("b", 40, 43), alone])[0].isGone, undefined);
  assert.equal(beside.isGone, undefined);
  const quiet = version("a", 0, 120);
  const seldom = version("b", 40, 120, 12);
  assert.equal(versionChanges("version", [quiet, seldom]).length, 1, "an agent that pushes seldom");
  const stopped = version("b", 40, 120);
  for (let i = 60; i < 70; i++) stopped.counts[i] = 0;
  assert.equal(versionChanges("version", [version("a", 0, 40), stopped]).length, 1, "nothing else ran");
});

test("one that pauses beside another does not begin again", () => {
  const canary = version("b", 0, 120);
  for (let i = 50; i < 60; i++) canary.counts[i] = 0;
  assert.deepEqual(versionChanges("version", [version("a", 0, 120), canary]), []);
});

test("what is there from the beginning is not new, nor is the first version of a new service", () => {
  assert.deepEqual(versionChanges("version", [version("a", 0, 120), version("b", 1, 120)]), []);
  assert.deepEqual(versionChanges("version", [version("a", 40, 120)]), []);
  // Every three minutes: its first profile need not be in the first step.
  assert.deepEqual(versionChanges("version", [version("a", 0, 120), version("b", 5, 120, 6)]), []);
  assert.deepEqual(versionChanges("version", [version("", 60, 120), version("a", 0, 120)]), []);
  assert.deepEqual(versionChanges("version", []), []);
});

test("a commit is named by its first digits, and many versions by the last of them", () => {
  const commit = "0123456789abcdef0123456789abcdef01234567";
  const [found] = versionChanges("service_git_ref", [version("f".repeat(40), 0, 60), version(commit, 60, 120)]);
  assert.equal(found.text, "service_git_ref 01234567");
  const many = Array.from({ length: 50 }, (_, i) => version(`v${i}`, 2 * i, 2 * i + 2));
  const last = versionChanges("version", many);
  assert.equal(last.length, 30);
  assert.equal(last.at(-1)?.text, "version v49");
});

test("the last two are those that were seen last for the first time, whatever their names", () => {
  const commits = [version("f0", 0, 40), version("b7", 80, 120), version("0a", 40, 80), version("", 0, 120)];
  assert.deepEqual(latestTwo(commits), ["0a", "b7"]);
  const back = version("2.0", 0, 40);
  back.counts[119] = 1;
  assert.deepEqual(latestTwo([back, version("1.9", 40, 119)]), ["2.0", "1.9"]);
  assert.deepEqual(latestTwo([version("1.10", 0, 120), version("1.9", 0, 120)]), ["1.9", "1.10"]);
  assert.equal(latestTwo([version("1", 0, 120), version("2", 0, 0)]), undefined);
  // Both began in one step, or were there when the range began: the one that ended first is older.
  assert.deepEqual(latestTwo([version("0a", 0, 120), version("f0", 0, 3)]), ["f0", "0a"]);
});

test("the label of a version is the program's own, if it has several values", () => {
  const two = ["1", "2"];
  assert.equal(versionLabel({ region: two, service_git_ref: two }), "service_git_ref");
  assert.equal(versionLabel({ app_version: two, service_git_ref: two, version: two }), "version");
  assert.equal(versionLabel({ app_version: two, version: ["1"] }), "app_version");
  assert.equal(versionLabel({ region: two, version: ["1"] }), undefined);
  assert.equal(versionLabel({ xref: two, preference: two }), undefined);
});

test("a bucket says what is marked in it", () => {
  const marks = [
    { time: 100, text: "version 2" },
    { time: 119, text: "version 3" },
    { time: 120, text: "version 4" },
  ];
  assert.equal(marksIn(marks, { start: 0, step: 20 }, 5), "version 2, version 3");
  assert.equal(marksIn(marks, { start: 0, step: 20 }, 6), "version 4");
  assert.equal(marksIn(marks, { start: 0, step: 20 }, 0), "");
});
