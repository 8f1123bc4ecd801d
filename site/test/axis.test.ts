import assert from "node:assert/strict";
import { test } from "node:test";
import { axisTicks, clockStep, clockTicks } from "../src/time/ticks.ts";
import { wallClock, zone } from "../src/time/zone.ts";

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const NOON = Date.UTC(2024, 4, 15, 12, 0);

test("ticks are round on the clock, and no more than asked for", () => {
  zone.value = "utc";
  const span = { from: NOON + 7 * MINUTE + 35_000, until: NOON + 67 * MINUTE + 35_000 };
  const step = clockStep(span, 12);
  assert.equal(step, 5 * MINUTE);
  const ticks = clockTicks(span, step);
  assert.equal(ticks.length, 12);
  assert.equal(ticks[0], NOON + 10 * MINUTE);
  for (const length of [1000, 20_000, 10 * MINUTE, HOUR, 6 * HOUR, DAY, 3 * DAY, 30 * DAY, 400 * DAY, 4000 * DAY])
    for (const most of [1, 3, 12, 20]) {
      const span = { from: NOON, until: NOON + length };
      const { length: count } = clockTicks(span, clockStep(span, most));
      assert.ok(count <= most + 1, `${count} ticks of at most ${most} in ${length} ms`);
    }
  zone.value = "local";
});

test("weeks begin on Mondays, months and years on their first day", () => {
  zone.value = "utc";
  const days = (from: number, until: number, step: number) =>
    clockTicks({ from, until }, step).map((time) => new Date(time).toISOString().slice(0, 10));
  assert.deepEqual(days(NOON, NOON + 14 * DAY, 7 * DAY), ["2024-05-20", "2024-05-27"]);
  assert.deepEqual(days(NOON, NOON + 200 * DAY, 3 * 30.4 * DAY), ["2024-07-01", "2024-10-01"]);
  assert.deepEqual(days(NOON, NOON + 800 * DAY, 12 * 30.4 * DAY), ["2025-01-01", "2026-01-01"]);
  zone.value = "local";
});

test("in the zone of the reader ticks are round where the clock is put back, too", () => {
  const before = process.env.TZ;
  process.env.TZ = "Europe/Berlin";
  const span = { from: Date.UTC(2024, 9, 26, 12), until: Date.UTC(2024, 9, 27, 22) };
  const hours = clockTicks(span, 6 * HOUR).map((time) => wallClock(time).getUTCHours());
  assert.deepEqual(hours, [18, 0, 6, 12, 18]);
  process.env.TZ = before ?? "";
  if (before === undefined) delete process.env.TZ;
});

test("words that would reach over the edge are left out, their ticks stay", () => {
  zone.value = "utc";
  const ticks = axisTicks({ from: NOON, until: NOON + HOUR }, 400);
  assert.deepEqual(
    ticks.map(({ text }) => text),
    ["", "12:10", "12:20", "12:30", "12:40", "12:50", ""],
  );
  assert.deepEqual(axisTicks({ from: NOON, until: NOON }, 400), []);
  assert.deepEqual(axisTicks({ from: NOON, until: NOON + HOUR }, 0), []);
  zone.value = "local";
});
