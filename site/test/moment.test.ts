import assert from "node:assert/strict";
import { test } from "node:test";
import { formatMoment, tickStep, ticks } from "../src/time/moment.ts";

test("ticks are at round times", () => {
  const labels = (from: number, until: number, most: number) =>
    ticks(from, until, most).map(({ at, step }) => formatMoment(at, step));
  assert.deepEqual(labels(0, 1, 5), ["0", "200 ms", "400 ms", "600 ms", "800 ms", "1 s"]);
  assert.deepEqual(labels(0.13, 0.62, 3), ["200 ms", "400 ms", "600 ms"]);
  assert.deepEqual(labels(12.3456781, 12.3456799, 4), ["12.3456785 s", "12.345679 s", "12.3456795 s"]);
  assert.deepEqual(labels(0, 100, 4), ["0", "30 s", "60 s", "90 s"]);
  assert.deepEqual(labels(100, 700, 4), ["5:00", "10:00"]);
  assert.deepEqual(labels(3_590, 10_900, 3), ["1:00:00", "2:00:00", "3:00:00"]);
  assert.deepEqual(labels(0, 0.0000004, 2), ["0", "200 ns", "400 ns"]);
});

test("there is an end to ticks", () => {
  for (const [from, until, most] of [
    [0, 1, 0],
    [0, 1, 1],
    [1e9, 1e9 + 1e-9, 7],
    [0, 1e15, 12],
    [5, 5, 3],
  ])
    assert.ok(ticks(from, until, most).length <= most + 2, `${from} to ${until}`);
  assert.equal(tickStep(0, 3), 1);
  assert.equal(tickStep(10 * 86_400, 3), 4 * 86_400);
});

test("moments have the digits that their step needs", () => {
  const words = (seconds: number, step: number, expected: string) =>
    assert.equal(formatMoment(seconds, step), expected);
  words(1.23456, 0.01, "1.23 s");
  words(1.2, 0.001, "1.2 s");
  words(0.0000125, 1e-7, "12.5 µs");
  words(119, 1, "119 s");
  words(200, 1, "3:20");
  words(200.25, 0.1, "3:20.3");
  words(3_725, 1, "1:02:05");
  words(-200, 1, "−3:20");
  words(5, 0, "5 s");
});
