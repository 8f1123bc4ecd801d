/** The stories of the explorer over a day that real agents have written, against the recordings and against the API. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { push, tree, typesOf } from "./answers.mjs";
import { minutesFrom } from "./clocktime.mjs";
import { drawnFrames, launch, openPage, url } from "./page.mjs";
import { writePprof } from "./pprof.mjs";
import { isRecorded, pushDay, recordedOfNode } from "./recordedday.mjs";

const [MINUTE, HOUR] = [60_000, 3_600_000];
const WALL = "wall:wall:nanoseconds:wall:nanoseconds";
const CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
const end = Math.floor(Date.now() / HOUR) * HOUR;
const range = { from: end - 24 * HOUR, until: end };
/** Each half hour, five minutes after it began. */
const TIMES = Array.from({ length: 48 }, (_, i) => range.from + i * 30 * MINUTE + 5 * MINUTE);
const stamp = `day${end}`;

let browser;
let services;
before(async () => {
  if (!isRecorded) {
    console.log("skipped: there are no recordings of agents");
    return;
  }
  browser = await launch();
  services = await pushDay(TIMES, stamp);
});
after(() => browser?.close());

const explore = (service, type, more = {}) =>
  `/explore?${new URLSearchParams({ s: service, t: type, ...range, ...more })}`;
const api = async (name, params) => {
  const answer = await fetch(`${url}/api/v1/${name}?${new URLSearchParams(params)}`);
  assert.equal(answer.status, 200, `${name}: ${await answer.clone().text()}`);
  return answer.json();
};
const query = (service, type) => `${type}{service_name="${service}"}`;

test("from all services to the function that takes the most", async (t) => {
  if (!services) return t.skip();
  const { page, at, end } = await openPage(browser, `/?${new URLSearchParams({ ...range, t: WALL })}`);
  await at("search").fill(stamp);
  await page.waitForFunction((count) => document.querySelectorAll(".service-card").length === count, 3);
  const listed = await page.locator(".service-card .card-name").allTextContents();
  assert.deepEqual(listed.sort(), Object.values(services).sort());
  await page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/day-home.png` });
  await at("service-card").filter({ hasText: services.node }).click();
  const total = TIMES.length * recordedOfNode("wall");
  const rows = await drawnFrames(page, total);
  const { children } = await tree(services.node, WALL, range);
  assert.deepEqual(
    rows.filter(({ depth }) => depth === 1).map(({ name, total }) => [name, total]),
    [...children.values()].sort((a, b) => b.total - a.total).map(({ name, total }) => [name, total]),
  );
  await page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/day-explore.png` });
  await at("view-table").click();
  const first = at("row").first();
  await first.waitFor();
  const { functions } = await api("functions", { query: query(services.node, WALL), ...range, limit: "1" });
  assert.ok((await first.textContent()).includes(functions[0].name), functions[0].name);
  await end();
});

test("every type of each agent has its total", async (t) => {
  if (!services) return t.skip();
  for (const [service, type] of [
    [services.go, CPU],
    [services.node, WALL],
    [services.python, CPU],
  ]) {
    const { at, end } = await openPage(browser, explore(service, type, { p: "types" }));
    await at("types-panel").locator(`[data-type="${type}"]`).waitFor();
    const types = await typesOf(service, range);
    const shown = await at("type-card").evaluateAll((cards) => cards.map(({ dataset }) => dataset.type));
    assert.deepEqual(shown.sort(), types.sort());
    const { total } = await tree(service, type, range);
    const card = at("types-panel").locator(`[data-type="${type}"]`).getByTestId("type-total");
    assert.equal(Number((await card.getAttribute("title")).replace(/\D/g, "")), total);
    await end();
  }
});

test("an hour against the one before has the same shares", async (t) => {
  if (!services) return t.skip();
  const hour = { bf: end - 2 * HOUR, bu: end - HOUR };
  const {
    page,
    at,
    end: close,
  } = await openPage(browser, explore(services.go, CPU, { from: range.until - HOUR, until: range.until }));
  const { total } = await tree(services.go, CPU, { from: hour.bu, until: range.until });
  await drawnFrames(page, total);
  await at("compare").click();
  await at("presets").click();
  await page.getByRole("button", { name: "Compare with 1 h earlier" }).click();
  await at("legend").waitFor();
  const said = await at("diff-totals").textContent();
  assert.match(said, /the same|[+-]?0 %/, said);
  await at("view-sides").click();
  await page
    .getByText(/^Baseline/)
    .first()
    .waitFor();
  await page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/day-sides.png` });
  await close();
});

test("every single profile of the day is in the heatmap, and the timeline adds up to what the flame graph has", async (t) => {
  if (!services) return t.skip();
  const singles = await openPage(browser, explore(services.go, CPU, { p: "singles" }));
  await singles.at("singles-row").first().waitFor();
  const counts = await singles
    .at("singles-cell")
    .evaluateAll((cells) => cells.map(({ dataset }) => Number(dataset.count)));
  const { points, counts: profiles } = await api("timeline", {
    query: query(services.go, CPU),
    ...range,
    points: "24",
  });
  const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);
  assert.equal(sum(counts), sum(profiles));
  assert.equal(sum(points), (await tree(services.go, CPU, range)).total);
  await singles.end();
});

test("a function says that it ran from the beginning of the day, and who runs it", async (t) => {
  if (!services) return t.skip();
  const { functions } = await api("functions", { query: query(services.go, CPU), ...range, limit: "1" });
  const { at, end } = await openPage(browser, explore(services.go, CPU, { p: "function", fn: functions[0].name }));
  await at("function-since").waitFor();
  assert.match(await at("function-since").textContent(), /^(Seen|First seen) in the first bar, before /);
  await at("function-service").first().waitFor();
  const running = await at("function-service").evaluateAll((rows) => rows.map(({ dataset }) => dataset.service));
  assert.ok(running.includes(services.go), running.join());
  await end();
});

test("from the front page: which service got slower, when and in which function, in six hours and in a day", async (t) => {
  if (!services) return t.skip();
  // Python's agent every other minute for five hours. The second version computes something more.
  const agents = ["py0816"];
  const deploy = end - 2 * HOUR;
  const every = (from, until) => Array.from({ length: (until - from) / (2 * MINUTE) }, (_, i) => from + i * 2 * MINUTE);
  const [before, after] = [every(end - 5 * HOUR, deploy), every(deploy, end)];
  const { python } = await pushDay(before, `slow${end}`, { agents, labels: "{version=1}" });
  await pushDay(after, `slow${end}`, { agents, labels: "{version=2}" });
  const { total } = await tree(python, CPU, { from: before[0], until: before[1] });
  const more = writePprof("cpu", "nanoseconds", [`<module>;handle;render_all ${Math.round(total / 2)}`]);
  await Promise.all(after.map((time) => push(`${python}{version=2}`, more, time / 1000)));
  for (const hours of [6, 24]) {
    const asked = new URLSearchParams({ from: end - hours * HOUR, until: end, o: "-delta" });
    const { page, at, end: close } = await openPage(browser, `/?${asked}`);
    const change = at("service-card").filter({ hasText: python }).getByTestId("card-change");
    await page
      .locator(".service-card", { hasText: python })
      .locator("[data-kind=deploy]")
      .waitFor({ state: "attached" });
    assert.match(await change.textContent(), /^\+\d+(\.\d)? % since .*\d\d:\d\d \(2\)$/);
    const said = await change.textContent();
    assert.ok(minutesFrom(said, deploy) <= 6, `${said} and it was at ${new Date(deploy).toISOString()}`);
    await change.click();
    await page.waitForSelector("[data-testid=changes][data-state=ready]");
    assert.match(await at("changes-summary").textContent(), /^\+\d.*cores, .* of it in .*render_all/);
    await close();
  }
});

test("nothing changed between the halves of the day, so nothing is claimed", async (t) => {
  if (!services) return t.skip();
  const { page, at, end } = await openPage(browser, explore(services.python, CPU, { p: "changes" }));
  await at("changes-summary").waitFor();
  assert.equal(await at("change").count(), 0, await at("changes-summary").textContent());
  await page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/day-changes.png` });
  await end();
});
