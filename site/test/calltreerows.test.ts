import assert from "node:assert/strict";
import { test } from "node:test";
import "./page.ts";

const { byRows } = await import("../src/state/profile/calltreerows.ts");

test("matches are in the order of the tree's rows, not in that of their nodes", () => {
  // The root calls 2 and 1, of which 2 is larger; 2 calls 4 and 3.
  const siblings = [Uint32Array.of(2, 1), Uint32Array.of(4, 3)];
  const paths = [
    [0, 1],
    [0, 2, 3],
    [0, 2, 4],
    [0, 2],
  ];
  assert.deepEqual(byRows(paths, siblings), [2, 4, 3, 1]);
});
