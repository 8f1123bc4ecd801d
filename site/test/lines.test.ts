import assert from "node:assert/strict";
import { test } from "node:test";
import "./page.ts";

const { baseOf, isSourceOf, rowsOf } = await import("../src/state/profile/listing.ts");

const cost = (line: number, name = "f") => ({
  function: name,
  line,
  self: 1,
  total: 2,
  self_fraction: 0.1,
  total_fraction: 0.2,
});

test("a file is the source of a path that ends with its name", () => {
  assert.ok(isSourceOf("orders.go", "/src/shop/orders.go"));
  assert.ok(isSourceOf("orders.go", "orders.go"));
  assert.ok(isSourceOf("a.cs", "C:\\work\\a.cs"));
  assert.ok(!isSourceOf("rders.go", "/src/shop/orders.go"));
  assert.ok(!isSourceOf("", ""));
  assert.equal(baseOf("a/b.c"), "b.c");
});

test("without a source there is what costs something", () => {
  const rows = rowsOf([cost(3), cost(7)], undefined);
  assert.deepEqual(
    rows.map(({ line, text }) => [line, text]),
    [
      [3, null],
      [7, null],
    ],
  );
});

test("with a source there is each of its lines, and what is beyond", () => {
  const rows = rowsOf([cost(0), cost(2, "f"), cost(2, "g"), cost(9)], ["a", "b", "c"]);
  assert.deepEqual(
    rows.map(({ line, cost, text }) => [line, cost?.function ?? null, text]),
    [
      [1, null, "a"],
      [2, "f", "b"],
      [2, "g", ""],
      [3, null, "c"],
      [0, "f", ""],
      [9, "f", ""],
    ],
  );
});
