/**
 * Points of recording rules, compared with Debian's Prometheus: both answer the same in the part of PromQL
 * that we support. Prometheus gets points from this test, and then scrapes ours. Skipped where its package cannot be
 * downloaded.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { pushStacks } from "./answers.mjs";
import { url } from "./page.mjs";
import { askPrometheus as ask, folder, prometheus, shown, startPrometheus, until } from "./prometheus.mjs";

const run = promisify(execFile);
const minute = 60_000;
/** A minute is exported two minutes after its end. Prometheus gets older points from this test, and scrapes others. */
const first = Math.floor(Date.now() / minute) - 40;
const scraped = first + 34;
const service = `prometheus.${first}`;
const metric = `profiles_recorded_prometheus_${first}_seconds`;

/** What was pushed in each minute and region: samples of `work`, each a hundredth of a second. Some minutes are empty. */
const pushed = [];
for (let at = first; at < first + 42; at++)
  for (const [region, every] of [
    ["eu", 1],
    ["us", 3],
  ])
    if (at % every === 0 && !(at > first + 10 && at < first + 18))
      pushed.push({ at, region, count: 1 + ((at * 7) % 13) });

let program;
let rule;
before(async () => {
  program = await prometheus();
  if (!program) return;
  const push = ({ at, region, count }) =>
    pushStacks(`${service}{region=${region}}`, `main;work ${count}\nmain;rest 5\n`, at * 60 + 7);
  await Promise.all(pushed.map(push));
  const wanted = {
    metric_name: metric,
    query: `process_cpu:cpu:nanoseconds:cpu:nanoseconds{service_name="${service}"}`,
    function: "work",
    self: true,
    group_by: ["region"],
    unit_suffix: true,
  };
  const answer = await fetch(`${url}/api/v1/rules`, { method: "POST", body: JSON.stringify(wanted) });
  assert.equal(answer.status, 200, await answer.clone().text());
  rule = await answer.json();
});
after(() => rule && fetch(`${url}/api/v1/rules?id=${rule.id}`, { method: "DELETE" }));

/** The points before what is scraped, as OpenMetrics. */
function openMetrics() {
  const labels = (region) => `profiles_rule_id="${rule.id}",region="${region}"`;
  const before = pushed.filter(({ at }) => at < scraped - 6).sort((a, b) => a.region.localeCompare(b.region));
  const lines = before.map(({ at, region, count }) => `${metric}{${labels(region)}} ${count / 100} ${(at + 1) * 60}`);
  return [`# TYPE ${metric} gauge`, ...lines, "# EOF", ""].join("\n");
}

/** Starts it with those points, to scrape ours. */
async function start() {
  const data = join(folder, "data");
  rmSync(data, { recursive: true, force: true });
  mkdirSync(data, { recursive: true });
  const file = join(folder, "points.txt");
  writeFileSync(file, openMetrics());
  await run(join(program, "promtool"), ["tsdb", "create-blocks-from", "openmetrics", file, data]);
  const scrape = {
    job_name: "pilotlight",
    metrics_path: "/exported-metrics",
    scrape_interval: "1s",
    static_configs: [{ targets: [new URL(url).host] }],
  };
  return startPrometheus(program, data, { scrape_configs: [scrape] });
}

const EXPRESSIONS = [
  metric,
  `${metric}{region="us"}`,
  `${metric}{region!~"e.|x"} * 2`,
  `{__name__="${metric}",region=~"eu|us"}`,
  `sum(${metric})`,
  `sum by (region) (${metric}) / 60`,
  `sum_over_time(${metric}[5m])`,
  `sum(sum_over_time(${metric}[3m])) by (region)`,
  `sum by (none) (sum_over_time(${metric}{region="eu"}[90s]))`,
  `avg_over_time(${metric}[10m])`,
  `sum_over_time(${metric}{region="nowhere"}[1h])`,
];

test("Prometheus answers the same, and scrapes", async (t) => {
  if (!program) return t.skip("Debian's Prometheus cannot be fetched");
  const { address, stop } = await start();
  try {
    const ours = `${url}/prometheus`;
    // Before the scraped minutes, which only Prometheus would lack.
    // Not at whole minutes: up to version 2, Prometheus also counted a point at the very beginning of a window.
    const [from, last] = [(first - 3) * 60 + 17, (scraped - 7) * 60 + 17];
    for (const query of EXPRESSIONS) {
      for (const [start, end, step] of [
        [from, last, "1m"],
        [from, last, "40s"],
        [from, last, "600"],
      ]) {
        const parameters = { query, start, end, step };
        const [expect, found] = await Promise.all([address, ours].map((of) => ask(of, "query_range", parameters)));
        assert.deepEqual(shown(found), shown(expect), JSON.stringify(parameters));
      }
      for (const time of [first * 60 + 77, first * 60 + 913, last]) {
        const parameters = { query, time };
        const [expect, found] = await Promise.all([address, ours].map((of) => ask(of, "query", parameters)));
        assert.deepEqual(shown(found), shown(expect), JSON.stringify(parameters));
      }
    }
    const at = { start: from, end: last, "match[]": metric };
    const sets = (data) => data.map((labels) => JSON.stringify(Object.entries(labels).sort())).sort();
    const [expect, found] = await Promise.all([address, ours].map((of) => ask(of, "series", at)));
    assert.deepEqual(sets(found), sets(expect));
    for (const path of ["labels", "label/region/values"]) {
      const [expect, found] = await Promise.all([address, ours].map((of) => ask(of, path, at)));
      assert.deepEqual(found, expect, path);
    }
    assert.deepEqual(await ask(ours, "query", { query: "1+1", time: 60 }), { resultType: "scalar", result: [60, "2"] });

    const query = `${metric}{job="pilotlight"}[10m]`;
    const { result } = await until(async () => {
      const data = await ask(address, "query", { query });
      return data.result.some(({ metric }) => metric.region === "eu") && data;
    });
    for (const { metric, values } of result)
      for (const [time, value] of values) {
        const one = pushed.find(({ at, region }) => at + 1 === time / 60 && region === metric.region);
        assert.equal(Number(value), one.count / 100, `${metric.region} at ${time}`);
      }
  } finally {
    stop();
  }
});
