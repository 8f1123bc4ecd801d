import assert from "node:assert/strict";
import { test } from "node:test";
import type { Service } from "../src/api.ts";
import "./page.ts";

const { profiledSpan } = await import("../src/state/query/loadchanges.ts");

const CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";

function service(id: string, counts: number[]): Service {
  return {
    name: id,
    types: [{ id, total: "1", profiles: 1, previous: "0", previousProfiles: 0, points: counts, counts }],
  };
}

test("changes are looked for where services have profiles of the type, a step more on each side", () => {
  const week = { from: 0, until: 1000 };
  const counts = (...filled: number[]) => Array.from({ length: 10 }, (_, i) => Number(filled.includes(i)));
  assert.deepEqual(profiledSpan([service(CPU, counts(7))], CPU, week), { from: 600, until: 900 });
  const several = [
    service(CPU, counts(2, 6)),
    service("other", counts(0)),
    service(CPU, counts(4)),
    service(CPU, counts()),
  ];
  assert.deepEqual(profiledSpan(several, CPU, week), { from: 100, until: 800 });
  assert.deepEqual(profiledSpan([service(CPU, counts(0, 9))], CPU, week), week);
  assert.deepEqual(profiledSpan([], CPU, week), week);
});
