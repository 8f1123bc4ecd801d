import assert from "node:assert/strict";
import { test } from "node:test";
import {
  bucketLabel,
  fixed,
  followingLabels,
  halves,
  PRESETS,
  parseTime,
  rangeLabel,
  readLocalInput,
  resolve,
  resolveTime,
  spanLabel,
  toLocalInput,
  zoneLabel,
  zoneName,
} from "../src/time/range.ts";
import { parseLocalInput, wallClock, zone } from "../src/time/zone.ts";

const NOW = 1_700_000_000_000;
const HOUR = 3_600_000;

test("time expressions", () => {
  assert.equal(resolveTime("now", NOW), NOW);
  assert.equal(resolveTime("now-15m", NOW), NOW - 15 * 60_000);
  assert.equal(resolveTime("now-7d", NOW), NOW - 7 * 24 * HOUR);
  assert.equal(resolveTime("1234", NOW), 1234);
  for (const nonsense of ["", "now-", "now-5", "now+1h", "later", "-5", "1e3"])
    assert.equal(resolveTime(nonsense, NOW), null);
});

test("times of an address", () => {
  assert.equal(parseTime("2026-11-24T10:00:00Z"), String(Date.UTC(2026, 10, 24, 10)));
  assert.equal(parseTime("2026-11-24T10:00:00.250+02:00"), String(Date.UTC(2026, 10, 24, 8, 0, 0, 250)));
  assert.equal(parseTime("2026-11-24T10:00:00 02:00"), String(Date.UTC(2026, 10, 24, 8)), "a plus sign of an address");
  assert.equal(parseTime("now-15m"), "now-15m");
  assert.equal(parseTime("1234"), "1234");
  for (const nonsense of ["", "2026-11-24", "2026-11-24T10:00:00", "2026-13-24T10:00:00Z", "1969-01-01T00:00:00Z"])
    assert.equal(parseTime(nonsense), null, nonsense);
});

test("a range that makes no sense is the last hour", () => {
  const lastHour = { from: NOW - HOUR, until: NOW };
  assert.deepEqual(resolve({ from: "now", until: "now-1h" }, NOW), lastHour);
  assert.deepEqual(resolve({ from: "x", until: "now" }, NOW), lastHour);
  assert.deepEqual(resolve({ from: "now-6h", until: "now-1h" }, NOW), { from: NOW - 6 * HOUR, until: NOW - HOUR });
});

test("halves meet in the middle, and a fixed range resolves to its span", () => {
  const [first, second] = halves({ from: 0, until: 101 });
  assert.deepEqual(
    [first, second],
    [
      { from: 0, until: 51 },
      { from: 51, until: 101 },
    ],
  );
  const span = { from: NOW - 5, until: NOW };
  assert.deepEqual(resolve(fixed(span), NOW + HOUR), span);
});

test("labels", () => {
  for (const { label, from } of PRESETS) assert.equal(rangeLabel({ from, until: "now" }, NOW), label);
  const last = (from: string) => rangeLabel({ from, until: "now" }, NOW);
  assert.deepEqual(["now-2h", "now-90m", "now-1w"].map(last), ["last 2 h", "last 90 min", "last 7 d"]);
  assert.equal(PRESETS[1].label, "last 15 min");
  // No time has passed in it, so it is taken for the last hour, with its times.
  assert.match(last("now-0m"), / – /);
  assert.match(
    rangeLabel({ from: "now-3h", until: "now-1m" }, NOW),
    /^(\d+ \w+ \d{4} )?\d\d:\d\d – (\d+ \w+ \d{4} )?\d\d:\d\d$/,
  );
  assert.equal(new Date(toLocalInput(NOW)).getTime(), NOW);
});

test("times are shown and read in the chosen zone", () => {
  const time = Date.UTC(2023, 10, 14, 22, 13, 20);
  const local = new Date(time);
  assert.equal(wallClock(time).getUTCHours(), local.getHours());
  assert.equal(parseLocalInput(toLocalInput(time)), time);
  zone.value = "utc";
  assert.equal(toLocalInput(time), "2023-11-14T22:13:20");
  assert.equal(parseLocalInput("2023-11-14T22:13:20"), time);
  assert.ok(Number.isNaN(parseLocalInput("")));
  // What was not changed stays, to the millisecond.
  assert.equal(readLocalInput(toLocalInput(time + 7), time + 7), time + 7);
  assert.equal(readLocalInput("2023-11-14T22:13:21", time + 7), time + 1000);
  assert.deepEqual([zoneLabel(time), zoneName()], ["UTC", "UTC"]);
  assert.equal(rangeLabel({ from: String(time), until: String(time + HOUR) }, time), "22:13 – 23:13");
  // Past midnight, what began before it; and half a day later with its day.
  const midnight = Date.UTC(2023, 10, 15);
  const night = { from: midnight - HOUR, until: midnight + HOUR };
  assert.equal(spanLabel(night, midnight + 2 * HOUR), "23:00 – 01:00");
  assert.equal(spanLabel(night, midnight + 12 * HOUR), "14 Nov 2023 23:00 – 15 Nov 2023 01:00");
  const [from, until] = [midnight + 2 * HOUR, midnight + 2.5 * HOUR + 30_000];
  const following = { from: until, until: midnight + 6 * HOUR };
  assert.deepEqual(followingLabels({ from, until }, following, midnight + 7 * HOUR), [
    "02:00:00 – 02:30:30",
    "02:30:30 – 06:00:00",
  ]);
  // Seconds where a bound isn't on a whole minute, for both bounds.
  const short = (from: number, until: number) =>
    spanLabel({ from: midnight + from, until: midnight + until }, midnight);
  assert.equal(short(30_000, 990_000), "00:00:30 – 00:16:30");
  assert.equal(short(30_000, 960_000), "00:00:30 – 00:16:00");
  assert.equal(short(60_000, 120_000), "00:01 – 00:02");
  assert.equal(short(30_000, HOUR + 30_000), "00:00 – 01:00");
  assert.equal(short(60_000, 60_500), "00:01");
  assert.match(bucketLabel({ from: midnight + 90_000, until: midnight + 180_000 }), / ?00:01:30 – 00:03:00$/);
  zone.value = "local";
});

test("the hour in which the clock goes back has two times", () => {
  const before = process.env.TZ;
  process.env.TZ = "Europe/Berlin";
  const from = Date.UTC(2026, 9, 25, 0);
  assert.match(bucketLabel({ from, until: from + HOUR }), /02:00 – 02:00$/);
  assert.match(spanLabel({ from, until: from + HOUR }, from + HOUR), /^02:00 – 02:00$/);
  if (before === undefined) delete process.env.TZ;
  else process.env.TZ = before;
});
