import assert from "node:assert/strict";
import { test } from "node:test";
import { latest } from "../src/state/latest.ts";

test("what begins aborts what began before it", () => {
  const steps = latest();
  const first = steps.begin();
  assert.ok(!first.aborted);
  const second = steps.begin();
  assert.deepEqual([first.aborted, second.aborted], [true, false]);
});

test("after an abort nothing counts until the next begins", () => {
  const steps = latest();
  const first = steps.begin();
  steps.abort();
  assert.ok(first.aborted);
  assert.ok(!steps.begin().aborted);
});
