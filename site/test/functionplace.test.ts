import assert from "node:assert/strict";
import { test } from "node:test";
import { namesakePlaces } from "../src/format/functionplace.ts";

const places = (...listed: [name: string, file: string][]) => {
  const rows = listed.map(([name, file]) => ({ name, file }));
  return rows.map(namesakePlaces(rows));
};

test("a name that only one row has needs no place", () => {
  assert.deepEqual(places(["main", "cmd/a/main.go"], ["run", "cmd/a/main.go"]), ["", ""]);
});

test("rows of one name have as much of the end of their files as differs", () => {
  assert.deepEqual(
    places(["run", "svc/orders.go"], ["run", "svc/carts.go"], ["main", "cmd/a/main.go"], ["main", "cmd/b/main.go"]),
    ["orders.go", "carts.go", "a/main.go", "b/main.go"],
  );
  assert.deepEqual(places(["run", "main.go"], ["run", "cmd/main.go"], ["run", ""]), [
    "main.go",
    "cmd/main.go",
    "no source file",
  ]);
});
