/** The front page of a server without profiles: it waits for the first one, and fills the server with demo data, as the command does. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startWorker } from "./local.mjs";
import { launch, openPage, own } from "./page.mjs";

const COMMAND = fileURLToPath(new URL("../../site/package/pilotlight.mjs", import.meta.url));
const SERVICES = ["catalog", "checkout", "email-worker", "payments"];

let browser;
let worker;
before(async () => {
  worker = await startWorker(own("demo-worker"), { FLUSH_MS: "20" }, { site: true });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await worker?.close();
});

async function services() {
  const { services } = await (await worker.get("/api/v1/services?from=now-2h&until=now&points=1")).json();
  return services.map(({ name }) => name).sort();
}

/** Runs the schedule until the demo is deleted. Each hour of arrival is a job, and a visit here has one: pushes may have been in two. */
async function runUntilEmpty() {
  let left = SERVICES;
  for (let visit = 0; visit < 3 && left.length > 0; visit++) {
    await worker.runSchedule();
    left = (await services()).filter((name) => name !== "first");
  }
  assert.deepEqual(left, []);
}

test("a click fills the server, another one empties it, and the first profile shows up", async () => {
  const { page, at, end } = await openPage(browser, worker.url);
  const names = () => page.locator(".service-card .card-name").allTextContents();
  await at("waiting").waitFor();
  const push = "**/push.v1.PusherService/Push";
  await page.route(push, (route) =>
    route.fulfill({ status: 403, json: { code: "permission_denied", message: "this token may not push" } }),
  );
  await at("fill-demo").click();
  await at("fill-failed").waitFor();
  assert.match(await at("fill-failed").textContent(), /needs a token with the push scope/);
  assert.equal(await page.evaluate(() => localStorage.getItem("pilotlight-demo")), null);
  await page.unroute(push);

  await at("fill-demo").click();
  await at("fill-progress").waitFor();
  assert.ok(await at("fill-demo").isDisabled());
  await at("service-card").nth(3).waitFor();
  assert.deepEqual(await names(), SERVICES);
  assert.deepEqual(await services(), SERVICES);
  const { labels } = await (await worker.get("/api/v1/labels?from=now-2h&until=now&query={}")).json();
  assert.deepEqual(labels.demo, ["true"]);

  await page.reload();
  await at("delete-demo").click();
  await at("demo-note").getByText("Deleting the demo data").waitFor();
  await runUntilEmpty();
  await at("waiting").waitFor();
  assert.equal(await page.evaluate(() => localStorage.getItem("pilotlight-demo")), null);

  const seconds = Math.floor(Date.now() / 1000) - 60;
  const query = new URLSearchParams({ name: "first", from: seconds, until: seconds + 10, format: "folded" });
  const pushed = await fetch(`${worker.url}/ingest?${query}`, { method: "POST", body: "main;work 7\n" });
  assert.equal(pushed.status, 200, await pushed.text());
  // As when the tab is looked at again: the page looks at once.
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await at("service-card").waitFor();
  assert.deepEqual(await names(), ["first"]);
  await end(/status of 403/);
});

test("the command fills a server, and deletes what it pushed", async () => {
  const run = (...words) => spawnSync("node", [COMMAND, "demo", ...words], { encoding: "utf8" });
  const filled = run(worker.url);
  assert.equal(filled.status, 0, filled.stderr);
  assert.match(filled.stdout, /^Pushed 1680 of 1680 profiles in [\d.]+ s: checkout, /);
  assert.deepEqual(
    (await services()).filter((name) => name !== "first"),
    SERVICES,
  );
  const deleted = run("--delete", `${worker.url}/`);
  assert.equal(deleted.status, 0, deleted.stderr);
  await runUntilEmpty();
  const nowhere = run("http://127.0.0.1:9");
  assert.equal(nowhere.status, 1);
  assert.match(nowhere.stderr, /http:\/\/127\.0\.0\.1:9\/ does not answer[\s\S]*Start a server there/);
});
