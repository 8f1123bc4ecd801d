import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSteps, timeAmong, timeOf, timeStep } from "../src/core/steps.ts";
import { cellsOf, drawnPart, extended, isWithin, shading, spanBetween } from "../src/flame/heatmapcells.ts";

const MAP = { start: 2, end: 3.9, column: 1, rows: 4, cells: [1, 0, 0, 0, 0, 0, 9, 4], has_idle: false };

test("cells stand in columns, from top to bottom", () => {
  const cells = [...cellsOf(MAP, 100, 40)].filter(({ value }) => value > 0);
  assert.deepEqual(
    cells.map(({ x, y, w, h, value, at }) => [x, y, w, h, value, isWithin([3.5, 3.75], at)]),
    [
      [0, 0, 50, 10, 1, false],
      [50, 20, 50, 10, 9, true],
      [50, 30, 50, 10, 4, false],
    ],
  );
  assert.equal(isWithin(null, 2), false);
  // The axis ends where the profile does, within the last column.
  assert.equal(drawnPart(MAP), 0.95);
  assert.equal(drawnPart({ ...MAP, end: 2 }), 1);
});

test("a strip reaches as far as the chart below it", () => {
  assert.equal(extended(MAP, 3), MAP);
  const { cells, ...longer } = extended(MAP, 4.5);
  assert.deepEqual([cells.length, cells.slice(0, 8), longer.end], [12, MAP.cells, 4.5]);
  assert.deepEqual(extended(MAP, 3.95).cells, MAP.cells);
});

test("shades tell cells apart, whatever they have", () => {
  const round = (shades: number[]) => shades.map((shade) => Math.round(shade * 100));
  // A profile that is never at rest: between half and all.
  const busy = [...new Array(50).fill(80), ...new Array(50).fill(100)];
  assert.deepEqual(round([0, 1, 50, 80, 100].map(shading(busy))), [0, 15, 15, 66, 100]);
  // One peak leaves the differences of the others.
  const peak = [...new Array(49).fill(10), ...new Array(50).fill(20), 5000];
  assert.deepEqual(round([10, 15, 20, 5000].map(shading(peak))), [15, 57, 100, 100]);
  assert.deepEqual(round([7].map(shading([7]))), [100]);
  assert.deepEqual(round([0].map(shading([0, 0]))), [0]);
});

test("a drag takes whole columns, or cells of one", () => {
  assert.deepEqual(spanBetween(MAP, { x: 0.9, y: 0.1 }, { x: 0.1, y: 0.9 }), [2, 4]);
  assert.deepEqual(spanBetween(MAP, { x: 0.1, y: 0.6 }, { x: 0.2, y: 0.3 }), [2.25, 2.75]);
  assert.deepEqual(spanBetween(MAP, { x: -1, y: 0 }, { x: 2, y: 5 }), [2, 4]);
});

test("a part of the time is a step of the address", () => {
  assert.equal(timeStep([0.1 + 0.2, 1e-9]), "time:0.3-0.000000001");
  assert.deepEqual(timeOf("time:0.25-1.5"), [0.25, 1.5]);
  assert.equal(timeOf("focus:1-2"), null);
  assert.deepEqual(parseSteps(["time:1-2", "time:x", "time:1-", "time:-1-2"]), ["time:1-2"]);
  assert.deepEqual(timeAmong(["focus:a", "time:1-2"]), [1, 2]);
  assert.equal(timeAmong(["focus:a"]), null);
});
