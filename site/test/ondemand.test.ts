import assert from "node:assert/strict";
import { test } from "node:test";
import { onDemand } from "../src/ondemand.ts";

test("it is made once, when it is first needed, and again after a drop", () => {
  let times = 0;
  const { get, drop } = onDemand(() => ({ made: ++times }));
  assert.equal(times, 0);
  const first = get();
  assert.equal(get(), first);
  drop();
  assert.equal(times, 1);
  assert.deepEqual([get().made, get().made], [2, 2]);
});
