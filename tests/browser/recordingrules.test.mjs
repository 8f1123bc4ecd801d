/** Recording rules: made from a function and from a service, seen with their values on their page, and deleted there. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { pushStacks } from "./answers.mjs";
import { barriers } from "./axe.mjs";
import { drawnFrames, launch, openPage, url } from "./page.mjs";

const CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
const minute = 60_000;
const start = Math.floor(Date.now() / minute) * minute - 50 * minute;
const service = `rules.${start}`;
const metric = `profiles_recorded_work_${start}`;
const exported = `${metric}_seconds`;
const path = (more) =>
  `/explore?${new URLSearchParams({ s: service, t: CPU, from: start - 5 * minute, until: start + 10 * minute, ...more })}`;

let browser;
before(async () => {
  browser = await launch();
  await pushStacks(`${service}{region=eu}`, "main;work 10\nmain;work;deep 5\n", start / 1000);
  await pushStacks(`${service}{region=us}`, "main;work 20\nmain;rest 5\n", start / 1000);
});
after(() => browser?.close());

const stored = async () =>
  (await (await fetch(`${url}/api/v1/rules`)).json()).rules.filter(({ metric_name }) => metric_name === metric);

test("a function's own time by a label becomes a metric with what is stored", async () => {
  const { page, at, end } = await openPage(browser, path({ p: "function", fn: "work" }));
  await at("record-open").click();
  await at("record-words")
    .filter({ hasText: `Total CPU time of work in ${service}` })
    .waitFor();
  assert.equal(await at("record-name").inputValue(), `profiles_recorded_rules_${start}_cpu_work`);
  await at("record-series").filter({ hasText: "1 series" }).waitFor();

  await at("record-what-self").click();
  assert.equal(await at("record-name").inputValue(), `profiles_recorded_rules_${start}_cpu_work_self`);
  await at("record").locator('[data-testid="record-by"][data-name="region"]').check();
  await at("record-series").filter({ hasText: "2 series" }).waitFor();
  await at("record").getByRole("img", { name: "up to 300 ms" }).waitFor();
  await at("record-name").fill(metric);
  assert.deepEqual(await barriers(page), []);
  await page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/record.png` });
  await at("record-save").click();
  await at("record-saved").filter({ hasText: exported }).waitFor();
  const [rule] = await stored();
  assert.deepEqual(
    [rule.function, rule.self, rule.group_by, rule.unit_suffix, rule.provisioned],
    ["work", true, ["region"], true, false],
  );

  await at("record-rules").click();
  await page.waitForURL(/\/rules$/);
  const card = page.locator(`[data-testid="rule"][data-name="${exported}"]`);
  await card.getByTestId("rule-series").filter({ hasText: "2 series" }).waitFor();
  assert.equal(await card.getByTestId("rule-words").textContent(), `Self CPU time of work in ${service}, by region`);
  await card.getByRole("img", { name: "up to 300 ms" }).waitFor();
  assert.equal(await page.title(), "Rules · Pilotlight");
  assert.equal(
    await card.getByTestId("rule-copy").getAttribute("title"),
    `sum by (region) (sum_over_time(${exported}[5m]))`,
  );
  assert.deepEqual(await barriers(page), []);
  await page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/rules.png`, fullPage: true });
  await card.getByTestId("rule-explore").click();
  await at("function-name").filter({ hasText: "work" }).waitFor();
  await end();
});

test("a frame's call path is offered, and a name that is taken is refused", async () => {
  const { page, at, end } = await openPage(browser, path({}));
  // Samples are a hundredth of a second.
  await drawnFrames(page, 400_000_000);
  const canvas = await at("flame").boundingBox();
  // The row below the outermost function's.
  await page.mouse.click(canvas.x + canvas.width / 3, canvas.y + 50, { button: "right" });
  await at("frame-menu").getByRole("menuitem", { name: "Record as a metric" }).click();
  await at("record-what-path").click();
  await at("record-words").filter({ hasText: "Total CPU time of work called by main" }).waitFor();
  await page.keyboard.press("Escape");
  await at("record").waitFor({ state: "detached" });

  await at("share").click();
  await at("record-open").click();
  await at("record-words")
    .filter({ hasText: `Total CPU time in ${service}` })
    .waitFor();
  await at("record-name").fill(metric);
  await at("record-save").click();
  await at("record-problem").filter({ hasText: metric }).waitFor();
  assert.equal((await stored()).length, 1);
  await end(/status of 409/);
});

test("a rule is deleted after a question that names it", async () => {
  const { page, at, end } = await openPage(browser, "/");
  await at("rules-link").click();
  const card = page.locator(`[data-testid="rule"][data-name="${exported}"]`);
  await card.getByTestId("rule-delete").click();
  await card.getByTestId("rule-question").filter({ hasText: exported }).waitFor();
  assert.equal((await stored()).length, 1, "it only asks");
  await card.getByTestId("rule-delete-yes").click();
  await card.waitFor({ state: "detached" });
  assert.deepEqual(await stored(), []);
  await end();
});

test("a rule on the function that the demo's deploy made slow has what the function has, from the deploy on", async () => {
  const query = `${CPU}{service_name="checkout"}`;
  const name = "github.com/acme/shop/orders.(*Rule).matchesPattern";
  const range = new URLSearchParams({ from: String(Date.now() - 180 * minute), until: String(Date.now()) });
  const body = JSON.stringify({ query, function: name, group_by: ["version"], unit_suffix: true });
  const preview = await fetch(`${url}/api/v1/rules/preview?${range}&points=400`, { method: "POST", body });
  const { series, unit, step } = await preview.json();
  assert.deepEqual([unit, step, series.map(({ labels }) => labels)], ["seconds", minute, [{ version: "1.9.0" }]]);
  const [{ points }] = series;
  const first = points.findIndex((point) => point !== null);
  assert.ok(first > 0 && points[first - 1] === null, "nothing before the deploy");

  range.append("query", query);
  range.append("search", name);
  const { functions } = await (await fetch(`${url}/api/v1/functions?${range}`)).json();
  const { total } = functions.find((one) => one.name === name);
  const sum = points.reduce((sum, point) => sum + (point ?? 0), 0);
  assert.equal(sum.toFixed(3), (Number(total) / 1e9).toFixed(3));
});
