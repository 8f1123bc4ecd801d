import assert from "node:assert/strict";
import { test } from "node:test";
import "./page.ts";

const { changesIn, profiledPart } = await import("../src/state/query/loadchanges.ts");

test("changes are looked for in the part of a range that has profiles, where steps are shorter", () => {
  const minutes = (from: number, until: number) => ({ from: from * 60_000, until: until * 60_000 });
  const part = (...filled: number[]) => {
    const counts = Array.from({ length: 10 }, (_, i) => Number(filled.includes(i)));
    return profiledPart({ start: 0, step: 100 * 60_000, counts }, minutes(50, 1000));
  };
  assert.deepEqual(part(7), minutes(700, 800));
  assert.deepEqual(part(0, 2), minutes(50, 300));
  assert.deepEqual(part(9), minutes(900, 1000));
  assert.equal(part(2, 8), null);
  assert.equal(part(), null);
  // Six hours have the shortest steps already.
  assert.equal(profiledPart({ start: 0, step: 60_000, counts: [0, 1, 0, 0, 0, 0] }, minutes(0, 360)), null);
});

test("a spike that is the run of a version is told with it", () => {
  const STEP = 120_000;
  const series = (version: string, isIn: (at: number) => boolean, value: number) => {
    const counts = Array.from({ length: 120 }, (_, at) => Number(isIn(at)));
    const points = counts.map((count) => count * value * 1e9);
    const covered = counts.map((count) => count * STEP);
    const labels = { service_name: "uploads", version };
    const [total, profiles] = [points, counts].map((list) => list.reduce((sum, one) => sum + one, 0));
    return { labels, points, counts, covered, total, profiles, duration: STEP };
  };
  const found = (from: number, until: number) => {
    const isNew = (at: number) => at >= from && at < until;
    const both = [series("2.3.0", (at) => !isNew(at), 10), series("2.4.0", isNew, 18)];
    const answer = { start: 0, step: STEP, series: both } as unknown as Parameters<typeof changesIn>[1];
    return changesIn("process_cpu:cpu:nanoseconds:cpu:nanoseconds", answer).map(([, { kind, versions }]) => [
      kind,
      versions,
    ]);
  };
  assert.deepEqual(found(60, 62), [["spike", { before: "2.3.0", after: "2.4.0" }]]);
});
