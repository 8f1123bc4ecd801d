import assert from "node:assert/strict";
import { test } from "node:test";
import type { Timeline } from "../src/api.ts";
import { coveredMillis, isPartlyCovered, steadyPace } from "../src/time/covered.ts";
import { bucketLabel, tickLabels, zoneLabel } from "../src/time/range.ts";
import { commonFactors, mergeFactor, pointsFor, quietMillis, seriesOf } from "../src/time/series.ts";

const SECOND = 1000;
const HOUR = 3_600_000;

/** What the worker answers when an agent pushes profiles of `value` every `interval` milliseconds, but not within `down`. */
function pushed(
  interval: number,
  step: number,
  count: number,
  value = 10,
  down: [number, number] = [-1, -1],
): Timeline {
  const counts = new Array<number>(count).fill(0);
  for (let at = 0; at < step * count; at += interval)
    if (at < down[0] || at >= down[1]) counts[Math.floor(at / step)]++;
  return { start: 0, step, points: counts.map((n) => n * value), counts, profiles: counts.reduce((a, b) => a + b, 0) };
}

test("no step is shorter than agents push", () => {
  assert.equal(pointsFor({ from: 0, until: 5 * 60 * SECOND }, 120), 11);
  assert.equal(pointsFor({ from: 0, until: HOUR }, 120), 121);
  assert.equal(pointsFor({ from: 0, until: 7 * 24 * HOUR }, 120), 121);
  assert.equal(pointsFor({ from: 0, until: 5 * SECOND }, 120), 1);
});

test("an agent that pushes less often than every step leaves no step empty", () => {
  for (const interval of [10, 15, 30, 33, 40, 60, 90, 300]) {
    const timeline = pushed(interval * SECOND, 30 * SECOND, 120);
    const { step, counts } = seriesOf(timeline, false);
    assert.ok(
      counts.slice(1, -1).every((n) => n > 0),
      `every ${interval} s in steps of ${step / SECOND} s: ${counts}`,
    );
  }
  assert.equal(mergeFactor(pushed(60 * SECOND, 30 * SECOND, 120).counts), 2);
});

test("an outage stays one, and what comes irregularly stays as it is", () => {
  const outage = seriesOf(pushed(15 * SECOND, 30 * SECOND, 120, 10, [20 * 60 * SECOND, 30 * 60 * SECOND]), false);
  assert.equal(outage.step, 30 * SECOND);
  assert.equal(outage.counts.filter((n) => n === 0).length, 20);
  const rare = [...new Array(120).keys()].map((i) => (i === 3 || i === 50 || i === 110 ? 1 : 0));
  assert.equal(mergeFactor(rare), 1);
  assert.equal(mergeFactor([]), 1);
});

test("a service is quiet when it misses several profiles in a row, for minutes", () => {
  const quiet = (...counts: number[]) =>
    quietMillis({ start: 0, step: 3_600_000 / counts.length, counts }, 3_600_000) / 60_000;
  const minutes = (length: number, count: (minute: number) => number) => Array.from({ length }, (_, i) => count(i));
  assert.equal(quiet(...minutes(60, (at) => (at < 35 ? 4 : 0))), 25);
  assert.equal(quiet(...minutes(60, (at) => (at < 57 ? 4 : 0))), 0, "three minutes are no news");
  const six = minutes(60, (at) => (at < 58 ? 9 : 0));
  assert.equal(quietMillis({ start: 0, step: 360_000, counts: six }, 6 * 3_600_000) / 60_000, 12);
  // The last step ends after the moment that is asked about.
  assert.equal(quietMillis({ start: 0, step: 360_000, counts: six }, 6 * 3_600_000 - 240_000) / 60_000, 8);
  // Steps of ten minutes that hold many profiles each: the one before the last minutes began before the silence.
  const day = Array.from({ length: 36 }, (_, at) => (at < 35 ? 40 : 0));
  assert.equal(quietMillis({ start: 0, step: 600_000, counts: day }, 6 * 3_600_000 - 60_000) / 60_000, 9);
  assert.equal(quietMillis({ start: 0, step: 600_000, counts: day.map((n) => n && 1) }, 6 * 3_600_000 - 60_000), 0);
  const regions = day.map((n) => n && 2);
  assert.equal(quietMillis({ start: 0, step: 600_000, counts: regions }, 6 * 3_600_000 - 60_000), 0, "of two regions");
  const every10 = (until: number) => minutes(60, (at) => (at % 10 === 0 && at < until ? 1 : 0));
  assert.equal(quiet(...every10(41)), 0, "less than twice the usual pause");
  assert.equal(quiet(...every10(21)), 29, "the last one is of ten minutes");
  // One each ten minutes, late in its step: the next comes when it is over, up to twenty after that step.
  const late = (minutes: number) => {
    const counts = Array.from({ length: 36 + Math.ceil(minutes / 10) }, (_, i) => Number(i < 36));
    return quietMillis({ start: 0, step: 600_000, counts }, 36 * 600_000 + minutes * 60_000) / 60_000;
  };
  assert.deepEqual([14, 19, 25].map(late), [0, 0, 15]);
  const outage = minutes(600, (at) => (at < 30 || (at >= 540 && at < 580) ? 1 : 0));
  assert.equal(
    quietMillis({ start: 0, step: 60_000, counts: outage }, 600 * 60_000) / 60_000,
    20,
    "after an outage, too",
  );
  assert.equal(quiet(0, 0, 0), 0, "nothing at all is said elsewhere");
});

test("a step is partly profiled where profiles begin or end in it", () => {
  const partly = (counts: number[]) => counts.flatMap((_, at) => (isPartlyCovered(counts, at) ? [at] : []));
  assert.deepEqual(partly([0, 1, 4, 4, 4, 2, 0]), [1, 5]);
  assert.deepEqual(partly([4, 4, 4, 8, 8, 8]), [], "more processes");
  assert.deepEqual(partly([2, 1, 2, 1, 2, 1, 2, 1]), [], "an agent that pushes every 20 s into steps of 30");
});

test("steps put together keep their sums; what does not divide evenly is at the start", () => {
  const timeline: Timeline = { start: 100, step: 10, points: [1, 2, 3, 4, 5], counts: [1, 0, 1, 0, 1], profiles: 3 };
  const series = seriesOf(timeline, false, 2);
  assert.deepEqual(series, {
    start: 90,
    step: 20,
    values: [1, 5, 9],
    counts: [1, 1, 1],
    average: false,
    sparse: false,
    total: 15,
  });
});

test("timelines beside each other have steps of one length, so that equal load is equally high", () => {
  const day = pushed(15 * SECOND, 12 * 60 * SECOND, 120);
  const hour = pushed(60 * SECOND, 30 * SECOND, 120);
  assert.deepEqual(commonFactors([day, hour]), [1, 24]);
  assert.deepEqual(commonFactors([hour, pushed(15 * SECOND, 30 * SECOND, 120)]), [2, 2]);
  assert.deepEqual(commonFactors([hour]), [2]);
  const peak = (timeline: Timeline, factor: number) =>
    Math.max(...seriesOf(timeline, false, factor).values.map(Number));
  const same = pushed(15 * SECOND, 30 * SECOND, 120);
  const [a, b] = commonFactors([day, same]);
  assert.equal(peak(day, a), peak(same, b));
});

test("a gauge is averaged over its snapshots, in each step and in all", () => {
  const timeline: Timeline = { start: 0, step: 10, points: [200, 0, 300], counts: [2, 0, 1], profiles: 3 };
  const series = seriesOf(timeline, true, 1);
  assert.deepEqual(series.values, [100, null, 300]);
  assert.equal(Math.round(series.total), 167);
});

test("an agent that pushes every 20 s into steps of 30 is drawn in steps of a minute", () => {
  const counts = Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? 2 : 1));
  assert.equal(mergeFactor(counts), 2);
  assert.equal(mergeFactor(counts.map((n) => n * 3)), 2);
  // Fewer processes for a while, and what comes irregularly, stay as they are.
  assert.equal(mergeFactor([...new Array(10).fill(2), ...new Array(10).fill(1)]), 1);
  assert.equal(mergeFactor([1, 2, 2, 1, 3, 1, 2, 3, 1, 1, 3, 2]), 1);
});

const timeline = (counts: number[]) => ({ start: 0, step: 30_000, points: counts, counts, profiles: 0 });

test("bursts that are far apart are drawn as they are, and cover the time that they have", () => {
  const minutes = (counts: number[]) => coveredMillis([timeline(counts)])[0] / 60_000;
  // Each minute for seven of forty.
  const bursts = Array.from({ length: 240 }, (_, i) => Number(i % 80 < 14 && i % 2 === 0));
  assert.deepEqual([mergeFactor(bursts), seriesOf(timeline(bursts), false).sparse, minutes(bursts)], [2, false, 21]);
  const halves = Array.from({ length: 240 }, (_, i) => Number(i % 20 < 10 && i % 2 === 0));
  assert.equal(minutes(halves), 60, "five minutes of ten");
  const pauses = Array.from({ length: 80 }, (_, i) => Number(i % 2 === 0 && i % 40 < 30));
  assert.ok(minutes(pauses) >= 30, `${minutes(pauses)}: short pauses don't make bursts`);
});

/** A day of this year that is not today, in a week in which no zone changes its clocks. */
const YEAR = new Date().getFullYear();
const MONTH = (new Date().getMonth() + 6) % 12;
const NAME = new Date(YEAR, MONTH, 18).toLocaleDateString("en-GB", { month: "short" });

test("an axis of a day and more has dates", () => {
  const midnight = new Date(YEAR, MONTH, 18).getTime() / 1000;
  const hours = [-9, -6, -3, 0, 3, 6].map((hour) => midnight + hour * 3600);
  const wide = () => true;
  assert.deepEqual(tickLabels(hours, 3 * 3600, true, wide), [
    `17 ${NAME} 15:00`,
    "18:00",
    "21:00",
    `18 ${NAME}`,
    "03:00",
    "06:00",
  ]);
  assert.deepEqual(tickLabels(hours, 3 * 3600, false, wide), ["15:00", "18:00", "21:00", "00:00", "03:00", "06:00"]);
  assert.deepEqual(tickLabels([midnight, midnight + 86_400], 86_400, true, wide), [`18 ${NAME}`, `19 ${NAME}`]);
  const narrow = (_: number, text: string) => text.length < 6;
  assert.deepEqual(tickLabels(hours.slice(0, 2), 3 * 3600, true, narrow), ["15:00", "18:00"]);
});

test("a bucket says what it covers, and the zone is named", () => {
  const day = new Date(YEAR, MONTH, 18, 14, 3, 30).getTime();
  assert.equal(bucketLabel({ from: day, until: day + 30 * SECOND }), `18 ${NAME} 14:03:30 – 14:04:00`);
  assert.equal(bucketLabel({ from: day - 30 * SECOND, until: day + 90 * SECOND }), `18 ${NAME} 14:03 – 14:05`);
  const old = new Date(2017, 6, 14, 14, 3, 30).getTime();
  assert.equal(bucketLabel({ from: old, until: old + 30 * SECOND }), "14 Jul 2017 14:03:30 – 14:04:00");
  assert.match(zoneLabel(day), /^UTC([+−]\d{1,2}(:\d\d)?)?$/);
});

test("a pace is steady when the number of profiles never runs ahead of it, or behind", () => {
  const pace = (...runs: number[][]) =>
    steadyPace(...runs.map((counts) => counts.map((profiles) => ({ profiles, millis: 1 }))));
  assert.equal(pace([2, 2, 2, 2]), 2);
  assert.equal(pace([3, 3, 2, 3, 3, 3, 2, 3]), 2.75);
  assert.equal(pace([1, 2, 1, 1, 2, 1, 2, 1, 1, 1]), 1.3);
  assert.equal(pace([3, 3, 2, 3], [3, 3, 3, 2]), 2.75);
  // Another process, in the same time or another, an outage, and nothing at all.
  assert.equal(pace([2, 2, 2, 2, 2, 3, 3, 3, 3, 3]), null);
  assert.equal(pace([2, 2, 2, 2, 2], [3, 3, 3, 3, 3]), null);
  assert.equal(pace([2, 2, 2, 0, 0, 2, 2, 2]), null);
  assert.equal(pace([]), null);
});

test("a job with many profiles isn't drawn over the time between its runs, and a push every ten minutes is", () => {
  const every = (gap: number, count: number) => Array.from({ length: 12 * gap }, (_, i) => (i % gap === 0 ? count : 0));
  assert.deepEqual([mergeFactor(every(20, 2)), mergeFactor(every(20, 60)), mergeFactor(every(12, 60))], [20, 1, 12]);
  assert.deepEqual(
    [every(20, 2), every(20, 60), every(40, 1)].map((counts) => seriesOf(timeline(counts), false).sparse),
    [false, true, true],
  );
});

test("a value with two pushes doesn't lengthen the steps of all others", () => {
  const rare = Array.from({ length: 60 }, (_, i) => (i === 3 || i === 31 ? 1 : 0));
  assert.deepEqual(commonFactors([timeline(new Array(60).fill(4)), timeline(rare)]), [1, 1]);
});
