import assert from "node:assert/strict";
import { test } from "node:test";
import "./page.ts";

const { changedValue, haveSameValues, otherLabels, sumsByValue } = await import("../src/state/query/changedvalue.ts");

/** A load from 3 to `after`, of these sums by region. */
function found(after: number, first: Record<string, number>, second: Record<string, number>) {
  const sums = [first, second].map((side) =>
    sumsByValue(
      Object.entries(side).map(([region, total]) => ({ labels: { region }, total })),
      ["region"],
    ),
  );
  return changedValue({ before: 3, after }, [sums[0], sums[1]]);
}

test("the value with nearly all of a change is told, of growth and of decline", () => {
  const { name, value, part } = found(3.8, { eu: 1, us: 1, ap: 1 }, { eu: 1, us: 1, ap: 1.8 }) ?? assert.fail();
  assert.deepEqual([name, value], ["region", "ap"]);
  assert.ok(Math.abs(part - 1) < 1e-9);
  // Of a longer side, everything is more.
  assert.equal(found(3.8, { eu: 1, us: 1, ap: 1 }, { eu: 10, us: 10, ap: 18 })?.value, "ap");
  assert.equal(found(2.5, { eu: 1, us: 1, ap: 1 }, { eu: 1, us: 1, ap: 0.5 })?.value, "ap");
  assert.equal(found(4, { eu: 1.5, us: 1.5 }, { eu: 1.5, us: 1.5, ap: 1 })?.value, "ap");
});

test("none is told where all changed alike, one had nearly all, or load moved from one to another", () => {
  assert.equal(found(4.5, { eu: 1, us: 1, ap: 1 }, { eu: 1.5, us: 1.5, ap: 1.5 }), null);
  assert.equal(found(4.5, { eu: 2.9, us: 0.1 }, { eu: 4.35, us: 0.15 }), null);
  // Processes that a deploy replaced.
  assert.equal(found(4, { p1: 3 }, { p2: 4 }), null);
  assert.equal(found(3.3, { eu: 1, us: 2 }, { eu: 2, us: 1.3 }), null);
  assert.equal(found(4, {}, {}), null);
});

test("of several labels the one is told whose value had the least of the load", () => {
  const side = (hot: number) =>
    sumsByValue(
      ["a", "b", "c", "d"].map((pod) => ({
        labels: { pod, region: pod < "c" ? "eu" : "us" },
        total: pod === "d" ? hot : 1,
      })),
      ["region", "pod"],
    );
  const { name, value } = changedValue({ before: 4, after: 6 }, [side(1), side(3)]) ?? assert.fail();
  assert.deepEqual([name, value], ["pod", "d"]);
});

test("labels with one value or too many aren't looked at, nor the one that is compared", () => {
  const many = Array.from({ length: 21 }, (_, i) => String(i));
  const known = { version: ["1", "2"], region: ["eu", "us"], host: ["a"], customer: many, __name__: ["a", "b"] };
  assert.deepEqual(otherLabels(known, "version"), ["region"]);
  assert.deepEqual(otherLabels(known, ""), ["version", "region"]);
  assert.deepEqual(otherLabels({ version: ["1"], "a,b": ["1", "2"] }, ""), ["version"], "there may be another before");
});

test("versions are the same on both sides, others, or not known", () => {
  const side = (...totals: [string, number][]) =>
    sumsByValue(
      totals.map(([version, total]) => ({ labels: { version }, total })),
      ["version"],
    );
  assert.ok(haveSameValues(["version"], [side(["1", 10]), side(["1", 14])]));
  assert.ok(haveSameValues(["version"], [side(["1", 10], ["2", 10]), side(["1", 15], ["2", 14])]));
  assert.ok(!haveSameValues(["version"], [side(["1", 10]), side(["1", 9], ["2", 3])]), "a canary");
  assert.ok(!haveSameValues(["version"], [side(["1", 10]), side(["2", 14])]));
  assert.ok(!haveSameValues(["build"], [side(["1", 10]), side(["1", 14])]), "a label that wasn't read");
  assert.ok(haveSameValues([], [side(["1", 10]), side(["2", 14])]), "without versions");
});
