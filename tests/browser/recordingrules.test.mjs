/** Recording rules: made from a function and from a service, seen with their values on their page, and edited and deleted there. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { pushStacks } from "./answers.mjs";
import { barriers } from "./axe.mjs";
import { drawnFrames, launch, openPage, url } from "./page.mjs";

const CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
const minute = 60_000;
const start = Math.floor(Date.now() / minute) * minute - 50 * minute;
const service = `rules.${start}`;
const metric = `profiles_recorded_rules_work_${start}`;
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

const named = async (name) =>
  (await (await fetch(`${url}/api/v1/rules`)).json()).rules.filter(({ metric_name }) => metric_name === name);
const stored = () => named(metric);
const save = async (rule) => {
  const answer = await fetch(`${url}/api/v1/rules`, { method: "POST", body: JSON.stringify(rule) });
  assert.ok(answer.ok, await answer.clone().text());
  return answer.json();
};
const remove = (id) => fetch(`${url}/api/v1/rules?id=${id}`, { method: "DELETE" });
const cardOf = (page, name) => page.locator(`[data-testid="rule"][data-name="${name}"]`);

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
  const card = cardOf(page, exported);
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

test("an entire service is recorded on the page Rules, and its function can be set and emptied", async () => {
  const { page, at, end } = await openPage(browser, "/rules");
  await at("rule-new").click();
  await at("record-service").selectOption(service);
  await at("record-words")
    .filter({ hasText: `CPU time in ${service}` })
    .waitFor();
  assert.equal(await at("record-name").inputValue(), `profiles_recorded_rules_${start}_cpu`);
  await at("record-series").filter({ hasText: "1 series" }).waitFor();
  await at("record").locator('[data-testid="record-by"][data-name="region"]').waitFor();
  assert.deepEqual(await barriers(page), []);
  await page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/record-service.png` });
  const name = `${metric}_whole`;
  await at("record-name").fill(name);
  await at("record-save").click();
  await at("record-saved").waitFor();
  assert.deepEqual(
    (await named(name)).map((rule) => [rule.query, rule.function, rule.group_by]),
    [[`${CPU}{service_name="${service}"}`, "", []]],
  );
  // The kind that needs such a rule, in the only dialog.
  await at("record-alert").click();
  await at("alert-kind-new_function").click();
  assert.equal(await page.getByRole("dialog").count(), 1);
  await page.keyboard.press("Escape");
  await at("alert").waitFor({ state: "detached" });

  const card = cardOf(page, `${name}_seconds`);
  const edit = async (fields) => {
    await card.getByTestId("rule-edit").click();
    await at("record-function").fill(fields.function);
    await at("record-words").filter({ hasText: fields.words }).waitFor();
    // By key: a preview that arrives between press and release of the button can't swallow the click.
    await at("record-function").press("Enter");
    await at("record").waitFor({ state: "detached" });
    const [{ function: func, self }] = await named(name);
    return [func, self];
  };
  assert.deepEqual(await edit({ function: "work", words: "Total CPU time of work" }), ["work", false]);
  const [rule] = await named(name);
  await save({ ...rule, self: true });
  await at("refresh").click();
  await card.getByTestId("rule-words").filter({ hasText: "Self CPU time of work" }).waitFor();
  assert.deepEqual(await edit({ function: "", words: `CPU time in ${service}` }), ["", false]);
  await remove(rule.id);
  await end();
});

test("the entire profile is offered in Function, and next to a function", async () => {
  const { page, at, end } = await openPage(browser, path({ p: "function" }));
  await at("record-whole").click();
  const words = at("record-words").filter({ hasText: `CPU time in ${service}` });
  await words.waitFor();
  await page.keyboard.press("Escape");
  await at("record").waitFor({ state: "detached" });
  await at("function-suggestion").filter({ hasText: "work" }).click();
  await at("record-open").click();
  assert.equal(await at("record-whole").count(), 0);
  await at("record-words").filter({ hasText: "Total CPU time of work" }).waitFor();
  await at("record-what-whole").click();
  await words.waitFor();
  assert.equal(await at("record-name").inputValue(), `profiles_recorded_rules_${start}_cpu`);
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
    .filter({ hasText: `CPU time in ${service}` })
    .waitFor();
  await at("record-name").fill(metric);
  await at("record-save").click();
  await at("record-problem").filter({ hasText: metric }).waitFor();
  assert.equal((await stored()).length, 1);
  await end(/status of 409/);
  // Nor may another rule be renamed to it.
  const [taken] = await stored();
  const other = await save({ ...taken, id: "", generation: 0, metric_name: `${metric}_other` });
  const renamed = await fetch(`${url}/api/v1/rules`, {
    method: "POST",
    body: JSON.stringify({ ...other, metric_name: metric }),
  });
  assert.deepEqual([renamed.status, (await renamed.json()).code], [409, "already_exists"]);
  await remove(other.id);
});

test("a rule is edited on its card, with labels of all series", async () => {
  const [before] = await stored();
  const { page, at, end } = await openPage(browser, "/rules");
  const card = cardOf(page, exported);
  await card.getByTestId("rule-edit").click();
  await at("record").filter({ hasText: "Edit rule" }).waitFor();
  assert.equal(await at("record-words").textContent(), `Self CPU time of work in ${service}, by region`);
  assert.deepEqual(
    [await at("record-query").inputValue(), await at("record-function").inputValue()],
    [`${CPU}{service_name="${service}"}`, "work"],
  );
  assert.equal(await at("record-name").inputValue(), metric);
  assert.ok(await at("record-unit").isChecked());
  const by = at("record").locator('[data-testid="record-by"][data-name="region"]');
  assert.ok(await by.isChecked());
  await at("record-series").filter({ hasText: "2 series" }).waitFor();
  assert.ok(!(await at("record-label-add").isVisible()), "options are folded away");

  await at("record-function").fill("deep");
  await at("record").locator('datalist option[value="deep"]').waitFor({ state: "attached" });
  await at("record-words")
    .filter({ hasText: `Self CPU time of deep in ${service}` })
    .waitFor();
  await at("record-series").filter({ hasText: "1 series" }).waitFor();
  await by.uncheck();
  await at("record-options").click();
  for (const [i, [name, value]] of [
    ["team", "shop"],
    ["site", "a b"],
    ["team", "twice"],
  ].entries()) {
    await at("record-label-add").click();
    await at("record-label-name").nth(i).fill(name);
    await at("record-label-value").nth(i).fill(value);
  }
  assert.deepEqual(await barriers(page), []);
  await page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/record-edit.png` });
  await at("record-options").click();
  await at("record-save").click();
  await at("record-label-name").nth(2).waitFor();
  assert.equal(
    await at("record-label-name")
      .nth(2)
      .evaluate((input) => input.validationMessage),
    "Another row has this name",
  );
  await at("record-label-remove").nth(2).click();
  await at("record-save").click();
  await at("record").waitFor({ state: "detached" });
  await card.getByTestId("rule-words").filter({ hasText: "Self CPU time of deep" }).waitFor();
  await card.filter({ hasText: "with site=a b, team=shop" }).waitFor();
  const [after] = await stored();
  const labels = { team: "shop", site: "a b" };
  assert.ok(after.generation > before.generation);
  assert.deepEqual(after, {
    ...before,
    function: "deep",
    group_by: [],
    external_labels: labels,
    generation: after.generation,
  });

  await card.getByTestId("rule-edit").click();
  await at("record-label-remove").first().click();
  await at("record-query").fill(`${CPU}{service_name="${service}",region="eu"}`);
  await at("record-words").filter({ hasText: "with region=eu" }).waitFor();
  await at("record-query").fill("not a query");
  await at("record-save").click();
  await at("record-problem").waitFor();
  await at("record-query").fill(`${CPU}{service_name="${service}",region="eu"}`);
  await at("record-save").click();
  await at("record").waitFor({ state: "detached" });
  const [last] = await stored();
  assert.equal(last.query, `${CPU}{service_name="${service}", region="eu"}`);
  assert.equal(Object.keys(last.external_labels).length, 1);
  await end(/status of 400/);
});

test("an edit doesn't overwrite another's, and a deleted rule can be made again", async () => {
  const [before] = await stored();
  const { page, at, end } = await openPage(browser, "/rules");
  const card = cardOf(page, exported);
  await card.getByTestId("rule-edit").click();
  await save({ ...before, function: "rest" });
  await at("record-function").fill("work");
  await at("record-save").click();
  await at("record-conflict").filter({ hasText: "Someone changed this rule" }).waitFor();
  assert.deepEqual(await barriers(page), []);
  assert.equal((await stored())[0].function, "rest");
  await at("record-reload").click();
  await at("record-conflict").waitFor({ state: "detached" });
  assert.equal(await at("record-function").inputValue(), "rest");
  await at("record-function").fill("work");
  await at("record-save").click();
  await at("record").waitFor({ state: "detached" });
  assert.equal((await stored())[0].function, "work");

  await card.getByTestId("rule-words").filter({ hasText: "of work" }).waitFor();
  await card.getByTestId("rule-edit").click();
  await remove(before.id);
  await at("record-save").click();
  await at("record-conflict").filter({ hasText: "Someone deleted this rule" }).waitFor();
  assert.deepEqual(await stored(), []);
  await at("record-reload").click();
  await at("record-save").click();
  await at("record").waitFor({ state: "detached" });
  assert.equal((await stored())[0].id, before.id);
  await end(/status of 409/);
});

test("what a stored rule measures stays: a pattern, a call path, and a rule of the configuration", async () => {
  const query = `${CPU}{service_name="${service}"}`;
  const fields = { query, unit_suffix: false, generation: 0 };
  const pattern = await save({ ...fields, metric_name: `${metric}_regex`, function_regex: "^wo", self: true });
  const path = await save({ ...fields, metric_name: `${metric}_path`, call_site: ["main", "work"] });
  const { page, at, end } = await openPage(browser, "/rules");
  await cardOf(page, pattern.metric_name).getByTestId("rule-edit").click();
  await at("record-regex").fill("^(work|rest)$");
  assert.ok(!(await at("record-unit").isChecked()));
  await at("record-save").click();
  await at("record").waitFor({ state: "detached" });
  const [regex] = await named(pattern.metric_name);
  assert.deepEqual([regex.function_regex, regex.self, regex.unit_suffix], ["^(work|rest)$", true, false]);

  await cardOf(page, path.metric_name).getByTestId("rule-edit").click();
  assert.equal(await at("record-path").textContent(), "Call path: main → work");
  await at("record-name").fill(`${metric}_renamed`);
  await at("record-save").click();
  await at("record").waitFor({ state: "detached" });
  const [renamed] = await named(`${metric}_renamed`);
  assert.deepEqual([renamed.id, renamed.call_site], [path.id, ["main", "work"]]);

  const provisioned = { ...regex, provisioned: true };
  await page.route("**/api/v1/rules?*", (route) => route.fulfill({ json: { rules: [provisioned, renamed] } }));
  await at("refresh").click();
  const own = cardOf(page, pattern.metric_name);
  await own.filter({ hasText: "from the server's configuration" }).waitFor();
  assert.deepEqual([await own.getByTestId("rule-edit").count(), await at("rule-edit").count()], [0, 1]);
  for (const { id } of [regex, renamed]) await remove(id);
  await end();
});

test("a rule is deleted after a question that names it", async () => {
  const { page, at, end } = await openPage(browser, "/");
  await at("rules-link").click();
  const card = cardOf(page, exported);
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
