import assert from "node:assert/strict";
import { test } from "node:test";
import "./page.ts";

const { bandsOf, drawingOf, peakOf, seriesCount } = await import("../src/components/rules/rulebands.ts");

const CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds{}";
const HEAP = "memory:inuse_space:bytes:space:bytes{}";

const drawing = (query: string, group_by = ["version"]) => {
  const fields = { metric_name: "", external_labels: {}, function: "", function_regex: "", call_site: [] };
  return drawingOf({ ...fields, self: false, unit_suffix: false, query, group_by });
};

const preview = (...all: (number | null)[][]) => ({
  unit: "bytes",
  start: 0,
  step: 60_000,
  series: all.map((points, i) => ({ labels: { version: `1.${i}` }, points })),
  series_count: all.length,
});

test("sums are stacked, averages are lines: in a step of two versions, no process used the sum of both", () => {
  assert.deepEqual([drawing(CPU), drawing(HEAP), drawing(HEAP, [])], ["stacked", "lines", "stacked"]);
  const rollout = preview([200, 200, null], [null, 210, 210]);
  const peak = (query: string) => peakOf(bandsOf(rollout, ["version"], drawing(query)));
  assert.deepEqual([peak(HEAP), peak(CPU)], [210, 410]);
  assert.equal(peakOf([]), 0);
});

test("lines are of the first series, stacks also of all others together", () => {
  const many = preview(...Array.from({ length: 10 }, (_, i) => [10 - i]));
  const [stacked, lines] = (["stacked", "lines"] as const).map((drawing) => bandsOf(many, ["version"], drawing));
  assert.deepEqual([stacked.length, stacked[8].name, stacked[8].values], [9, "2 more", [3]]);
  assert.deepEqual([lines.length, lines[7].name], [8, "1.7"]);
  assert.equal(seriesCount(many, "stacked"), "10 series");
  assert.equal(seriesCount(many, "lines"), "10 series; the chart shows the 8 largest");
  assert.equal(seriesCount({ ...many, series_count: 30 }, "stacked"), "30 series; the chart shows the 10 largest");
  assert.match(seriesCount({ ...many, series: [], series_count: 0 }, "stacked"), /^No series: /);
});
