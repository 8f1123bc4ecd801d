import assert from "node:assert/strict";
import { test } from "node:test";
import type { Timeline } from "../src/api.ts";
import { coveredMillis, isLoadKnown, isPartlyCovered } from "../src/time/covered.ts";
import { mayBeQuiet, quietMillis } from "../src/time/quiet.ts";
import { bucketLabel, tickLabels, zoneLabel } from "../src/time/range.ts";
import { commonFactors, mergeFactor, pointsFor, seriesOf, valuesOfParts } from "../src/time/series.ts";
import { agent, timelineOf } from "./agents.ts";

const SECOND = 1000;
const HOUR = 3_600_000;

test("no step is shorter than agents push", () => {
  assert.equal(pointsFor({ from: 0, until: 5 * 60 * SECOND }, 120), 11);
  assert.equal(pointsFor({ from: 0, until: HOUR }, 120), 121);
  assert.equal(pointsFor({ from: 0, until: 7 * 24 * HOUR }, 120), 121);
  assert.equal(pointsFor({ from: 0, until: 5 * SECOND }, 120), 1);
});

/** Profiles of unknown length, as many in each step. */
const untimed = (counts: number[], step = 30 * SECOND) => {
  const total = counts.reduce((sum, count) => sum + count, 0);
  return { start: 0, step, points: counts, counts, covered: counts.map(() => 0), total, duration: 0, profiles: total };
};

/** An agent in steps of half a minute for an hour. */
const hourly = (interval: number, from = 0, until = HOUR) =>
  timelineOf(agent(interval * SECOND, from, until), 30 * SECOND, 120);

test("an agent that pushes less often than every step leaves no step empty, and its load is even", () => {
  for (const interval of [10, 15, 20, 30, 33, 40, 60, 90, 300]) {
    const { step, counts, values } = seriesOf(hourly(interval), false);
    const inside = counts.slice(1, -1);
    assert.ok(
      inside.every((n) => n > 0),
      `every ${interval} s in steps of ${step / SECOND} s: ${counts}`,
    );
    for (const value of values) assert.ok(Math.abs(Number(value) - step / SECOND) < 1e-6, `${interval} s: ${value}`);
  }
  assert.equal(mergeFactor(hourly(60)), 2);
  assert.equal(mergeFactor(hourly(20)), 1);
});

test("processes that push together, each five minutes, have no pauses between", () => {
  const together = [0, 20, 40, 50].flatMap((second) => agent(300 * SECOND, second * SECOND, HOUR - 300 * SECOND, 0.5));
  const { values, covered, step, counts } = seriesOf(timelineOf(together, 30 * SECOND, 120), false);
  const inside = values.slice(1, -3).map((value) => Number(value) / (step / SECOND));
  assert.ok(Math.max(...inside) - Math.min(...inside) < 1e-6 && Math.abs(inside[0] - 2) < 1e-6, inside.join());
  assert.ok(counts.slice(1, -3).every((n) => n > 0) && covered.slice(1, -3).every((millis) => millis === step));
});

test("an outage stays one, and what comes irregularly stays as it is", () => {
  const around = [...agent(15 * SECOND, 0, 1200 * SECOND), ...agent(15 * SECOND, 1800 * SECOND, HOUR)];
  const outage = seriesOf(timelineOf(around, 30 * SECOND, 120), false);
  assert.equal(outage.step, 30 * SECOND);
  assert.equal(outage.counts.filter((n) => n === 0).length, 20);
  const rare = [...new Array(120).keys()].map((i) => (i === 3 || i === 50 || i === 110 ? 1 : 0));
  assert.equal(mergeFactor(untimed(rare)), 1);
  assert.equal(mergeFactor(untimed([])), 1);
});

test("a service is quiet when minutes have passed since its last profile ended, and the next is overdue", () => {
  const quietOf = (profiles: ReturnType<typeof agent>, step: number, until: number, finer = 0) => {
    const steps = (length: number) => timelineOf(profiles, length * SECOND, Math.ceil(until / length));
    const latest = finer === 0 ? undefined : steps(finer);
    return quietMillis(steps(step), until * SECOND, latest) / 60_000;
  };
  const quiet = (interval: number, end: number, until: number, step = 30, processes = 1) => {
    const profiles = Array.from({ length: processes }, () => agent(interval * SECOND, 0, end * SECOND)).flat();
    return quietOf(profiles, step, until);
  };
  assert.equal(quiet(15, 2100, 3600), 25);
  assert.equal(quiet(15, 3420, 3600), 0, "three minutes are no news");
  assert.equal(quiet(600, 3600, 3600 + 19 * 60), 0, "the next of ten minutes may still come");
  assert.equal(quiet(600, 3600, 3600 + 21 * 60), 21);
  assert.equal(quiet(600, 20 * 3600, 20 * 3600 + 19 * 60, 720, 4), 0, "of four processes that push together");
  assert.equal(quietMillis(untimed([0, 0, 0]), HOUR), 0, "nothing at all is said elsewhere");
  assert.equal(quietMillis(untimed([4, 4, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]), 420 * SECOND) / 60_000, 5);

  // In long steps a pause in the last one looks like an end; short ones of that time tell.
  const paused = [...agent(15 * SECOND, 0, 19_000 * SECOND), ...agent(15 * SECOND, 20_800 * SECOND, 21_180 * SECOND)];
  assert.ok(mayBeQuiet(timelineOf(paused, 3600 * SECOND, 6), 21_240 * SECOND));
  assert.equal(quietOf(paused, 3600, 21_240), 0, "no more than is certain");
  assert.equal(quietOf(paused, 3600, 21_240, 60), 0);
  assert.equal(quietOf(paused, 3600, 21_190 + 20 * 60, 60), 20);
  assert.ok(!mayBeQuiet(timelineOf(agent(15 * SECOND, 0, 21_200 * SECOND), 3600 * SECOND, 6), 21_240 * SECOND));

  // Of each so many minutes some are profiled.
  const parts = (every: number, profiled: number, end: number, step: number) => {
    const begins = Array.from({ length: end / every }, (_, i) => i * every * 60);
    const profiles = begins.flatMap((at) => agent(20 * SECOND, at * SECOND, (at + profiled * 60 - 20) * SECOND + 1));
    return quietOf(profiles, step * 60, 600 * 60, 60);
  };
  for (const [every, end, step, quiet] of [
    [1, 570, 15, 30],
    [2, 590, 12, 10],
    [2, 582, 12, 18],
  ]) {
    const told = parts(every, 1 / 3, end, step);
    assert.ok(told >= quiet - 1 && told <= quiet + 2, `a part of each ${every} min in steps of ${step}: ${told}`);
  }
  for (const step of [6, 24, 48, 168]) assert.equal(parts(60, 10, 600, step), 0, `a job of each hour in ${step} min`);
  assert.ok(parts(60, 10, 360, 24) >= 225, "an hourly job that didn't run for four hours");
});

test("a step is partly profiled where profiles begin or end in it", () => {
  const partly = (profiles: ReturnType<typeof agent>) => {
    const series = seriesOf(timelineOf(profiles, 30 * SECOND, 8), false);
    return series.counts.flatMap((_, at) => (isPartlyCovered(series, at) ? [at] : []));
  };
  assert.deepEqual(partly(agent(10 * SECOND, 50 * SECOND, 200 * SECOND)), [1, 6]);
  const second = agent(10 * SECOND, 130 * SECOND, 240 * SECOND);
  assert.deepEqual(partly([...agent(10 * SECOND, 0, 240 * SECOND), ...second]), [], "more processes");
  assert.deepEqual(partly(agent(20 * SECOND, 0, 240 * SECOND)), [], "an agent that pushes every 20 s into steps of 30");
});

test("steps put together keep their sums; what does not divide evenly is at the start", () => {
  const counts = [1, 0, 1, 0, 1];
  const timeline: Timeline = {
    start: 100,
    step: 10,
    points: [1, 2, 3, 4, 5],
    counts,
    covered: [5, 10, 10, 10, 10],
    total: 16,
    profiles: 3,
  };
  assert.deepEqual(seriesOf(timeline, false, 2), {
    start: 90,
    step: 20,
    values: [4, 5, 9],
    counts: [1, 1, 1],
    covered: [5, 20, 20],
    average: false,
    sparse: false,
    total: 16,
  });
});

test("timelines beside each other have steps of one length, so that equal load is equally high", () => {
  const day = timelineOf(agent(15 * SECOND, 0, 24 * HOUR), 12 * 60 * SECOND, 120);
  assert.deepEqual(commonFactors([day, hourly(60)]), [1, 24]);
  assert.deepEqual(commonFactors([hourly(60), hourly(15)]), [2, 2]);
  assert.deepEqual(commonFactors([hourly(60)]), [2]);
  const peak = (timeline: Timeline, factor: number) =>
    Math.max(...seriesOf(timeline, false, factor).values.map(Number));
  const [a, b] = commonFactors([day, hourly(15)]);
  assert.equal(peak(day, a), peak(hourly(15), b));
});

test("parts of a step add up to it, and at an end each has a load of its own", () => {
  const series = (values: number[], covered: number[]) => ({
    ...seriesOf(untimed([1, 1], 10), false),
    values,
    covered,
  });
  // A version ends within the first step and the next one begins; at the end of the second, one process is seldom known.
  const parts = [series([20, 19], [1, 2]), series([30, 20], [9, 6])];
  assert.deepEqual(valuesOfParts(parts, [10, 4]), [
    [2, 19],
    [27, 20],
  ]);
});

test("a gauge is averaged over its snapshots, in each step and in all", () => {
  const timeline = { ...untimed([2, 0, 1], 10), points: [200, 0, 300], total: 500 };
  const series = seriesOf(timeline, true, 1);
  assert.deepEqual(series.values, [100, null, 300]);
  assert.equal(Math.round(series.total), 167);
});

test("how much time profiles cover", () => {
  const minutes = (profiles: ReturnType<typeof agent>) =>
    coveredMillis(timelineOf(profiles, 30 * SECOND, 120)) / 60_000;
  assert.equal(minutes(agent(15 * SECOND, 100 * SECOND, 1000 * SECOND)), 15);
  assert.equal(minutes([]), 0);
  // What lies behind the end was measured as well: 24 profiles of five minutes begin in the two hours.
  assert.ok(Math.abs(minutes(agent(300 * SECOND, 250 * SECOND, HOUR)) - 60) < 1e-9);
  // Of unknown length, each minute for seven of forty, and half of each ten.
  const bursts = Array.from({ length: 240 }, (_, i) => Number(i % 80 < 14 && i % 2 === 0));
  assert.deepEqual([mergeFactor(untimed(bursts)), coveredMillis(untimed(bursts)) / 60_000], [2, 21]);
  const halves = Array.from({ length: 240 }, (_, i) => Number(i % 20 < 10 && i % 2 === 0));
  assert.equal(coveredMillis(untimed(halves)) / 60_000, 60);
});

test("the load of a time that is short for its profiles is known of one process alone", () => {
  const known = (length: number, ...begins: number[]) => {
    const profiles = begins.flatMap((minute) => agent(600 * SECOND, minute * 60 * SECOND, length * 60 * SECOND));
    const timeline = timelineOf(profiles, 30 * SECOND, 2 * length);
    return isLoadKnown(timeline, coveredMillis(timeline));
  };
  assert.ok(known(25, 3));
  assert.ok(!known(8, 3), "another process may have none in so short a time");
  assert.ok(!known(15, 2, 8));
  assert.ok(!known(8, 7, 2));
  assert.ok(known(60, 2, 8));
});

test("before the first profile of a range the load is unknown, if an earlier one may go on until then", () => {
  const values = (interval: number, from: number) =>
    seriesOf(timelineOf(agent(interval * SECOND, from * SECOND, HOUR), 30 * SECOND, 120), false, 1).values;
  assert.deepEqual(values(600, 590).slice(0, 20), [...new Array(19).fill(null), 30]);
  assert.deepEqual(values(600, 700).slice(0, 23), new Array(23).fill(0), "no profile goes on for so long");
  assert.deepEqual(values(15, 40).slice(0, 2), [null, 30]);
  assert.deepEqual(values(15, 80).slice(0, 2), [0, 0], "which began then");
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

test("a job with many profiles isn't drawn over the time between its runs, and a push every ten minutes is", () => {
  const every = (gap: number, count: number) => Array.from({ length: 12 * gap }, (_, i) => (i % gap === 0 ? count : 0));
  assert.deepEqual(
    [every(20, 2), every(20, 60), every(12, 60)].map((counts) => mergeFactor(untimed(counts))),
    [20, 1, 12],
  );
  assert.deepEqual(
    [every(20, 2), every(20, 60), every(40, 1)].map((counts) => seriesOf(untimed(counts), false).sparse),
    [false, true, true],
  );
});

test("a value with two pushes doesn't lengthen the steps of all others", () => {
  const rare = Array.from({ length: 60 }, (_, i) => (i === 3 || i === 31 ? 1 : 0));
  assert.deepEqual(commonFactors([untimed(new Array(60).fill(4)), untimed(rare)]), [1, 1]);
});
