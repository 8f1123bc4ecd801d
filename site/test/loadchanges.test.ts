import assert from "node:assert/strict";
import { test } from "node:test";
import "./page.ts";

const { profiledPart } = await import("../src/state/query/loadchanges.ts");

test("changes are looked for in the part of a range that has profiles, where steps are shorter", () => {
  const week = { from: 50, until: 1000 };
  const part = (...filled: number[]) => {
    const counts = Array.from({ length: 10 }, (_, i) => Number(filled.includes(i)));
    return profiledPart({ start: 0, step: 100, counts }, week);
  };
  assert.deepEqual(part(7), { from: 700, until: 800 });
  assert.deepEqual(part(0, 2), { from: 50, until: 300 });
  assert.deepEqual(part(9), { from: 900, until: 1000 });
  assert.equal(part(2, 8), null);
  assert.equal(part(), null);
});
