import assert from "node:assert/strict";
import { test } from "node:test";
import type { Core } from "../src/core/core.ts";
import { A_SECOND, CORES, divided, quotient, SHARE, sharesOf, WHOLE } from "../src/core/divided.ts";
import type { NodeDetail } from "../src/core/types.ts";
import type { Engine } from "../src/core/viewer.ts";
import { trend } from "../src/format/trend.ts";
import { isGauge } from "../src/format/type.ts";
import { formatDelta, formatExact, formatStep, formatValue } from "../src/format/value.ts";
import {
  compareTrees,
  coverageDiffers,
  type MergedSide,
  processesDiffer,
  resolveMeasure,
  sidesDiffer,
} from "../src/state/query/measure.ts";

test("types that say how much there is at an instant", () => {
  for (const id of [
    "memory:inuse_space:bytes:space:bytes",
    "memory:inuse_objects:count:space:bytes",
    "goroutine:goroutine:count:goroutine:count",
    "goroutines:goroutine:count:goroutine:count",
    "goroutine_leak:goroutine_leak:count:goroutine_leak:count",
  ])
    assert.ok(isGauge(id), id);
  for (const id of [
    "process_cpu:cpu:nanoseconds:cpu:nanoseconds",
    "process_cpu:samples:count:cpu:nanoseconds",
    "memory:alloc_space:bytes:space:bytes",
    "mutex:delay:nanoseconds:contentions:count",
    "thread_lifetime:thread_lifetime_timeline:nanoseconds::",
    "",
  ])
    assert.ok(!isGauge(id), id);
});

test("quotients are exact", () => {
  assert.equal(quotient("12166529024", 116), "104883870 26/29");
  assert.equal(104883870n * 116n + (26n * 116n) / 29n, 12166529024n);
  assert.equal(quotient("12166529024", 1), "12166529024");
  assert.equal(quotient("9007199254740993000", 1000), "9007199254740993");
  assert.equal(quotient("-7", 2), "-3 1/2");
  assert.equal(quotient("1", 3), "0 1/3");
  assert.equal(quotient("10", 2.5), "4");
  assert.equal(formatExact(quotient("12166529024", 116), "bytes"), "104,883,870 26/29 bytes");
});

test("amounts of an answer are divided, and nothing else", () => {
  const detail = {
    node: 4,
    depth: 2,
    children: 3,
    occurrences: 5,
    line: 7,
    fraction: 0.5,
    self: 10,
    total: 20,
    total_exact: "20",
    function_total: 40,
    name: "f",
    diff: { base_self: 2, base_total: 4, comparison_self: 6, comparison_total: 8, state: "same" },
  } as unknown as NodeDetail;
  assert.deepEqual(divided(detail, { by: 2 }), {
    node: 4,
    depth: 2,
    children: 3,
    occurrences: 5,
    line: 7,
    fraction: 0.5,
    self: 5,
    total: 10,
    total_exact: "10",
    function_total: 20,
    name: "f",
    diff: { base_self: 1, base_total: 2, comparison_self: 3, comparison_total: 4, state: "same" },
  });
  assert.equal(divided({ ...detail, diff: null }, { by: 2 }).diff, null);
});

test("shares, rates and steps in words", () => {
  assert.equal(formatValue(31.42, SHARE), "31.4 %");
  assert.equal(formatDelta(3.14, SHARE), "+3.1 pp");
  assert.equal(formatDelta(-3.14, SHARE), "−3.1 pp");
  assert.equal(formatValue(1.5e9, `nanoseconds${A_SECOND}`), "1.5 s/s");
  assert.deepEqual([30_000, 60_000, 7_200_000].map(formatStep), ["30 s", "1 min", "2 h"]);
  assert.deepEqual([6_375_000, 7_190_000, 93_600_000, 172_790_000].map(formatStep), [
    "1 h 46 min",
    "2 h",
    "1 d 2 h",
    "2 d",
  ]);
  assert.deepEqual(
    [1.284, 0.5, 0.0461, 0.0046, 0.00046, 0.0000046, 0].map((cores) => formatValue(cores, CORES)),
    ["1.28 cores", "0.5 cores", "0.0461 cores", "0.0046 cores", "460 µcores", "4.6 µcores", "0 cores"],
  );
  assert.deepEqual([formatValue(1, CORES), formatValue(0.99996, CORES)], ["1 core", "1 core"]);
  assert.equal(formatDelta(-0.36, CORES), "−0.36 cores");
  assert.equal(formatValue(2.5, "count"), "2.5");
  assert.equal(formatValue(104_883_870.9, "bytes"), "100 MiB");
});

test("unlike sides compare loads, or shares, unless told otherwise", () => {
  assert.ok(coverageDiffers(120, 38) && coverageDiffers(38, 120));
  assert.ok(!coverageDiffers(120, 110) && coverageDiffers(134, 110) && !coverageDiffers(0, 0));
  const of = (profiles: number, total: number, coveredMillis = 0) => ({ profiles, total, coveredMillis });
  assert.ok(sidesDiffer(of(120, 50), of(120, 60)), "as many profiles, more load");
  assert.ok(sidesDiffer(of(120, 50), of(60, 50)), "fewer profiles, as much load");
  assert.ok(!sidesDiffer(of(120, 50), of(119, 52)));
  // Of more processes in less time.
  assert.ok(sidesDiffer(of(960, 50, 7_200_000), of(1000, 52, 3_000_000)), "as much of both in less time");
  assert.ok(!sidesDiffer(of(960, 50, 7_200_000), of(1000, 52, 0)), "of an unknown time");
  assert.ok(sidesDiffer(of(720, 100, 14_400_000), of(660, 92, 13_200_000)), "a pause of a twelfth");
  assert.ok(!sidesDiffer(of(720, 100, 14_400_000), of(712, 99, 14_260_000)));
  assert.equal(resolveMeasure("auto", true, true), "rate");
  assert.equal(resolveMeasure("auto", true, false), "share");
  assert.equal(resolveMeasure("auto", true, true, false), "share", "nine processes against one");
  assert.equal(resolveMeasure("rate", true, true, false), "rate");
  const side = (profiles: number, coveredMillis: number) => ({ profiles, coveredMillis });
  assert.ok(
    !processesDiffer(side(120, 60_000), side(61, 30_000)) && processesDiffer(side(120, 60_000), side(13, 60_000)),
  );
  assert.equal(resolveMeasure("auto", false, false), "amount");
  assert.equal(resolveMeasure("amount", true, false), "amount");
  assert.equal(resolveMeasure("rate", true, true), "rate");
  assert.equal(resolveMeasure("rate", false, false), "amount");
});

/** A core of profiles with one stack each, whose values are whole numbers; `diff` gives both sides of that stack. */
function stackCore(...values: number[]) {
  const profiles = new Map(values.map((first, id) => [id, first]));
  const value = (id: number) => profiles.get(id) ?? Number.NaN;
  const core = {
    scale: async (id: number, _: number, numerator: number, denominator: number) => {
      profiles.set(profiles.size, Math.floor((value(id) * numerator) / denominator));
      return { id: profiles.size - 1 };
    },
    diff: async (...[base, comparison, , normalise, steps, invert, division]: Parameters<Engine["diff"]>) => {
      assert.deepEqual([steps, invert], [["hide:a"], true]);
      const [left, right] = [value(base), value(comparison)];
      const taken = normalise ? sharesOf(left) : (division ?? WHOLE);
      return divided({ base: left, comparison: normalise ? left : right, unit: taken.unit }, taken);
    },
    close: async (id: number) => void profiles.delete(id),
  } as unknown as Core;
  return { core, open: profiles };
}

test("each measure shows both sides in its own values", async () => {
  const check = async (
    measure: "amount" | "share" | "rate",
    gauge: boolean,
    totals: [number, number],
    profiles: [number, number],
  ) => {
    const { core, open } = stackCore(...totals);
    // One profile a second.
    const side = (i: number): MergedSide => ({
      profile: i,
      type: 0,
      profiles: profiles[i],
      coveredMillis: profiles[i] * 1000,
      total: totals[i],
      unit: "count",
    });
    const tree = await compareTrees(
      core,
      side(0),
      side(1),
      { measure, gauge, cpu: false },
      { steps: ["hide:a"], invert: true },
    );
    assert.equal(open.size, 2, "what was scaled is closed");
    const { base, comparison, unit } = tree as unknown as { base: number; comparison: number; unit?: string };
    return [base, comparison, unit];
  };
  assert.deepEqual(await check("amount", false, [6000, 2000], [120, 40]), [6000, 2000, undefined]);
  assert.deepEqual(await check("share", false, [6000, 2000], [120, 40]), [100, 100, SHARE]);
  // A second of each: they last 120 s and 40 s, either way round.
  assert.deepEqual(await check("rate", false, [6000, 2000], [120, 40]), [50, 50, "count/s"]);
  assert.deepEqual(await check("rate", false, [2000, 7], [40, 120]), [50, 7 / 120, "count/s"]);
  assert.deepEqual(await check("amount", true, [240, 120], [120, 40]), [2, 3, undefined]);
  // 0.4 a snapshot does not become 0 or 1 beside a side of one snapshot.
  assert.deepEqual(await check("amount", true, [7, 40], [1, 100]), [7, 0.4, undefined]);
  assert.deepEqual(await check("amount", true, [40, 7], [100, 1]), [0.4, 7, undefined]);
  assert.deepEqual(await check("amount", true, [7, 9], [2, 2]), [3.5, 4.5, undefined]);
});

test("CPU time a time is cores", async () => {
  const { core } = stackCore(90e9, 64e9);
  const side = (profile: number, total: number, coveredMillis: number): MergedSide => ({
    profile,
    type: 0,
    profiles: 1,
    coveredMillis,
    total,
    unit: "nanoseconds",
  });
  const comparison = { measure: "rate", gauge: false, cpu: true } as const;
  const sides = [side(0, 90e9, 100_000), side(1, 64e9, 50_000)];
  const tree = await compareTrees(core, sides[0], sides[1], comparison, { steps: ["hide:a"], invert: true });
  const { base, comparison: other, unit } = tree as unknown as { base: number; comparison: number; unit: string };
  assert.deepEqual([base, other, unit], [0.9, 1.28, CORES]);
});

test("a period with hardly any profiles is no measure of change", () => {
  const now = { total: "6700", profiles: 240 };
  const hours = { from: 0, until: 6 * 3_600_000 };
  const text = (previous: string, previousProfiles: number, gauge = false) =>
    trend({ ...now, previous, previousProfiles }, gauge, hours)?.text;
  assert.equal(text("100", 4), "too few profiles in the previous 6 h");
  assert.equal(text("0", 0), "no profiles in the previous 6 h");
  assert.equal(text("0", 0, true), "no snapshots in the previous 6 h");
  // A bundle has no period before its own time, or a part of it.
  assert.equal(trend({ ...now, previous: "0", previousProfiles: 0 }, false, hours, hours.from), null);
  assert.equal(
    trend({ ...now, previous: "6000", previousProfiles: 230 }, false, hours, -1)?.text,
    "+7 % per profile vs. previous 6 h",
  );
  assert.equal(text("6000", 230), "+7 % per profile vs. previous 6 h");
  // Averages of the same height; of half of a period they may be of another time of day, or of the end of a leak.
  assert.equal(text("5583", 200, true), "±0 % vs. previous 6 h");
  assert.equal(text("3350", 120, true), "too few snapshots in the previous 6 h");
  // Twice as many profiles before, of as much load each.
  assert.equal(text("13400", 480), "±0 % per profile vs. previous 6 h");
  const few = trend({ ...now, previous: "100", previousProfiles: 4 }, false, hours);
  assert.match(few?.title ?? "", /240 profiles in this range, 4 in/);
});
