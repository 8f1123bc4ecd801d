import assert from "node:assert/strict";
import { test } from "node:test";
import { type SharesIn, shareShift } from "../src/state/query/shareshift.ts";

const MINUTE = 60_000;

/** Windows of a minute; of each what functions take of themselves, and `main`, which calls them all. */
function windows(...all: Record<string, number>[]): SharesIn[] {
  return all.map((values, i) => {
    const total = Object.values(values).reduce((sum, value) => sum + value, 0);
    const functions = Object.entries(values).map(([name, value]) => [name, { self: value, total: value }] as const);
    const main = { self: values.main ?? 0, total };
    return {
      from: i * MINUTE,
      until: (i + 1) * MINUTE,
      functions: { total, complete: true, functions: new Map([...functions, ["main", main]]) },
    };
  });
}

const times = <T>(count: number, of: (i: number) => T) => Array.from({ length: count }, (_, i) => of(i));

test("a share that jumps within a side is found, with its moment", () => {
  const made = windows(...times(20, (i) => ({ sort: (i < 4 ? 10 : 30) + (i % 2), parse: 50, send: 50 })));
  const found = shareShift(made, 10 * MINUTE);
  assert.deepEqual([found?.name, found?.own, found?.from], ["sort", false, 4 * MINUTE]);
  assert.deepEqual(found?.window, { from: 4 * MINUTE, until: 8 * MINUTE }, "as long as the time before it");
  assert.ok(found.before < 0.1 && found.after > 0.22);
});

test("a window that has both says when one became the other", () => {
  // A quarter of the fifth window is as before.
  const made = windows(
    ...times(20, (i) => ({ sort: i < 4 ? 10 : i === 4 ? 25 : 30, parse: i < 4 ? 90 : i === 4 ? 75 : 70 })),
  );
  const found = shareShift(made, 10 * MINUTE);
  assert.ok(found);
  assert.deepEqual(
    [found.before, found.after].map((share) => share.toFixed(3)),
    ["0.100", "0.300"],
  );
  assert.equal(found.from, 4.25 * MINUTE);
  const late = windows(
    ...times(20, (i) => ({ sort: i < 3 ? 10 : i === 3 ? 14 : 30, parse: i < 3 ? 90 : i === 3 ? 86 : 70 })),
  );
  assert.equal(shareShift(late, 10 * MINUTE)?.from, 3.8 * MINUTE, "mostly as before");
  // Three quarters of the fifth window are at the lower load of before.
  const rising = windows(...times(20, (i) => ({ sort: i < 4 ? 10 : i === 4 ? 57.5 : 200, parse: 90 })));
  assert.equal(shareShift(rising, 10 * MINUTE)?.from, 4.75 * MINUTE, "a share weighs more where the load is higher");
});

test("of ten windows, one that has both does not hide the jump", () => {
  for (const part of [0.2, 0.5, 0.8]) {
    const at = (i: number) => (i < 6 ? 20 : i === 6 ? 20 + 16 * part : 36);
    const made = windows(...times(10, (i) => ({ sort: at(i), parse: 100 - at(i) })));
    const found = shareShift(made, 5 * MINUTE);
    assert.deepEqual([found?.name, found?.before.toFixed(3), found?.after.toFixed(3)], ["sort", "0.200", "0.360"]);
    assert.ok(Math.abs((found?.from ?? 0) - (7 - part) * MINUTE) < 1000);
  }
});

test("what a function does itself jumps, too, where it calls all others", () => {
  const made = windows(...times(20, (i) => ({ main: i < 14 ? 10 : 40, parse: 50, send: 50 })));
  const found = shareShift(made, 10 * MINUTE);
  assert.deepEqual([found?.name, found?.own, found?.from], ["main", true, 14 * MINUTE]);
  assert.deepEqual(found?.window, { from: 14 * MINUTE, until: 20 * MINUTE });
});

test("a jump shortly before the sides meet is found, and one that another jump hides", () => {
  const at = (i: number) => (i < 9 ? 10 : i === 9 ? 28 : 40);
  const near = windows(...times(20, (i) => ({ sort: at(i), parse: 100 - at(i) })));
  assert.equal(shareShift(near, 10 * MINUTE)?.from.toFixed(), (9.4 * MINUTE).toFixed());
  const level = (i: number) => (i < 5 ? 10 : i < 10 ? 30 : 20);
  const hidden = windows(...times(20, (i) => ({ sort: level(i), parse: 100 - level(i) })));
  assert.equal(shareShift(hidden, 10 * MINUTE)?.from, 5 * MINUTE);
});

test("two windows before a jump are enough, also if it is within the second", () => {
  const level = (i: number) => (i < 1 ? 28 : i === 1 ? 29 : 37);
  const made = windows(...times(20, (i) => ({ scan: level(i) + (i % 2) / 10, parse: 100 - level(i) - (i % 2) / 10 })));
  const found = shareShift(made, 10 * MINUTE);
  assert.ok(found && found.from > 1.7 * MINUTE && found.from < 2 * MINUTE, JSON.stringify(found));
});

test("a share that is another for a while is found, with the minutes of both its ends", () => {
  // From 3.5 to 6.25 min, in the first side; from 8.5 to 12 min, across the middle.
  const inside = (i: number) => (i === 3 ? 30 : i === 4 || i === 5 ? 50 : i === 6 ? 20 : 10);
  const across = (i: number) => (i === 8 ? 15 : i > 8 && i < 12 ? 20 : 10);
  for (const [level, from, until] of [
    [inside, 3.5, 6.25],
    [across, 8.5, 12],
  ] as const) {
    const made = windows(...times(20, (i) => ({ sort: level(i), parse: 100 - level(i) })));
    const found = shareShift(made, 10 * MINUTE);
    assert.deepEqual([found?.name, found?.from, found?.until], ["sort", from * MINUTE, until * MINUTE]);
    assert.deepEqual(
      [found?.before.toFixed(3), found?.after.toFixed(3)],
      ["0.100", level === inside ? "0.500" : "0.200"],
    );
    assert.deepEqual(found?.window, { from: from * MINUTE, until: until * MINUTE });
  }
  // Of a long one, as much is compared as there is time before it.
  const long = windows(...times(20, (i) => ({ sort: i > 2 && i < 18 ? 50 : 10, parse: 90 })));
  assert.deepEqual(shareShift(long, 10 * MINUTE)?.window, { from: 3 * MINUTE, until: 6 * MINUTE });
  const ends = windows(...times(20, (i) => ({ sort: i === 0 || i === 19 ? 50 : 10, parse: 90 })));
  assert.equal(shareShift(ends, 10 * MINUTE), null, "two windows at the ends say no usual share");
  const one = windows(...times(20, (i) => ({ sort: i === 4 ? 50 : 10, parse: 90 })));
  assert.equal(shareShift(one, 10 * MINUTE), null, "one window of many may be chance");
  const twice = windows(...times(20, (i) => ({ sort: i % 8 < 2 ? 50 : 10, parse: 90 })));
  assert.equal(shareShift(twice, 10 * MINUTE), null, "what comes again and again");
});

test("a jump where the sides meet is one between them, also where their windows differ in length", () => {
  const shares = [...new Array(10).fill(10), 47, ...new Array(9).fill(50)];
  const made = windows(...shares.map((sort) => ({ sort, parse: 100 - sort })));
  const begin = (i: number) => (i < 10 ? i : 10 + 10 * (i - 10)) * MINUTE;
  const unlike = made.map((one, i) => ({ ...one, from: begin(i), until: begin(i + 1) }));
  assert.equal(shareShift(unlike, 10 * MINUTE), null);
});

test("what the sides have themselves, what varies and what is small is no jump", () => {
  const at = (cut: number, by: number) => windows(...times(20, (i) => ({ sort: i < cut ? 10 : 10 + by, parse: 90 })));
  assert.equal(shareShift(at(10, 20), 10 * MINUTE), null);
  assert.equal(shareShift(at(4, 1), 10 * MINUTE), null);
  assert.equal(shareShift(windows(...times(20, (i) => ({ sort: 10 + i, parse: 90 }))), 10 * MINUTE), null, "a line");
  assert.equal(
    shareShift(windows(...times(20, (i) => ({ sort: 10 + 9 * Math.sin(i), parse: 90 }))), 10 * MINUTE),
    null,
  );
  assert.equal(shareShift(at(4, 20).slice(0, 7), 3 * MINUTE), null, "too few windows");
  let state = 1;
  const next = () => {
    state = (state * 16_807) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const noisy = () => Object.fromEntries(times(100, (i) => [`f${i}`, 10 + 40 * next()]));
  const gap = windows(...times(20, (i) => ({ sort: i < 9 ? 10 : i === 9 ? 14 : 40, parse: 60 })));
  const apart = gap.map((one, i) =>
    i < 10 ? one : { ...one, from: one.from + 5 * MINUTE, until: one.until + 5 * MINUTE },
  );
  assert.equal(shareShift(apart, 15 * MINUTE), null, "with a time between the sides, too");
  const large = () => Object.fromEntries(times(10, (i) => [`f${i}`, 10 + 40 * next()]));
  const sides = times(200, () => shareShift(windows(...times(20, large)), 10 * MINUTE)).filter(Boolean);
  assert.ok(sides.length <= 2, `${sides.length} alarms of 200 in sides of ten windows`);
  const alarms = times(200, () => shareShift(windows(...times(10, noisy)), 5 * MINUTE)).filter(Boolean);
  assert.ok(alarms.length <= 2, `${alarms.length} alarms of 200`);
});
