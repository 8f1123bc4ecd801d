import assert from "node:assert/strict";
import { test } from "node:test";
import "./page.ts";

const { profiledPart } = await import("../src/state/query/loadchanges.ts");

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
