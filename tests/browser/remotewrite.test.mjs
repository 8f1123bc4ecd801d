/**
 * Points of recording rules are sent to Debian's Prometheus, which then answers the same as the worker. Skipped where its
 * package cannot be downloaded.
 */
import assert from "node:assert/strict";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startWorker } from "./local.mjs";
import { askPrometheus, folder, prometheus, shown, startPrometheus } from "./prometheus.mjs";

const MINUTE = 60_000;
/** The whole minute in which the test begins; Prometheus refuses points that are older than an hour. */
const now = Math.floor(Date.now() / MINUTE) * MINUTE;

async function write(worker, path, body) {
  const answer = await fetch(worker.url + path, { method: "POST", body });
  assert.equal(answer.status, 200, `${path}: ${await answer.clone().text()}`);
}

/** A worker with a rule that sends to this address the points of the last 40 minutes. */
async function send(address, version) {
  const variables = {
    FLUSH_MS: "20",
    REMOTE_WRITE_URL: `${address}/api/v1/write`,
    REMOTE_WRITE_VERSION: version,
    REMOTE_WRITE_TOKEN: "s3cret",
  };
  const worker = await startWorker(join(folder, "remote-write-worker"), variables);
  const rule = {
    id: "sent",
    metric_name: `profiles_recorded_sent_${version[0]}`,
    query: 'process_cpu:cpu:nanoseconds:cpu:nanoseconds{service_name="sent"}',
    function: "work",
    group_by: ["region"],
    unit_suffix: true,
  };
  await write(worker, "/api/v1/rules", JSON.stringify(rule));
  const status = async () => (await (await worker.get("/api/v1/rules")).json()).remote_write;
  const push = (name, stacks, at) => {
    const seconds = at / 1_000 + 7;
    const query = new URLSearchParams({ name, format: "groups", from: String(seconds), until: String(seconds + 10) });
    return write(worker, `/ingest?${query}`, stacks);
  };
  await worker.setClock(now - 40 * MINUTE);
  await push("other", "main 1\n", now - 40 * MINUTE);
  // The first visit notes where sending begins.
  await worker.runSchedule();
  assert.equal((await status()).sent_until, now - 42 * MINUTE);
  await worker.setClock(now);
  const pushes = [];
  for (let at = now - 42 * MINUTE; at < now; at += MINUTE)
    for (const [region, every] of [
      ["eu", 1],
      ["us", 3],
    ])
      if ((at / MINUTE) % every === 0)
        pushes.push(push(`sent{region=${region}}`, `main;work ${1 + ((at / MINUTE) % 13)}\nmain;rest 5\n`, at));
  await Promise.all(pushes);
  await worker.runSchedule();
  return { worker, status: await status(), metric: `${rule.metric_name}_seconds` };
}

test("a visit of its own sends, too", async () => {
  const variables = { FLUSH_MS: "20", REMOTE_WRITE_URL: "http://127.0.0.1:9/api/v1/write" };
  const worker = await startWorker(join(folder, "visiting-worker"), variables, { itself: true });
  try {
    const query = 'process_cpu:cpu:nanoseconds:cpu:nanoseconds{service_name="one"}';
    await write(worker, "/api/v1/rules", JSON.stringify({ metric_name: "profiles_recorded_one", query }));
    const seconds = String(now / 1_000);
    const push = new URLSearchParams({ name: "one", format: "groups", from: seconds, until: seconds });
    await write(worker, `/ingest?${push}`, "main 1\n");
    await worker.runSchedule();
    const { remote_write } = await (await worker.get("/api/v1/rules")).json();
    assert.ok(now - remote_write.sent_until < 5 * MINUTE);
  } finally {
    await worker.close();
  }
});

test("Prometheus has what was sent", async (t) => {
  const program = await prometheus();
  if (!program) return t.skip("Debian's Prometheus cannot be fetched");
  const data = join(folder, "written");
  rmSync(data, { recursive: true, force: true });
  mkdirSync(data, { recursive: true });
  const { address, stop } = await startPrometheus(program, data, {}, ["--web.enable-remote-write-receiver"]);
  try {
    const [major, minor] = (await askPrometheus(address, "status/buildinfo", {})).version.split(".").map(Number);
    for (const version of ["1.0", "2.0"]) {
      const { worker, status, metric } = await send(address, version);
      try {
        assert.equal(status.host, new URL(address).host);
        assert.equal(status.dropped_minutes, 0);
        assert.ok(!JSON.stringify(status).includes("s3cret"));
        if (version === "2.0" && major === 2 && minor < 54) {
          assert.match(status.error.message, /set REMOTE_WRITE_VERSION to 1.0/);
          continue;
        }
        assert.equal(status.error, null);
        assert.equal(status.sent_until, now - 2 * MINUTE);
        // Not at whole minutes: up to version 2, Prometheus also counted a point at the very beginning of a window.
        const range = { start: now / 1_000 - 43 * 60 + 17, end: now / 1_000 - 120 };
        for (const [query, step] of [
          [metric, 60],
          [`sum by (region) (sum_over_time(${metric}[5m]))`, 90],
        ]) {
          const parameters = { query, step, ...range };
          const [expect, found] = await Promise.all(
            [`${worker.url}/prometheus`, address].map((of) => askPrometheus(of, "query_range", parameters)),
          );
          assert.equal(found.result.length, 2);
          assert.deepEqual(shown(found), shown(expect), JSON.stringify(parameters));
        }
      } finally {
        await worker.close();
      }
    }
  } finally {
    stop();
  }
});
