/** How charts draw the steps of a series. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { statistics } from "../src/state/query/labelvalues.ts";
import { columnsOf, drawnSeries, drawnSpan, piecesOf, smallPieces } from "../src/time/drawn.ts";
import { agent, timelineOf } from "./agents.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

test("a job that runs once an hour has one load, however long steps are and wherever its runs begin", () => {
  for (const begin of [0, 8, 57])
    for (const minutes of [3, 10]) {
      const runs = Array.from({ length: 12 }, (_, hour) => {
        const from = hour * HOUR + begin * MINUTE;
        return [0, 5].flatMap((second) =>
          agent(10 * SECOND, from + second * SECOND, from + minutes * MINUTE - 10 * SECOND, 0.4),
        );
      });
      for (const step of [2, 5, 10, 30, 60]) {
        const timeline = timelineOf(runs.flat(), step * MINUTE, (13 * 60) / step);
        const { mean, max } = statistics(drawnSeries(timeline, false));
        const [a, b] = [mean, max].map((value) => Number(value) / (step * 60));
        const what = `${minutes} min from ${begin} in steps of ${step}: ${a} ${b}`;
        assert.ok(Math.abs(a - 0.8) < 0.03 && b > 0.77 && b <= 0.8001, what);
      }
    }
});

test("a job's runs are drawn one by one", () => {
  const runs = Array.from({ length: 6 }, (_, hour) => agent(15 * SECOND, hour * HOUR, hour * HOUR + 10 * MINUTE));
  const { step, values } = drawnSeries(timelineOf(runs.flat(), 10 * MINUTE, 36), false);
  assert.equal(step, 10 * MINUTE);
  assert.deepEqual(
    values.map(Math.round as (value: number | null) => number),
    Array.from({ length: 36 }, (_, i) => (i % 6 === 0 ? 600 : 0)),
  );
  // A profile of an hour stands for it.
  const hours = timelineOf(agent(HOUR, 0, 6 * HOUR), 10 * MINUTE, 36);
  assert.equal(drawnSeries(hours, false).step, HOUR);
});

test("pushes that the steps don't divide evenly are no peaks, of several processes neither", () => {
  const even = (interval: number, step: number, processes: number) => {
    const profiles = Array.from({ length: processes }, () => agent(interval, 3 * MINUTE, 300 * MINUTE)).flat();
    const { values } = drawnSeries(timelineOf(profiles, step, Math.ceil((300 * MINUTE) / step)), false);
    const inside = values
      .map(Number)
      .filter((value) => value > 0)
      .slice(1, -1);
    assert.ok(Math.max(...inside) - Math.min(...inside) < 1e-6 * inside[0], `${interval} in ${step}: ${inside}`);
  };
  even(5 * MINUTE, 6 * MINUTE, 12);
  even(10 * MINUTE, 12 * MINUTE, 2);
  even(20 * SECOND, 30 * SECOND, 1);
  even(10_150, 30 * SECOND, 1);
});

test("a chart says from when to when profiles are drawn", () => {
  const timeline = timelineOf(agent(15 * SECOND, 5 * MINUTE, 32 * MINUTE), 2 * MINUTE, 30);
  assert.deepEqual(drawnSpan(drawnSeries(timeline, false)), { from: 5 * MINUTE, until: 32 * MINUTE });
  assert.equal(drawnSpan(drawnSeries(timelineOf([], MINUTE, 5), false)), null);
});

test("a step in which profiles begin or end is as high as its load, and narrower", () => {
  const profiles = agent(10 * SECOND, 45 * SECOND, 142 * SECOND, 2);
  const series = drawnSeries(timelineOf(profiles, 30 * SECOND, 6), false);
  assert.deepEqual(
    series.values.map((value) => Math.round(Number(value))),
    [0, 60, 60, 60, 60, 0],
  );
  assert.deepEqual(
    piecesOf(columnsOf(series), series.values).map(({ from, until, value }) => [
      from,
      until,
      Math.round(Number(value)),
    ]),
    [
      [0, 1, 0],
      [1, 1.5, 0],
      [1.5, 2, 60],
      [2, 3, 60],
      [3, 4, 60],
      [4, 4 + 25 / 30, 60],
      [4 + 25 / 30, 5, 0],
      [5, 6, 0],
    ],
  );
  const whole = Array(6).fill({ from: 0, until: 1 });
  assert.deepEqual(columnsOf({ ...series, average: true }), whole, "averages say nothing of the time");
  const seldom = timelineOf([{ at: 0, length: 0, value: 3 }], 30 * SECOND, 6);
  assert.deepEqual(columnsOf(drawnSeries(seldom, false)), whole, "of unknown length");
});

test("a pause is seen that leaves no step without profiles", () => {
  const drawn = (from: number, until: number) => {
    const profiles = [agent(10 * SECOND, 0, from * SECOND), agent(10 * SECOND, until * SECOND, 180 * SECOND)];
    const series = drawnSeries(timelineOf(profiles.flat(), 30 * SECOND, 6), false);
    return piecesOf(columnsOf(series), series.values)
      .filter(({ value }) => value === 0)
      .map(({ from, until }) => [from, until].map((at) => Math.round(at * 30)));
  };
  assert.deepEqual(drawn(70, 110), [[70, 110]], "in two steps");
  assert.deepEqual(drawn(60, 80), [[70, 90]], "in one: where is not known");
  assert.deepEqual(drawn(60, 62), [], "hardly any");
  const columns = columnsOf({ covered: [30, 28, 10, 30], step: 30, average: false });
  assert.deepEqual(columns[2], { from: 1 - 10 / 30, until: 1 }, "the step before has a little of it");
  // Half of the time is profiled.
  const often = Array.from({ length: 12 }, (_, i) => agent(10 * SECOND, i * 20 * SECOND, i * 20 * SECOND + 1));
  const series = drawnSeries(timelineOf(often.flat(), 30 * SECOND, 8), false);
  const inner = columnsOf(series).slice(1, -1);
  assert.ok(inner.every(({ from, until }) => from === 0 && until === 1));
});

test("a small chart ends with the last profiles, unless these have ended", () => {
  const series = drawnSeries(timelineOf(agent(10 * SECOND, 0, 100 * SECOND), 30 * SECOND, 6), false);
  const drawn = (hasEnded: boolean) =>
    smallPieces(series, hasEnded).map(({ from, until, value }) => [from, until, value && Math.round(value)]);
  const begun = [
    [0, 1, 30],
    [1, 2, 30],
    [2, 3, 30],
    [3, 3 + 1 / 3, 30],
  ];
  assert.deepEqual(drawn(false), [...begun, [3 + 1 / 3, 4, null], [4, 5, null], [5, 6, null]]);
  assert.deepEqual(drawn(true), [...begun, [3 + 1 / 3, 4, 0], [4, 5, 0], [5, 6, 0]]);
});
