/** Which samples Pyroscope's query service is asked for: spans, traces, profiles, call sites, of one side or both. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { Code, createClient } from "@connectrpc/connect";
import { push, pushStacks } from "./answers.mjs";
import { writePprof } from "./pprof.mjs";
import { ownServices, readTree, stacks, TICK } from "./querieranswers.mjs";
import { Querier } from "./querierproto.mjs";
import { FORMS, refusal } from "./transports.mjs";

const { seconds, named, side } = ownServices("selectors");
const SPAN = "00f067aa0ba902b7";
const TRACE = "0af7651916cd43dd8448eb211c80319c";
const site = (...names) => ({ callSite: names.map((name) => ({ name })) });
const ticks = (count) => BigInt(count) * TICK;

before(async () => {
  const line = (stack, count) => `${stack} ${ticks(count)}`;
  const plain = writePprof("cpu", "nanoseconds", [line("main;a", 3), line("main;b", 5)]);
  await push(named("traced"), plain, seconds);
  const linked = { span_id: SPAN, trace_id: TRACE };
  const traced = writePprof("cpu", "nanoseconds", [line("main;a", 1), line("main;a;c", 2)], linked);
  await push(named("traced"), traced, seconds + 30);
  await pushStacks(named("wide"), Array.from({ length: 40 }, (_, i) => `main;f${i} ${i + 1}`).join("\n"), seconds);
  const lines = [line("main@m.go:1;work@w.go:10", 2), line("main@m.go:1;work@w.go:12", 3), line("main@m.go:2", 1)];
  await push(named("go"), writePprof("cpu", "nanoseconds", lines), seconds);
});

for (const [form, transport] of Object.entries(FORMS)) {
  const client = createClient(Querier, transport);
  const total = async (more) => (await client.selectMergeStacktraces(side("traced", more))).flamegraph.total;

  test(`${form}: spans and traces`, async () => {
    assert.equal(await total({}), ticks(11));
    assert.equal(await total({ spanSelector: [SPAN] }), ticks(3));
    assert.equal(await total({ traceIdSelector: [TRACE] }), ticks(3));
    assert.equal(await total({ spanSelector: ["00f067aa0ba902b8"] }), 0n);
    const both = { spanSelector: [SPAN], stackTraceSelector: site("main", "a", "c") };
    assert.equal(await total(both), ticks(2));
    const ofSpan = (more) => client.selectMergeSpanProfile(side("traced", { spanSelector: [SPAN], ...more }));
    assert.deepEqual((await ofSpan({})).flamegraph.names, ["total", "main", "a", "c"]);
    assert.deepEqual((await ofSpan({ maxNodes: 1n })).flamegraph.names, ["total", "main", "other"]);
    assert.equal((await refusal(ofSpan({ maxNodes: -1n }))).code, Code.InvalidArgument);
  });

  test(`${form}: exemplars of spans`, async () => {
    const { series } = await client.selectSeries(side("traced", { step: 15, exemplarType: 3 }));
    const points = series.flatMap(({ points }) => points);
    assert.equal(
      points.reduce((sum, { value }) => sum + value, 0),
      Number(ticks(11)),
    );
    const told = ({ spanId, traceId, value, timestamp }) => [spanId, traceId, value, timestamp];
    const expected = [[SPAN, TRACE, ticks(3), BigInt(seconds + 30) * 1000n]];
    assert.deepEqual(points.flatMap(({ exemplars }) => exemplars).map(told), expected);
    const heatmap = await client.selectHeatmap(side("traced", { step: 15, queryType: 2, exemplarType: 3 }));
    const slots = heatmap.series.flatMap(({ slots }) => slots);
    assert.equal(
      slots.flatMap(({ counts }) => counts).reduce((sum, count) => sum + count, 0),
      1,
    );
    assert.deepEqual(slots.flatMap(({ exemplars }) => exemplars).map(told), expected);
    const ofSite = { step: 15, exemplarType: 3, stackTraceSelector: site("main") };
    const refused = await refusal(client.selectSeries(side("traced", ofSite)));
    assert.match(refused.message, /span exemplars can't be combined with a call site/);
  });

  test(`${form}: sides of a comparison select by themselves`, async () => {
    const ticksOf = async (left, right, service = "traced") => {
      const { flamegraph } = await client.diff({ left: side(service, left), right: side(service, right) });
      return [flamegraph.leftTicks / TICK, flamegraph.rightTicks / TICK, flamegraph.names.length];
    };
    assert.deepEqual(await ticksOf({ spanSelector: [SPAN] }, {}), [3n, 11n, 5]);
    assert.deepEqual(await ticksOf({}, { traceIdSelector: [TRACE] }), [11n, 3n, 5]);
    assert.deepEqual(await ticksOf({ stackTraceSelector: site("main", "b") }, {}), [5n, 11n, 5]);
    const withoutA = { frameFilter: { excludeFunctionNames: ["a"] } };
    assert.deepEqual(await ticksOf({}, { stackTraceSelector: withoutA }), [11n, 5n, 5]);
    const { series } = await client.selectSeries(side("traced", { step: 15, exemplarType: 2 }));
    const exemplars = series.flatMap(({ points }) => points.flatMap(({ exemplars }) => exemplars));
    const [{ profileId }] = exemplars.filter(({ value }) => value === ticks(8));
    assert.deepEqual(await ticksOf({ profileIdSelector: [profileId] }, {}), [8n, 11n, 5]);
    // The larger limit holds for both.
    const all = [820n, 820n, 42];
    assert.deepEqual(await ticksOf({ maxNodes: 10n }, { maxNodes: 100n }, "wide"), all);
    assert.deepEqual(await ticksOf({ maxNodes: 100n }, { maxNodes: 10n }, "wide"), all);
    const few = await ticksOf({ maxNodes: 10n }, { maxNodes: 5n }, "wide");
    assert.ok(few[0] === 820n && few[2] <= 12, `${few}`);
  });

  test(`${form}: call sites in other formats`, async () => {
    const stackTraceSelector = site("main", "a");
    const of = (format) => client.selectMergeStacktraces(side("traced", { format, stackTraceSelector }));
    assert.deepEqual(readTree((await of(2)).tree), [
      ["", 0n, 1],
      ["main", 0n, 1],
      ["a", ticks(4), 1],
      ["c", ticks(2), 0],
    ]);
    const { dot } = await of(3);
    assert.ok(/\ba\b/.test(dot) && /\bc\b/.test(dot), dot);
    assert.doesNotMatch(dot, /label="b\b/);
    assert.deepEqual(stacks((await of(4)).pprof.profile), { "main;a": 4, "main;a;c": 2 });
  });

  test(`${form}: profiles for Go's compiler`, async () => {
    const of = async (goPgo) => {
      const stackTraceSelector = { goPgo };
      const merged = await client.selectMergeProfile(side("go", { stackTraceSelector }));
      const asFormat = await client.selectMergeStacktraces(side("go", { stackTraceSelector, format: 4 }));
      assert.deepEqual(asFormat.pprof.profile, merged, "the same in both calls");
      return merged.sample.map(({ value, locationId }) => [value[0] / TICK, locationId.length]).sort();
    };
    assert.deepEqual(await of({ keepLocations: 5, aggregateCallees: true }), [
      [1n, 1],
      [5n, 2],
    ]);
    assert.deepEqual(await of({ keepLocations: 5, aggregateCallees: false }), [
      [1n, 1],
      [2n, 2],
      [3n, 2],
    ]);
    assert.deepEqual(await of({ keepLocations: 1, aggregateCallees: false }), [
      [1n, 1],
      [2n, 1],
      [3n, 1],
    ]);
  });

  test(`${form}: a limit below one is none`, async () => {
    for (const limit of [0n, -1n]) {
      const { series } = await client.selectSeries(side("wide", { step: 60, groupBy: ["service_name"], limit }));
      assert.equal(series.length, 1);
    }
  });
}
