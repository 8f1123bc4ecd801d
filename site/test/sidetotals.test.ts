import assert from "node:assert/strict";
import { test } from "node:test";
import type { SampleType } from "../src/core/types.ts";
import type { Compared } from "../src/state/profile/shown.ts";
import { engine } from "./page.ts";

const { show } = await import("../src/state/profile/shown.ts");
const { changeOfTotals, sidesLeft } = await import("../src/state/profile/sidetotals.ts");

Object.assign(engine, { dropTree: () => {} });

/** A comparison on the screen, of `whole` on both sides together before its filters. */
type Answer = { compared?: Compared; totals?: Record<"base" | "other", SampleType> };
async function left(
  answer: Answer,
  whole: number,
  base: number,
  comparison: number,
  normalised_to: number | null = null,
): Promise<[number, number] | null> {
  const diff = { base, comparison, base_exact: "", comparison_exact: "", normalised_to };
  const tree = { id: 1, whole, diff };
  await show(
    "",
    async () => ({ state: "ready", tree, facts: [], warnings: [], exported: null, title: "", ...answer }) as never,
  );
  return sidesLeft({ whole }, diff);
}

const totals = (base: number, other: number) => {
  const side = (total: number): SampleType => ({ type: "cpu", unit: "ms", total, total_exact: String(total) });
  return { totals: { base: side(base), other: side(other) } };
};
const compared = (measure: Compared["measure"], base: [number, number], other: [number, number]): Answer => {
  const side = ([total, coveredMillis]: [number, number]) => ({
    id: 1,
    name: "",
    profiles: 1,
    total,
    exact: "",
    unit: "ms",
    coveredMillis,
  });
  return {
    compared: {
      measure,
      gauge: false,
      timed: true,
      coverageDiffers: false,
      overlap: null,
      base: side(base),
      other: side(other),
    },
  };
};

test("what filters leave is said of each side", async () => {
  // 182 of 525 and 41 of 205 samples, which together are 223 of 730.
  const amounts = await left(totals(525, 205), 730, 182, 41);
  assert.deepEqual(amounts, [0.346667, 0.2]);
  // Shares are of 100 % each, whatever the totals are.
  assert.deepEqual(await left(totals(525, 205), 200, 15.8, 29.3, 1000), [0.158, 0.293]);
  // Loads are of their own time: 2 and 3 cores.
  const loads = compared("rate", [200, 100], [900, 300]);
  assert.deepEqual(await left(loads, 5, 1, 1.5), [0.5, 0.5]);
  assert.deepEqual(await left(compared("amount", [200, 100], [900, 300]), 1100, 100, 900), [0.5, 1]);
});

test("a step that leaves all leaves 100 %, and a side without a value nothing", async () => {
  assert.deepEqual(await left(totals(1, 2), 0.1 + 0.2, 0.1, 0.2), [1, 1]);
  assert.deepEqual(await left(totals(0, 8), 8, 0, 2), [0, 0.25]);
  assert.equal(await left({}, 8, 1, 2), null);
});

test("totals that read alike changed only by what one may see", () => {
  const said = (base: number, other: number, unit = "nanoseconds") => changeOfTotals({ base, other, unit }).join(" ");
  assert.equal(said(2_200_000_000, 2_200_000_052), "2.2 s → 2.2 s ±0 %");
  assert.equal(said(1_000_000_000, 1_000_600_000), "1 s → 1 s ±0 %");
  assert.equal(said(681_100_000_000, 686_730_000_000), "11.4 min → 11.4 min +0.8 %");
  assert.equal(said(1_000_000_000, 1_006_000_000), "1 s → 1.01 s +0.6 %");
  assert.equal(said(20_000, 20_002, "count"), "20,000 → 20,002 +0.01 %");
  assert.equal(said(0, 5, "count"), "0 → 5 new");
  assert.equal(said(100, 0, "count"), "100 → 0 gone");
});
