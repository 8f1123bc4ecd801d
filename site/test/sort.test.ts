/** The order of the table where the address has none, or one of another kind of tree. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sortOf } from "../src/state/profile/sort.ts";
import type { Sort } from "../src/state/url/values.ts";
import "./page.ts";

const { formatSort, parseSort } = await import("../src/state/url/values.ts");

const sides = (base: number, comparison: number) => ({
  diff: { base, comparison, base_exact: "", comparison_exact: "", normalised_to: null },
});
const check = (tree: Parameters<typeof sortOf>[0], sort: string, expect: string) =>
  assert.equal(formatSort(sortOf(tree, parseSort(sort) as Sort)), expect);

test("a tree has no change to sort by", () => {
  check({ diff: null }, "-self", "-self");
  check({ diff: null }, "-delta", "-self");
  check({ diff: null }, "self_delta", "self");
  check({ diff: null }, "total", "total");
});

test("a comparison begins with what changed in the direction of the whole", () => {
  check(sides(5, 7), "-self", "-delta");
  check(sides(5, 5), "-self", "-delta");
  check(sides(7, 5), "-self", "delta");
  check(sides(1000, 995), "-self", "-delta");
});

test("a chosen order stays", () => {
  for (const tree of [sides(5, 7), sides(7, 5)])
    for (const order of ["-delta", "delta", "-self_delta", "-total", "name"]) check(tree, order, order);
});
