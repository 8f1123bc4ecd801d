import assert from "node:assert/strict";
import { test } from "node:test";
import type { Graph } from "../src/core/types.ts";
import { labelOf } from "../src/graph/nodelabel.ts";
import { neighbour } from "../src/graph/walk.ts";
import { fitted, moved, readable, showing, transformOf, zoomedAt } from "../src/graph/window.ts";

const { curve } = await import("../src/graph/curve.ts");
const { arrange } = await import("../src/core/arrange.ts");

const VIEW = { width: 400, height: 200 };

test("a graph is shown at a size that can be read, its top if not all fits, and fitted when asked", () => {
  assert.deepEqual(readable({ width: 100, height: 50 }, VIEW, { x: 7, y: 7 }), [1, 50, 25]);
  assert.deepEqual(fitted({ width: 100, height: 50 }, VIEW), [1, 50, 25]);
  assert.deepEqual(fitted({ width: 800, height: 100 }, VIEW), [0.5, 400, 50]);
  const [scale, x, y] = readable({ width: 8000, height: 4000 }, VIEW, { x: 3000, y: 60 });
  assert.deepEqual([scale, x], [1, 3000]);
  assert.equal(Math.round(y - VIEW.height / 2 / scale), 0);
  // What is far below is in the middle, and at the lower end in view.
  assert.deepEqual(readable({ width: 8000, height: 4000 }, VIEW, { x: 3000, y: 900 }), [1, 3000, 900]);
  assert.deepEqual(readable({ width: 8000, height: 4000 }, VIEW, { x: 3000, y: 3990 }), [1, 3000, 3900]);
});

test("zooming keeps the point under the pointer in its place", () => {
  const [scale, x, y] = zoomedAt([1, 200, 100], VIEW, { x: 100, y: 100 }, 2);
  // What was at 100, 100 of the drawing is there still.
  assert.deepEqual([(100 - x) * scale + 200, (100 - y) * scale + 100], [100, 100]);
  assert.equal(zoomedAt([1, 0, 0], VIEW, { x: 0, y: 0 }, 1000)[0], 4);
  assert.equal(transformOf([2, 100, 50], VIEW), "translate(0 0) scale(2)");
});

test("moving ends at the edges of the graph", () => {
  assert.deepEqual(moved([2, 100, 100], { width: 300, height: 300 }, { x: 100, y: -50 }), [2, 150, 75]);
  assert.deepEqual(moved([1, 100, 100], { width: 300, height: 300 }, { x: 900, y: -900 }), [1, 300, 0]);
});

test("a node comes into view with no more movement than needed", () => {
  const room = { width: 100, height: 50 };
  const all = { left: 0, right: 0, bottom: 0 };
  assert.deepEqual(showing([1, 200, 100], VIEW, { x: 210, y: 110 }, room, all), [1, 200, 100]);
  assert.deepEqual(showing([1, 200, 100], VIEW, { x: 400, y: 110 }, room, all), [1, 250, 100]);
  // The view shows x 0 to 400 and y 0 to 200; a drawer lies over a part of it.
  assert.deepEqual(showing([1, 200, 100], VIEW, { x: 210, y: 110 }, room, { ...all, right: 100 }), [1, 200, 100]);
  assert.deepEqual(showing([1, 200, 100], VIEW, { x: 350, y: 110 }, room, { ...all, right: 100 }), [1, 300, 100]);
  assert.deepEqual(showing([1, 200, 100], VIEW, { x: 100, y: 110 }, room, { ...all, left: 100 }), [1, 150, 100]);
  assert.deepEqual(showing([2, 200, 100], VIEW, { x: 200, y: 100 }, room, { ...all, bottom: 100 }), [2, 200, 125]);
});

/** main calls a and b, which call c; a calls d. */
const GRAPH = {
  edges: [
    { from: 0, to: 1, total: 60 },
    { from: 0, to: 2, total: 40 },
    { from: 1, to: 3, total: 10 },
    { from: 2, to: 3, total: 40 },
    { from: 1, to: 4, total: 50 },
  ],
} as Graph;
const PLACES = {
  nodes: [
    { x: 50, y: 0 },
    { x: 20, y: 10 },
    { x: 80, y: 10 },
    { x: 60, y: 20 },
    { x: 10, y: 20 },
  ],
};

test("keys walk along edges, and from side to side", () => {
  const next = (
    node: number,
    direction: Parameters<typeof neighbour>[3],
    came: Parameters<typeof neighbour>[4] = null,
  ) => neighbour(GRAPH, PLACES, node, direction, came);
  assert.deepEqual([next(0, "child"), next(1, "child"), next(3, "parent"), next(0, "parent")], [1, 4, 2, 0]);
  // The callers of c, as one came up from there.
  assert.equal(next(2, "previous", { from: 3, direction: "parent" }), 1);
  assert.equal(next(1, "previous", { from: 3, direction: "parent" }), 1, "at the end one stays");
  // The callees of a.
  assert.equal(next(4, "next", { from: 1, direction: "child" }), 3);
  // From nowhere: what is in the row.
  assert.equal(next(1, "next"), 2);
});

test("a library finds places that do not overlap, callers above callees", () => {
  const size = { width: 100, height: 40 };
  const links = GRAPH.edges.map(({ from, to }) => ({ from, to, weight: 1 }));
  const { nodes, edges, width, height } = arrange(
    PLACES.nodes.map(() => size),
    [...links, { from: 4, to: 0, weight: 0 }],
  );
  assert.equal(edges.length, 6);
  assert.ok(links.every(({ from, to }) => nodes[from].y + size.height < nodes[to].y));
  for (const [i, a] of nodes.entries()) {
    assert.ok(a.x >= size.width / 2 && a.x <= width - size.width / 2 && a.y <= height - size.height / 2);
    for (const b of nodes.slice(i + 1))
      assert.ok(Math.abs(a.x - b.x) >= size.width || Math.abs(a.y - b.y) >= size.height, "apart");
  }
});

test("edges are smooth lines from end to end", () => {
  const points = [0, 10, 20, 30].map((y) => ({ x: y / 10, y }));
  assert.equal(curve(points.slice(0, 2)), "M0 0L1 10");
  assert.equal(curve(points), "M0 0Q1 10 1.5 15Q2 20 3 30");
});

test("names are cut to a node's room; shares are of the whole", () => {
  const measure = (text: string) => text.length * 7;
  const row = {
    func: 1,
    name: "a/b.C",
    file: "",
    self: 1,
    total: 4,
    self_fraction: 0.1,
    total_fraction: 0.4,
    diff: null,
  };
  const small = labelOf({ ...row, self_fraction: 0 }, "", measure);
  assert.deepEqual(small, { name: "b.C", values: "self 0 % of 40 %", width: 132, height: 42, scale: 1 });
  // What has a quarter in itself is drawn 60 % larger.
  const large = labelOf({ ...row, self_fraction: 0.25 }, "", measure);
  assert.deepEqual([large.values, large.width, large.height], ["self 25 % of 40 %", 223, 68]);
  const long = labelOf({ ...row, name: "x".repeat(90), self_fraction: 0.4 }, "", measure);
  assert.equal(Math.floor(long.width / long.scale), 220);
  assert.ok(long.name.endsWith("…") && long.values === "self 40 %");
  // The fractions of a comparison are of both sides together, which is nobody's share.
  const diff = { base_self: 0, base_total: 1.5e9, comparison_self: 0, comparison_total: 2e9, state: "same" as const };
  assert.equal(labelOf({ ...row, diff }, "nanoseconds", measure).values, "1.5 → 2 s");
});
