/**
 * Messages of alerts to a webhook that fails at first, and to Debian's Alertmanager; and an alert on the demo, which its deploy
 * fires once. The test sets the clock. The test with Alertmanager is skipped where its package can't be downloaded.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startServer, unpacked } from "./debian.mjs";
import { startWorker } from "./local.mjs";
import { own } from "./page.mjs";

const COMMAND = fileURLToPath(new URL("../../site/package/pilotlight.mjs", import.meta.url));
const CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
const PLANTED = "github.com/acme/shop/orders.(*Rule).matchesPattern";
const minute = 60_000;
const TEMPLATES = "/usr/share/prometheus/alertmanager";
const folder = own("alertmanager");

let worker;
before(async () => {
  worker = await startWorker(own("receivers"), { FLUSH_MS: "20" });
});
after(() => worker?.close());

async function api(method, path, body) {
  const response = await fetch(`${worker.url}/api/v1/${path}`, { method, body: body && JSON.stringify(body) });
  const text = await response.text();
  return { status: response.status, value: text && JSON.parse(text) };
}

async function call(method, path, body) {
  const { status, value } = await api(method, path, body);
  assert.ok(status < 300, `${method} ${path}: ${status} ${JSON.stringify(value)}`);
  return value;
}

const makeRule = (name, query, more = {}) =>
  call("POST", "rules", { metric_name: `profiles_recorded_${name}`, query, unit_suffix: true, ...more });

/** Pushes `seconds` of CPU for the minute that ends at `end`. */
async function push(name, end, seconds) {
  const at = end / 1_000 - 30;
  const query = new URLSearchParams({ name, format: "groups", from: String(at), until: String(at + 10) });
  const url = `${worker.url}/ingest?${query}`;
  const answer = await fetch(url, { method: "POST", body: `main;work ${seconds * 100}\n` });
  assert.equal(answer.status, 200, await answer.text());
}

/** Runs the schedule when the minute that ends at `end` is the last one to evaluate. */
async function evaluate(end) {
  await worker.setClock(end + 2 * minute + 1_000);
  await worker.runSchedule();
}

/** A receiver in this process. */
async function startWebhook() {
  const received = [];
  const statuses = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => (body += part));
    request.on("end", () => {
      received.push({ authorization: request.headers.authorization, ...JSON.parse(body) });
      const status = statuses.shift() ?? 200;
      response.writeHead(status).end(status === 204 ? undefined : "busy");
    });
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return { url: `http://127.0.0.1:${server.address().port}/hook`, received, statuses, close: () => server.close() };
}

test("a webhook gets a message when an alert fires and when it is resolved, with retries", async (t) => {
  const hook = await startWebhook();
  t.after(() => hook.close());
  const begin = Math.floor(Date.now() / minute) * minute - 30 * minute;
  const rule = await makeRule("hook", `${CPU}{service_name="hook"}`, { group_by: ["region"] });
  await call("POST", "receivers", { name: "hook", kind: "webhook", url: hook.url, token: "secret" });
  const wanted = { name: "Too much", rule: rule.id, kind: "above", threshold: 1, minutes: 1, receivers: ["hook"] };
  const alert = await call("POST", "alerts", wanted);
  for (const [i, seconds] of [30, 90, 120, 30].entries()) await push("hook{region=eu}", begin + i * minute, seconds);
  await push("hook{region=us}", begin, 6);

  await evaluate(begin);
  assert.deepEqual(hook.received, []);
  hook.statuses.push(503);
  await evaluate(begin + minute);
  const listed = await call("GET", "alerts");
  assert.deepEqual(
    listed.alerts.map(({ firing, unit, error }) => [firing, unit, error]),
    [[[{ labels: { region: "eu" }, since: begin + minute, value: 1.5, until: null }], "cores", ""]],
  );
  assert.deepEqual(
    listed.receivers.map(({ url, token, sent, ...shown }) => [url, token, sent, shown]),
    [
      [
        undefined,
        undefined,
        0,
        {
          name: "hook",
          kind: "webhook",
          host: new URL(hook.url).host,
          error: "the receiver returned 503",
          waiting: 1,
          dropped: 0,
        },
      ],
    ],
  );
  await evaluate(begin + 2 * minute);
  await evaluate(begin + 3 * minute);
  assert.deepEqual(
    hook.received.map(({ status, authorization, at }) => [status, authorization, at]),
    [
      ["firing", "Bearer secret", begin + minute],
      ["firing", "Bearer secret", begin + minute],
      ["resolved", "Bearer secret", begin + 3 * minute],
    ],
  );
  assert.equal(hook.received[0].id, hook.received[1].id);
  assert.equal(hook.received[1].text, "Too much: above 1 core on average over 1 min (region=eu: 1.5 cores)");
  const link = new URL(hook.received[1].link);
  assert.deepEqual(
    [link.origin, link.pathname, link.searchParams.getAll("l2"), link.searchParams.get("until2")],
    [worker.url.replace(/\/$/, ""), "/diff", ['region="eu"'], String(begin + minute)],
  );
  const { history, alerts } = await call("GET", "alerts");
  assert.deepEqual(
    history.map(({ status, at, since }) => [status, at, since]),
    [
      ["resolved", begin + 3 * minute, begin + minute],
      ["firing", begin + minute, begin + minute],
    ],
  );
  assert.deepEqual(alerts[0].firing, []);

  // A preview finds the same from the stored profiles.
  const range = new URLSearchParams({ from: String(begin - 10 * minute), until: String(begin + 3 * minute) });
  const { firings } = await call("POST", `alerts/preview?${range}`, wanted);
  assert.deepEqual(firings, [{ labels: { region: "eu" }, from: begin + minute, until: begin + 3 * minute, value: 2 }]);

  // Without a body.
  hook.statuses.push(204);
  assert.deepEqual(await call("POST", "receivers/test?name=hook"), { status: 204 });
  assert.equal(hook.received.at(-1).status, "test");
  hook.statuses.push(410);
  const refused = await api("POST", "receivers/test?name=hook");
  assert.deepEqual([refused.status, refused.value.message], [502, "the receiver returned 410: busy"]);
  const used = await api("DELETE", "receivers?name=hook");
  assert.match(used.value.message, /the alert "Too much" uses this receiver/);
  await call("DELETE", `alerts?id=${alert.id}`);
  await call("DELETE", "receivers?name=hook");
});

/** The path of Debian's Alertmanager; undefined if it can't be downloaded. */
async function alertmanager() {
  const files = await unpacked("prometheus-alertmanager");
  // Debian's build reads its templates only from there.
  if (files && !existsSync(TEMPLATES)) cpSync(join(files, TEMPLATES), TEMPLATES, { recursive: true });
  return files && join(files, "usr/bin/prometheus-alertmanager");
}

test("Alertmanager gets firing alerts, again every ten minutes, and resolved ones", async (t) => {
  const program = await alertmanager();
  if (!program) return t.skip("Debian's Alertmanager cannot be fetched");
  mkdirSync(folder, { recursive: true });
  const config = join(folder, "alertmanager.yml");
  // JSON is valid YAML.
  writeFileSync(config, JSON.stringify({ route: { receiver: "none" }, receivers: [{ name: "none" }] }));
  const { address, stop } = await startServer(program, [
    `--config.file=${config}`,
    `--storage.path=${join(folder, "data")}`,
    "--cluster.listen-address=",
  ]);
  try {
    const active = async () => {
      const found = await (await fetch(`${address}/api/v2/alerts`)).json();
      return found.filter(({ labels }) => labels.alertname !== "Test");
    };
    // Alertmanager compares times with its own clock.
    const begin = Math.floor(Date.now() / minute) * minute - 20 * minute;
    await worker.setClock(Date.now());
    const rule = await makeRule("am", `${CPU}{service_name="am"}`);
    await call("POST", "receivers", { name: "am", kind: "alertmanager", url: address });
    await call("POST", "receivers/test?name=am");
    const wanted = { name: "Am", rule: rule.id, kind: "above", threshold: 1, minutes: 1, receivers: ["am"] };
    const alert = await call("POST", "alerts", wanted);
    for (let i = 0; i < 14; i++) await push("am", begin + i * minute, 120);
    await push("am", begin + 14 * minute, 6);
    await evaluate(begin);
    const [first, ...others] = await active();
    assert.deepEqual(others, []);
    assert.deepEqual(first.labels, { alertname: "Am", pilotlight_alert: alert.id });
    assert.equal(first.annotations.summary, "Am: above 1 core on average over 1 min (2 cores)");
    assert.equal(Date.parse(first.startsAt), begin);
    assert.match(first.generatorURL, /\/diff\?s=am&/);
    assert.equal(Date.parse(first.endsAt), begin + 30 * minute);
    await evaluate(begin + 10 * minute);
    const [again] = await active();
    assert.equal(Date.parse(again.endsAt), begin + 40 * minute);
    await evaluate(begin + 14 * minute);
    assert.deepEqual(await active(), []);
    await call("DELETE", `alerts?id=${alert.id}`);
  } finally {
    stop();
  }
});

test("on the demo, an alert on the slow function fires once, at the deploy, and nothing else fires", async () => {
  // At a whole minute, so that each run has the same profiles in each minute.
  const now = Math.floor(Date.now() / minute) * minute;
  await worker.setClock(now);
  const clock = `data:text/javascript,Date.now = () => ${now}`;
  const filled = spawnSync("node", ["--import", clock, COMMAND, "demo", worker.url], { encoding: "utf8" });
  assert.equal(filled.status, 0, filled.stderr);
  const checkout = `${CPU}{service_name="checkout"}`;
  const rules = {
    planted: await makeRule("planted", checkout, { function: PLANTED }),
    checkout: await makeRule("checkout", checkout),
    "email-worker": await makeRule("email", `${CPU}{service_name="email-worker"}`),
    payments: await makeRule("payments", `${CPU}{service_name="payments"}`),
  };
  const preview = async (rule, from, until, more = {}) => {
    const alert = { rule: rules[rule].id, kind: "grew", threshold: 20, minutes: 10, ...more };
    const range = new URLSearchParams({ from: String(from), until: String(until) });
    return (await call("POST", `alerts/preview?${range}`, alert)).firings;
  };
  // The deploy is where the new version begins.
  const range = new URLSearchParams({ from: String(now - 90 * minute), until: String(now), points: "400" });
  const body = { query: checkout, group_by: ["version"] };
  const { series, start, step } = await call("POST", `rules/preview?${range}`, body);
  const { points } = series.find(({ labels }) => labels.version === "1.9.0");
  const deploy = start + points.findIndex((point) => point !== null) * step;

  const [from, until] = [now - 90 * minute, now - 3 * minute];
  const fired = await preview("planted", from, until, { version_label: "version" });
  assert.equal(fired.length, 1, JSON.stringify(fired));
  assert.ok(fired[0].from > deploy && fired[0].from <= deploy + 12 * minute, `${fired[0].from - deploy}`);

  // 72 ranges in which nothing changed: of two services at any time, and of the third before its deploy.
  const quiet = [];
  for (const rule of ["email-worker", "payments"])
    for (let i = 0; i < 30; i++) quiet.push([rule, from + i * 2 * minute, from + i * 2 * minute + 25 * minute]);
  for (let i = 0; i < 12; i++) quiet.push(["checkout", from + i * minute, Math.min(deploy, from + (20 + i) * minute)]);
  assert.equal(quiet.length, 72);
  for (const [rule, begin, end] of quiet)
    assert.deepEqual(await preview(rule, begin, Math.min(end, until)), [], `${rule} ${(begin - from) / minute}`);
});
