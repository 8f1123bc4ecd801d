import assert from "node:assert/strict";
import { test } from "node:test";
import { sharedTypes, typesDiffer } from "../src/state/profile/sametypes.ts";

/** A profile with types as in "cpu/ms heap/bytes". */
function opened(text: string) {
  const types = text.split(" ").map((of) => {
    const [type, ...unit] = of.split("/");
    return { type, unit: unit.join("/"), total: 0, total_exact: "0" };
  });
  return { info: { types } };
}

test("why profiles can't be merged", () => {
  const differ = (...texts: string[]) => typesDiffer(texts.map(opened));
  assert.equal(differ(), "");
  assert.equal(differ("cpu/ms"), "");
  assert.equal(differ("cpu/ms heap/bytes", "cpu/ms heap/bytes"), "");
  assert.equal(differ("samples/count", "samples/count/1000"), "", "the core converts these");
  assert.equal(differ("cpu/ns", "cpu/ns", "cpu/ms"), "the units differ (ns and ms)");
  assert.equal(differ("cpu/ns", "cpu/ns heap/bytes"), "they have only some profile types in common");
  assert.equal(differ("cpu/ns", "cpu/ms", "heap/bytes"), "the profile types differ", "more than a unit");
  assert.equal(
    differ("cpu/ns heap/bytes", "heap/bytes cpu/ns"),
    "their profile types are in different orders",
    "the core wants one order",
  );
});

test("the types by which profiles can be compared", () => {
  const shared = (...texts: string[]) => sharedTypes(texts.map(opened));
  assert.deepEqual(shared(), []);
  assert.deepEqual(shared("cpu/ns heap/bytes"), ["cpu", "heap"]);
  assert.deepEqual(shared("heap/bytes cpu/ns wall/ns", "wall/ns cpu/ns"), ["cpu", "wall"]);
  assert.deepEqual(shared("samples/count/100 cpu/ns", "cpu/ms samples/count"), ["samples"]);
  assert.deepEqual(shared("cpu/ns", "cpu/ns", "heap/bytes"), []);
});
