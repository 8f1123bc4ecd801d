/** Pyroscope's query service, asked by a client of Connect in each of its forms. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { Code, createClient } from "@connectrpc/connect";
import { pushStacks } from "./answers.mjs";
import { url } from "./page.mjs";
import { ownServices, readTree, stacks, TICK, CPU as TYPE } from "./querieranswers.mjs";
import { FeatureFlags, Querier } from "./querierproto.mjs";
import { FORMS, refusal } from "./transports.mjs";

const { seconds, range, named, side } = ownServices("connect");

const push = (name, stacks, at = seconds) => pushStacks(name, stacks, at);

before(async () => {
  await push(`${named("old")}{region=eu}`, "main;a 3\nmain;b 5\n");
  await push(`${named("new")}{region=eu}`, "main;a 3\nmain;b 5\nmain 2\n");
  await push(`${named("many")}{region=eu}`, `${MANY.join("\n")}\n`);
  await push(`${named("new")}{region=us}`, "main;b;c 7\n", seconds + 30);
});

const MANY = Array.from({ length: 300 }, (_, i) => `main;function_${i} ${i + 1}`);

const levels = (graph) =>
  graph.levels.map(({ values }) => values.map((value, i) => Number(i % 4 < 3 ? value / TICK : value)));

for (const [form, transport] of Object.entries(FORMS)) {
  const client = createClient(Querier, transport);

  test(`${form}: names`, async () => {
    const { profileTypes } = await client.profileTypes(range);
    assert.ok(profileTypes.some(({ ID, sampleUnit }) => ID === TYPE && sampleUnit === "nanoseconds"));
    const matchers = [`{service_name="${named("new")}"}`];
    const { names } = await client.labelNames({ ...range, matchers });
    assert.ok(names.includes("region") && names.includes("service_name"));
    const values = await client.labelValues({ ...range, matchers, name: "region" });
    assert.deepEqual(values.names, ["eu", "us"]);
    const { labelsSet } = await client.series({ ...range, matchers, labelNames: ["service_name", "region"] });
    const pairs = labelsSet.map(({ labels }) => labels.map(({ name, value }) => `${name}=${value}`));
    assert.deepEqual(pairs, [
      ["region=eu", `service_name=${named("new")}`],
      ["region=us", `service_name=${named("new")}`],
    ]);
  });

  test(`${form}: flame graphs`, async () => {
    const { flamegraph } = await client.selectMergeStacktraces(side("old"));
    assert.deepEqual(flamegraph.names, ["total", "main", "b", "a"]);
    assert.deepEqual(levels(flamegraph), [
      [0, 8, 0, 0],
      [0, 8, 0, 1],
      [0, 3, 3, 3, 0, 5, 5, 2],
    ]);
    assert.deepEqual([flamegraph.total, flamegraph.maxSelf], [8n * TICK, 5n * TICK]);
    const eu = side("new", { labelSelector: `{service_name="${named("new")}",region="eu"}` });
    assert.deepEqual(levels((await client.selectMergeStacktraces(eu)).flamegraph).at(-1), [2, 3, 3, 3, 0, 5, 5, 2]);
    const one = await client.selectMergeStacktraces(side("old", { maxNodes: 1n }));
    assert.deepEqual(one.flamegraph.names, ["total", "main", "other"]);
    const many = await client.selectMergeStacktraces(side("many"));
    assert.equal(many.flamegraph.names.length, MANY.length + 2, "long enough to be compressed");
    const nothing = await client.selectMergeStacktraces(side("nobody"));
    assert.deepEqual(levels(nothing.flamegraph), [[0, 0, 0, 0]]);
  });

  test(`${form}: the other formats`, async () => {
    const ask = (format, more) => client.selectMergeStacktraces(side("old", { format, ...more }));
    const { tree } = await ask(2);
    const parts = [
      ["main", 0n, 2],
      ["b", 5n * TICK, 0],
      ["a", 3n * TICK, 0],
    ];
    assert.deepEqual(readTree(tree), [["", 0n, 1], ...parts]);
    assert.match((await ask(3)).dot, /^digraph/);
    const profile = (await ask(4)).pprof.profile;
    assert.equal(profile.timeNanos, range.start * 1_000_000n);
    assert.deepEqual(stacks(profile), { "main;a": 3, "main;b": 5 });
    const merged = await client.selectMergeProfile(side("old"));
    assert.deepEqual(stacks(merged), { "main;a": 3, "main;b": 5 });
  });

  test(`${form}: call sites and spans`, async () => {
    const callSite = [{ name: "main" }, { name: "b" }];
    const selector = { stackTraceSelector: { callSite } };
    const { flamegraph } = await client.selectMergeStacktraces(side("new", selector));
    assert.deepEqual([flamegraph.names, flamegraph.total], [["total", "main", "b", "c"], 12n * TICK]);
    assert.deepEqual(stacks(await client.selectMergeProfile(side("new", selector))), { "main;b": 5, "main;b;c": 7 });
    const spans = { spanSelector: ["00f067aa0ba902b7"] };
    assert.equal((await client.selectMergeSpanProfile(side("new", spans))).flamegraph.total, 0n);
  });

  test(`${form}: stacks by the functions on them`, async () => {
    const select = (frameFilter, callSite = []) => ({
      stackTraceSelector: { frameFilter, callSite: callSite.map((name) => ({ name })) },
    });
    const of = async (...stacksOf) => {
      const selector = select(...stacksOf);
      const { flamegraph } = await client.selectMergeStacktraces(side("new", selector));
      const profile = await client.selectMergeProfile(side("new", selector));
      return [flamegraph.names.join(), flamegraph.total / TICK, stacks(profile)];
    };
    const excluded = ["total,main,a", 5n, { "main;a": 3, main: 2 }];
    assert.deepEqual(await of({ excludeFunctionNames: ["b"] }), excluded);
    assert.deepEqual(await of({ excludeFunctionNameRegexes: ["^b"] }), excluded);
    const included = ["total,main,b,c", 7n, { "main;b;c": 7 }];
    assert.deepEqual(await of({ includeFunctionNames: ["b"], includeFunctionNameRegexes: ["c|x"] }), included);
    assert.deepEqual(await of({ includeFunctionNames: ["a", "b"] }), ["total", 0n, {}]);
    const both = [{ includeFunctionNames: ["b"], excludeFunctionNames: ["c"] }, ["main", "b"]];
    assert.deepEqual(await of(...both), ["total,main,b", 5n, { "main;b": 5 }]);
    const many = { includeFunctionNames: Array.from({ length: 65 }, (_, i) => `${i}`) };
    assert.equal((await refusal(of(many))).code, Code.InvalidArgument);
    for (const [wanted, total] of [
      [select({ excludeFunctionNames: ["b"] }), 5],
      [select({ includeFunctionNames: ["b"] }), 12],
      [select(...both), 5],
    ]) {
      const { series } = await client.selectSeries(side("new", { step: 60, exemplarType: 2, ...wanted }));
      const points = series.flatMap(({ points }) => points);
      const sum = points.reduce((sum, { value }) => sum + value, 0);
      assert.equal(sum, total * Number(TICK));
      const exemplars = points.flatMap(({ exemplars }) => exemplars.map(({ value }) => Number(value)));
      assert.ok(exemplars.length > 0 && exemplars.every((value) => value <= sum));
    }
  });

  test(`${form}: series`, async () => {
    const ask = (more) => client.selectSeries(side("new", { step: 15, ...more }));
    const { series } = await ask({ groupBy: ["region"] });
    const sums = series.map(({ labels, points }) => [labels[0].value, points.map(({ value }) => value / Number(TICK))]);
    assert.deepEqual(sums, [
      ["eu", [10]],
      ["us", [7]],
    ]);
    const largest = await ask({ groupBy: ["region"], limit: 1n });
    assert.deepEqual(
      largest.series.map(({ labels }) => labels[0].value),
      ["eu"],
    );
    const whole = await ask({ step: 180 });
    assert.deepEqual(
      whole.series.map(({ labels, points }) => [labels.length, points.map(({ value }) => value / Number(TICK))]),
      [[0, [17]]],
    );
  });

  test(`${form}: single profiles`, async () => {
    const individual = { step: 15, groupBy: ["region"], exemplarType: 2 };
    const { series } = await client.selectSeries(side("new", individual));
    const exemplars = series.map(({ points }) => points.flatMap(({ exemplars }) => exemplars));
    assert.deepEqual(
      exemplars.map((found) => found.map(({ value, timestamp }) => [value, timestamp])),
      [[[10n * TICK, BigInt(seconds) * 1000n]], [[7n * TICK, BigInt(seconds + 30) * 1000n]]],
    );
    const [eu, us] = exemplars.map(([{ profileId }]) => profileId);
    assert.match(eu, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.deepEqual(
      exemplars[0][0].labels.map(({ name, value }) => `${name}=${value}`),
      [`service_name=${named("new")}`],
    );
    const of = async (...profileIdSelector) =>
      stacks(await client.selectMergeProfile(side("new", { profileIdSelector })));
    assert.deepEqual(await of(eu), { "main;a": 3, "main;b": 5, main: 2 });
    assert.deepEqual(await of(us.toUpperCase()), { "main;b;c": 7 });
    assert.deepEqual(await of(eu, us), { "main;a": 3, "main;b": 5, main: 2, "main;b;c": 7 });
    assert.deepEqual(await of("7c9e6679-7425-40de-944b-e07fc1f90ae7"), {});
    const graph = await client.selectMergeStacktraces(side("new", { profileIdSelector: [us] }));
    assert.equal(graph.flamegraph.total, 7n * TICK);
    const elsewhere = await client.selectMergeStacktraces(side("old", { profileIdSelector: [us] }));
    assert.equal(elsewhere.flamegraph.total, 0n, "a selector holds beside the id");
    const none = await client.selectSeries(side("new", { ...individual, exemplarType: 1 }));
    assert.ok(none.series.every(({ points }) => points.every(({ exemplars }) => exemplars.length === 0)));
  });

  test(`${form}: series of a call site`, async () => {
    const ask = async (names, more) => {
      const stackTraceSelector = { callSite: names.map((name) => ({ name })) };
      const message = side("new", { step: 60, groupBy: ["region"], stackTraceSelector, ...more });
      const { series } = await client.selectSeries(message);
      return series.map(({ labels, points }) => [
        labels[0].value,
        points.reduce((sum, { value }) => sum + value, 0) / Number(TICK),
        ...points.flatMap(({ exemplars }) => exemplars.map(({ value }) => Number(value / TICK))),
      ]);
    };
    const b = [
      ["eu", 5],
      ["us", 7],
    ];
    assert.deepEqual(await ask(["main", "b"]), b);
    assert.deepEqual(await ask(["main", "b"], { aggregation: 1 }), b);
    assert.deepEqual(await ask(["main", "b", "c"]), [["us", 7]]);
    assert.deepEqual(await ask(["main", "a"], { exemplarType: 2 }), [["eu", 3, 3]]);
    assert.deepEqual(await ask(["b"]), []);
  });

  test(`${form}: heatmaps`, async () => {
    const ask = (more) => client.selectHeatmap(side("new", { step: 15, ...more }));
    const told = ({ series }) =>
      series.map(({ labels, slots }) => [
        labels.map(({ value }) => value).join(),
        slots.map(({ timestamp, counts }) => [Number(timestamp) / 1000 - seconds, counts.indexOf(1), counts.length]),
      ]);
    const slot = (of) => Math.ceil((of + 60) / 15) * 15 - 60;
    const whole = await ask({ queryType: 1, exemplarType: 2 });
    assert.deepEqual(told(whole), [
      [
        "",
        [
          [slot(0), 19, 20],
          [slot(30), 0, 20],
        ],
      ],
    ]);
    const [{ slots }] = whole.series;
    assert.deepEqual([slots[0].yMin[0], slots[0].yMin.length], [7 * Number(TICK), 20]);
    assert.deepEqual(slots[0].yMin, slots[1].yMin);
    const [one] = slots[1].exemplars;
    const graph = await client.selectMergeStacktraces(side("new", { profileIdSelector: [one.profileId] }));
    assert.equal(graph.flamegraph.total, one.value);
    const groups = await ask({ groupBy: ["region"] });
    assert.deepEqual(
      told(groups).map(([labels]) => labels),
      ["eu", "us"],
    );
    assert.ok(groups.series[0].slots[0].exemplars.length === 0);
    assert.deepEqual(told(await ask({ groupBy: ["region"], limit: 1n })), [["eu", [[slot(0), 0, 20]]]]);
    assert.deepEqual((await ask({ queryType: 2 })).series, [], "no span is known");
    const { message } = await refusal(ask({ step: 0 }));
    assert.match(message, /step must be >= 1ms/);
  });

  test(`${form}: comparisons`, async () => {
    const { flamegraph } = await client.diff({ left: side("old"), right: side("new") });
    assert.deepEqual(flamegraph.names, ["total", "main", "b", "c", "a"]);
    assert.deepEqual([flamegraph.leftTicks, flamegraph.rightTicks], [8n * TICK, 17n * TICK]);
    assert.deepEqual([flamegraph.total, flamegraph.maxSelf], [25n * TICK, 7n * TICK]);
    assert.ok(flamegraph.levels.every(({ values }) => values.length % 7 === 0));
    const other = side("new", { profileTypeID: "memory:inuse_space:bytes:space:bytes" });
    const { code, message } = await refusal(client.diff({ left: side("old"), right: other }));
    assert.equal(code, Code.InvalidArgument);
    assert.match(message, /both sides need the same profile type/);
    assert.equal((await refusal(client.diff({ left: side("old") }))).code, Code.InvalidArgument);
  });

  test(`${form}: what is stored, what a query costs, what is served`, async () => {
    const stats = await client.getProfileStats({});
    assert.ok(stats.dataIngested && stats.newestProfileTime >= BigInt(seconds) * 1000n);
    const query = `${TYPE}{service_name="${named("new")}"}`;
    const { queryScopes, queryImpact } = await client.analyzeQuery({ ...range, query });
    assert.equal(queryImpact.totalQueriedSeries, 2n);
    const [{ blockCount, profileCount, profileBytes, symbolBytes }] = queryScopes;
    assert.ok(blockCount > 0n && profileCount > 0n && profileBytes > 0n);
    assert.equal(profileBytes + symbolBytes, queryImpact.totalBytesInTimeRange);
    const { featureFlags } = await createClient(FeatureFlags, transport).getFeatureFlags({});
    assert.ok(featureFlags.some(({ name, enabled }) => name === "functionProjections" && enabled));
  });

  test(`${form}: refusals have codes`, async () => {
    const codes = async (answer) => (await refusal(answer)).code;
    const untimed = await refusal(client.labelNames({}));
    assert.deepEqual([untimed.code, untimed.rawMessage], [Code.InvalidArgument, "missing time range in the query"]);
    const ask = (more) => client.selectMergeStacktraces(side("old", more));
    assert.equal(await codes(ask({ maxNodes: 1_048_577n })), Code.InvalidArgument);
    assert.equal(await codes(ask({ maxNodes: -1n })), Code.InvalidArgument);
    assert.equal(await codes(ask({ labelSelector: "{" })), Code.InvalidArgument);
    assert.equal(await codes(ask({ profileTypeID: "x" })), Code.InvalidArgument);
    assert.equal(await codes(ask({ spanSelector: ["xyz"] })), Code.InvalidArgument);
    assert.equal(await codes(ask({ profileIdSelector: ["7c9e6679"] })), Code.InvalidArgument);
    assert.equal(await codes(client.selectSeries(side("old"))), Code.InvalidArgument);
    assert.equal(await codes(client.selectHeatmap({})), Code.InvalidArgument);
    assert.equal(await codes(client.selectSeries(side("old", { step: 15, exemplarType: 4 }))), Code.InvalidArgument);
  });
}

test("who does not ask for gzip gets none", async () => {
  const body = JSON.stringify(side("many"), (_, value) => (typeof value === "bigint" ? String(value) : value));
  const headers = { "content-type": "application/json", "accept-encoding": "identity" };
  const asked = `${url}/querier.v1.QuerierService/SelectMergeStacktraces`;
  const answer = await fetch(asked, { method: "POST", headers, body });
  assert.equal(answer.headers.get("content-encoding"), null);
  assert.equal((await answer.json()).flamegraph.names.length, MANY.length + 2);
});

test("functions, in JSON", async () => {
  const ask = async (call, message) => {
    const body = JSON.stringify(message, (_, value) => (typeof value === "bigint" ? String(value) : value));
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${url}/querier.v1.QuerierService/${call}`, { method: "POST", headers, body });
    assert.equal(answer.status, 200, call);
    return answer.json();
  };
  const of = (table) =>
    table.functions.map(({ name, total, self }) => [name, total / Number(TICK), self / Number(TICK)]);
  const format = { format: "PROFILE_FORMAT_FUNCTIONS", formatOptions: { functions: { limit: "2" } } };
  const { functions } = await ask("SelectMergeStacktraces", side("new", format));
  assert.deepEqual(of(functions), [
    ["c", 7, 7],
    ["b", 12, 5],
  ]);
  assert.equal(functions.totalFunctions, "4");
  const sides = (await ask("Diff", { left: side("old", format), right: side("new") })).functions;
  assert.deepEqual(
    [of(sides.left), of(sides.right)],
    [
      [
        ["c", 0, 0],
        ["b", 5, 5],
      ],
      [
        ["c", 7, 7],
        ["b", 12, 5],
      ],
    ],
  );
  const functionTree = {
    direction: "FUNCTION_TREE_DIRECTION_BOTH",
    selection: "FUNCTION_TREE_SELECTION_FUNCTION_CHAIN",
  };
  const stackTraceSelector = { callSite: [{ name: "b" }] };
  const options = { format: "PROFILE_FORMAT_FUNCTION_TREE", formatOptions: { functionTree }, stackTraceSelector };
  const tree = (await ask("SelectMergeStacktraces", side("new", options))).functionTree;
  assert.deepEqual([tree.callees.root.children[0].name, tree.callers.root.children[0].name], ["c", "main"]);
});
