/** How much of each step the profiles of one side cover. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { coveredOfSide } from "../src/state/query/sidecovered.ts";
import { agent, timelineOf } from "./agents.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Each process begins later by `apart`: an old version, for six minutes a new one with twice the load, and the old one again. */
function deployed(processes: number, interval: number, apart: number) {
  const process = (load: number, from: number, until: number) =>
    Array.from({ length: processes }, (_, i) => agent(interval, from + i * apart, until + i * apart, load / processes));
  const old = process(1, 0, 20 * MINUTE).map((one, i) => [...one, ...process(1, 26 * MINUTE, 60 * MINUTE)[i]]);
  const young = process(2, 20 * MINUTE, 26 * MINUTE);
  const timeline = (pushed: ReturnType<typeof agent>) => timelineOf(pushed, 30 * SECOND, 130);
  const own = young.map(timeline);
  const { points } = timeline(young.flat());
  const covered = coveredOfSide(own, old.map(timeline), timeline([...old, ...young].flat(2)).covered, points);
  const sum = (numbers: number[]) => numbers.reduce((all, one) => all + one, 0);
  return sum(points) / (sum(covered.filter((_, at) => points[at] !== 0)) / SECOND);
}

test("a version that ran for some minutes has its load, whenever its processes began", () => {
  for (const processes of [1, 2, 4])
    for (const interval of [10, 30, 60])
      for (const apart of [0, 7, 25]) {
        const load = deployed(processes, interval * SECOND, apart * SECOND);
        assert.ok(Math.abs(load - 2) < 0.04, `${processes} processes, ${interval} s, ${apart} s apart: ${load}`);
      }
});

test("processes of unlike loads count by what each usually has", () => {
  const timeline = (pushed: ReturnType<typeof agent>) => timelineOf(pushed, 30 * SECOND, 60);
  // The leader, or its followers, stay for some minutes beside the next version.
  for (const leaderStays of [true, false]) {
    const until = (stays: boolean) => (stays ? 24 : 20) * MINUTE;
    const own = [
      agent(10 * SECOND, 0, until(leaderStays), 10),
      ...Array.from({ length: 9 }, () => agent(10 * SECOND, 0, until(!leaderStays), 0.1)),
    ];
    const others = [agent(10 * SECOND, 20 * MINUTE, 30 * MINUTE, 10.9)];
    const { points } = timeline(own.flat());
    const { covered: all } = timeline([...own, ...others].flat());
    const covered = coveredOfSide(own.map(timeline), others.map(timeline), all, points);
    const sum = (numbers: number[]) => numbers.reduce((all, one) => all + one, 0);
    const load = (SECOND * sum(points)) / sum(covered.filter((_, at) => points[at] !== 0));
    assert.ok(Math.abs(load - 10.9) < 0.02, `${leaderStays}: ${load}`);
  }
});
