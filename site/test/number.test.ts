import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProfileInfo } from "../src/core/types.ts";
import { describeContent } from "../src/format/facts.ts";
import { definedAt, sampledAt } from "../src/format/functionplace.ts";
import { change, count, decimal, grouped, percent, roughChange, short } from "../src/format/number.ts";
import {
  convertible,
  formatBytes,
  formatDelta,
  formatExact,
  formatMillis,
  formatTick,
  formatValue,
  inFinerUnit,
  plural,
  unitOf,
} from "../src/format/value.ts";

/** One case a line: call result, expected text. */
function check(cases: [actual: string, expected: string][]) {
  for (const [actual, expected] of cases) assert.equal(actual, expected);
}

test("three significant digits without trailing zeros", () =>
  check([
    [short(0), "0"],
    [short(1), "1"],
    [short(1.005), "1"],
    [short(1.236), "1.24"],
    [short(9.994), "9.99"],
    [short(9.996), "10"],
    [short(10), "10"],
    [short(23.44), "23.4"],
    [short(99.96), "100"],
    [short(100), "100"],
    [short(1023.6), "1,024"],
    [short(-23.44), "−23.4"],
  ]));

test("decimals of small values keep three digits", () =>
  check([
    [decimal(205.5), "205.5"],
    [decimal(0.1), "0.1"],
    [decimal(-0.012345), "-0.0123"],
    [decimal(1e-9), "0.000000001"],
    [decimal(0), "0"],
    [decimal(-0), "0"],
  ]));

test("grouping keeps integers beyond 2^53 exact", () =>
  check([
    [grouped("0"), "0"],
    [grouped("999"), "999"],
    [grouped("1000"), "1,000"],
    [grouped("-9223372036854775807"), "−9,223,372,036,854,775,807"],
  ]));

test("durations in the unit people would say", () =>
  check([
    [formatValue(0, "nanoseconds"), "0"],
    [formatValue(1, "nanoseconds"), "1 ns"],
    [formatValue(1_500, "nanoseconds"), "1.5 µs"],
    [formatValue(84_000_000, "nanoseconds"), "84 ms"],
    [formatValue(999_700_000, "nanoseconds"), "1 s"],
    [formatValue(59_500_000_000, "nanoseconds"), "59.5 s"],
    [formatValue(59_960_000_000, "nanoseconds"), "1 min"],
    [formatValue(1_404_000_000_000, "nanoseconds"), "23.4 min"],
    [formatValue(7_200_000_000_000, "nanoseconds"), "2 h"],
    [formatValue(90, "seconds"), "1.5 min"],
    [formatValue(2, "milliseconds"), "2 ms"],
    [formatDelta(1_500_000_000, "nanoseconds"), "+1.5 s"],
    [formatDelta(-1_500_000_000, "nanoseconds"), "−1.5 s"],
  ]));

test("sizes in binary units, downloads in decimal ones", () =>
  check([
    [formatValue(512, "bytes"), "512 B"],
    [formatValue(1_288_490_189, "bytes"), "1.2 GiB"],
    [formatValue(1023.9 * 1024, "bytes"), "1 MiB"],
    [formatBytes(2_100_000), "2.1 MB"],
    [formatBytes(999), "999 B"],
  ]));

test("counts and other units", () =>
  check([
    [count(12_400), "12,400"],
    [count(240_000), "240 k"],
    [count(1_236_000), "1.24 M"],
    [count(-5), "−5"],
    [formatValue(12_400, "count"), "12,400"],
    [formatValue(3, "samples"), "3 samples"],
    [formatValue(1, "samples"), "1 sample"],
    [formatValue(1, "cache-misses"), "1 cache-miss"],
    [formatValue(942_000_000, "cycles"), "942 M cycles"],
    [formatValue(2.5, "goroutines"), "2.5 goroutines"],
    [formatValue(60, "cycles/min"), "60 cycles/min"],
    [formatValue(205_500, "samples/1000"), "205.5 samples"],
    [formatTick(942_000_000, "cycles"), "942 M"],
    [formatTick(1_500, "nanoseconds"), "1.5 µs"],
    [formatExact("12", "samples"), "12 samples"],
    [formatExact("1404000000000", "nanoseconds"), "1,404,000,000,000 nanoseconds"],
    [formatExact("12", "count"), "12"],
    [formatExact("1205500", "count/1000"), "1,205.5"],
    [formatExact("-250", "count/1000"), "−0.25"],
    [formatExact("3000", "count/1000"), "3"],
    [formatValue(205_500, "count/1000"), "205.5"],
    [formatValue(20_000_000, "count/1000"), "20,000"],
    [formatDelta(-250, "count/1000"), "−0.25"],
    [formatValue(0, "count/1000000000"), "0"],
    [formatValue(1, "count/1000000000"), "0.000000001"],
    [formatValue(123_456, "count/1000000000"), "0.000123"],
    [formatDelta(-400, "count/1000000"), "−0.0004"],
    [formatValue(0.25, "count/1000"), "0.00025"],
    [formatValue(1_234_567, "count/1000000"), "1.235"],
    [plural(1, "profile"), "1 profile"],
    [plural(1200, "profile"), "1,200 profiles"],
    [formatMillis(84.2), "84.2 ms"],
    [formatMillis(1500), "1.5 s"],
  ]));

test("a bare count is named by what its type counts", () =>
  check([
    [unitOf({ type: "cycles", unit: "count" }), "cycles"],
    [unitOf({ type: "instructions:u", unit: "" }), "instructions:u"],
    [unitOf({ type: "samples", unit: "count/1000" }), "samples/1000"],
    [unitOf({ type: "alloc_objects", unit: "count" }), "objects"],
    [unitOf({ type: "inuse_objects", unit: "objects" }), "objects"],
    [unitOf({ type: "goroutine", unit: "count" }), "goroutines"],
    [unitOf({ type: "lock_contentions", unit: "none" }), "lock contentions"],
    [unitOf({ type: "count", unit: "count" }), "count"],
    [unitOf({ type: "baseline", unit: "count" }), "count"],
    [unitOf({ type: "cpu", unit: "" }), ""],
    [unitOf({ type: "cpu", unit: "nanoseconds" }), "nanoseconds"],
    [unitOf({ type: "cycles", unit: "%" }), "%"],
    [unitOf({ type: "power", unit: "watts" }), "watts"],
  ]));

test("what a file has", () => {
  const info = {
    samples: 640,
    functions: 0,
    addresses: 608,
    period: 250_000,
    period_type: "wall",
    period_unit: "nanoseconds",
    types: [{}],
  };
  const said = (more: object, type: string) => describeContent({ ...info, ...more } as ProfileInfo, type);
  assert.deepEqual(said({}, "samples"), ["640 records", "one sample every 250 µs of wall time", "608 addresses"]);
  assert.deepEqual(said({ functions: 12 }, "cpu"), ["640 records", "12 functions", "608 addresses"]);
  assert.deepEqual(said({ addresses: 1, period_unit: "count" }, "samples"), ["640 records", "1 address"]);
  assert.deepEqual(said({ functions: 1155, addresses: 0, types: [{}, {}] }, "cpu"), [
    "640 records",
    "1,155 functions across all types",
  ]);
});

test("a line says whether it is where the function begins or where it was sampled", () =>
  check([
    [definedAt({ file: "svc/orders.go", line: 142, module: "shop" }), "svc/orders.go, defined at line 142"],
    [definedAt({ file: "svc/orders.go", line: 0, module: "shop" }), "svc/orders.go"],
    [definedAt({ file: "", line: 0, module: "libc.so.6" }), "libc.so.6"],
    [sampledAt([{ file: "svc/orders.go", line: 150 }]), "svc/orders.go, sampled at line 150"],
    [
      sampledAt([
        { file: "svc/orders.go", line: 150 },
        { file: "svc/orders.go", line: 144 },
      ]),
      "svc/orders.go, sampled most at line 150",
    ],
    [sampledAt([]), ""],
  ]));

test("a share is never 0 for something nor 100 for less than all", () =>
  check([
    [percent(0), "0 %"],
    [percent(0.00001), "<0.01 %"],
    [percent(0.0005), "0.05 %"],
    [percent(0.000998), "0.1 %"],
    [percent(0.009), "0.9 %"],
    [percent(0.3141), "31.4 %"],
    [percent(0.99999), ">99.9 %"],
    [percent(1), "100 %"],
    [percent(Number.NaN), "0 %"],
  ]));

test("change against before", () =>
  check([
    [change(100, 100), "±0 %"],
    [change(100, 112), "+12 %"],
    [change(10_000, 19_997), "+100 %"],
    [change(10_000, 3), "−>99.9 %"],
    [change(100, 96.6), "−3.4 %"],
    [change(0, 5), "new"],
    [change(5, 0), "gone"],
    [change(10, 1240), "×124"],
  ]));

test("on cards a change is a whole percent", () =>
  check([
    [roughChange(1000, 1383), "+38 %"],
    [roughChange(1000, 998), "±0 %"],
    [roughChange(1000, 1000.5), "±0 %"],
    [roughChange(1000, 966), "−3 %"],
    [roughChange(10, 1240), "×124"],
    [roughChange(1000, 3), "−99.7 %"],
    [roughChange(0, 5), "new"],
  ]));

test("totals of units of different size are compared in the finer one", () => {
  const whole = { type: "samples", unit: "count", total: 50, total_exact: "50" };
  const parts = { type: "samples", unit: "count/1000", total: 50_500, total_exact: "50500" };
  assert.deepEqual(inFinerUnit(whole, "count/1000"), { ...parts, total: 50_000, total_exact: "50000" });
  assert.equal(inFinerUnit(parts, "count"), parts);
  const none = inFinerUnit({ ...whole, total: 0, total_exact: "0" }, "count/1000000000");
  assert.equal(none.total_exact, "0");
  assert.ok(convertible("count", "count/1000") && !convertible("count", "bytes"));
});
