import assert from "node:assert/strict";
import { test } from "node:test";
import type { Extent } from "../src/flame/extent.ts";
import { gripAt, moveWindow, resizeWindow, windowIn } from "../src/flame/minimapwindow.ts";

const close = (actual: Extent, expected: Extent) =>
  assert.ok(
    Math.abs(actual[0] - expected[0]) < 1e-9 && Math.abs(actual[1] - expected[1]) < 1e-9,
    `${actual} is not ${expected}`,
  );

test("what is seen of a zoomed frame is a part of the whole", () => {
  close(windowIn([0.5, 0.9], [0.25, 0.5]), [0.6, 0.7]);
  close(windowIn([0, 1], [0.25, 0.5]), [0.25, 0.5]);
});

test("a window moves within the whole and keeps its width", () => {
  close(moveWindow([0.2, 0.4], 0.1), [0.3, 0.5]);
  close(moveWindow([0.2, 0.4], 5), [0.8, 1]);
  close(moveWindow([0.2, 0.4], -1), [0, 0.2]);
});

test("an edge moves up to the other, and to the end", () => {
  close(resizeWindow([0.2, 0.4], "right", 2), [0.2, 1]);
  close(resizeWindow([0.2, 0.4], "left", -1), [0, 0.4]);
  const [a, b] = resizeWindow([0.2, 0.4], "left", 0.9);
  assert.ok(a < b && b === 0.4);
});

test("edges are taken hold of near them, the middle within", () => {
  const grip = (at: number) => gripAt([0.2, 0.4], at, 0.01);
  assert.deepEqual([0.1, 0.195, 0.205, 0.3, 0.395, 0.405, 0.5].map(grip), [
    null,
    "left",
    "left",
    "window",
    "right",
    "right",
    null,
  ]);
  assert.equal(gripAt([0.2, 0.201], 0.2005, 0.01), "window", "also of a narrow one");
});
