/** What changed of a service, and one function in all services: numbers are the API's, and nothing is claimed of nothing. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pushStacks } from "./answers.mjs";
import { barriers } from "./axe.mjs";
import { CLOCK_TIME } from "./clocktime.mjs";
import { amount, close, fetched, launch, openPage, settled, url } from "./page.mjs";

const CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
const MINUTE = 60_000;
const PLANTED = "github.com/acme/shop/orders.(*Rule).matchesPattern";

let browser;
/** When the demo's deploy was, and a range around it that has profiles from its beginning to its end. */
let deploy = 0;
let range = "";
before(async () => {
  browser = await launch();
  const until = Date.now();
  const from = until - 3 * 60 * MINUTE;
  const { start, step, counts } = await ask("timeline", { query: version("1.9.0"), from, until, points: 720 });
  deploy = start + counts.findIndex((count) => count > 0) * step;
  range = `from=${deploy - 30 * MINUTE}&until=${deploy + 24 * MINUTE}`;
});
after(() => browser?.close());

const version = (value) => `${CPU}{service_name="checkout",version="${value}"}`;

async function ask(name, params) {
  const whole = Object.entries(params).map(([key, value]) => [
    key,
    typeof value === "number" ? Math.round(value) : value,
  ]);
  const answer = await fetch(`${url}/api/v1/${name}?${new URLSearchParams(whole)}`);
  assert.equal(answer.status, 200, name);
  return answer.json();
}

const asked = (requests, name) => requests.filter(({ url }) => new RegExp(`/api/v1/${name}\\?`).test(url));
const found = ({ page }) => page.waitForSelector("[data-testid=changes][data-state=ready]");
/** What the rows of a table say: name, percentages, and the change with its interval. */
const rows = (table) =>
  table.getByTestId("change").evaluateAll((rows) =>
    rows.map((row) => ({
      name: row.dataset.name,
      cells: [...row.cells].slice(1, 4).map((cell) => cell.textContent.replace(/\u00a0/g, " ")),
    })),
  );
const number = (text) => Number.parseFloat(text.replace("−", "-").replace(/^[<>+]/, ""));

test("from the front page to the planted regression: a card, and what changed", async () => {
  // Wide enough for both versions, however long the tests before this one took.
  const opened = await openPage(browser, "/?from=now-3h");
  const { page, at, requests, end } = opened;
  await at("service-card").filter({ hasText: "checkout" }).click();
  await at("deploy").waitFor();
  assert.match(await at("deploy").textContent(), /between version 1\.8\.2 and 1\.9\.0/);
  requests.length = 0;
  await at("deploy").click();
  await found(opened);
  assert.match(page.url(), /[?&]p=changes/);
  const [first] = await rows(at("changes-more"));
  assert.equal(first.name, PLANTED, "the cause is the first");
  assert.match(
    await at("changes-summary").textContent(),
    /^\+\d.*? % cpu: \S+ → \S+ cores, .* of it in .*matchesPattern(; the rest together used less)?\. /,
  );
  assert.match(
    await at("changes-summary").textContent(),
    new RegExp(`First profile of version 1\\.9\\.0 in this range: ${CLOCK_TIME}\\.`),
  );
  const panel = ["functions", "series", "flamegraph"].flatMap((name) => asked(requests, name));
  assert.ok(panel.length <= 24, `${panel.length} requests`);
  await at("change").first().getByRole("link").click();
  await page.waitForURL(/\/diff\?/);
  await at("legend").waitFor();
  assert.match(await at("filters-other").textContent(), /version=1\.9\.0/);
  assert.equal(new URL(page.url()).searchParams.get("q"), PLANTED);
  await end();
});

test("shares are those of a comparison, and intervals hold them", async () => {
  const opened = await openPage(browser, `/explore?s=checkout&t=${CPU}&${range}&p=changes`);
  const { at, end } = opened;
  await found(opened);
  // The step of the deploy may be on neither side.
  const sides = new URL(await at("changes-diff").evaluate((link) => link.href)).searchParams;
  const [baseline_from, baseline_until, from, until] = ["from", "until", "from2", "until2"].map((name) =>
    Number(sides.get(name)),
  );
  const [query, baseline_query] = [version("1.9.0"), version("1.8.2")];
  const times = { from, until, baseline_from, baseline_until };
  const api = await ask("compare", { query, baseline_query, ...times, limit: 1000 });
  const all = new Map([...api.grew, ...api.shrank].map((one) => [one.name, one]));
  const shown = [...(await rows(at("changes-more"))), ...(await rows(at("changes-less")))];
  assert.ok(shown.length > 5, `${shown.length} rows`);
  for (const { name, cells } of shown) {
    const { baselineTotal, total, totalShareChange } = all.get(name);
    const expected = [baselineTotal / api.baseline.total, total / api.comparison.total];
    expected.forEach((share, i) => {
      assert.ok(Math.abs(number(cells[i]) - share * 100) < 0.06, `${name}: ${cells[i]} is not ${share}`);
    });
    const [, by, low, high] = /^(\S+) pp \((\S+) to (\S+)\)/.exec(cells[2]);
    assert.ok(Math.abs(number(by) - totalShareChange * 100) < 0.06, `${name}: ${by} is not ${totalShareChange}`);
    assert.ok(number(low) <= number(by) && number(by) <= number(high), cells[2]);
    assert.ok(number(low) * number(high) > 0, `${cells[2]} leaves out zero`);
  }
  await end();
});

test("before and after the deploy in one step, from the service and from a comparison", async () => {
  const opened = await openPage(browser, `/explore?s=checkout&t=${CPU}&${range}`);
  const { page, at, end } = opened;
  await at("timeline-mark").first().waitFor();
  await at("filters-add").click();
  const one = at("compare-version").filter({ hasText: "Before and after version 1.9.0" });
  await one.click();
  await page.waitForURL(/\/diff\?s=checkout/);
  const check = async (from, until) => {
    const side = (suffix) =>
      ["from", "until"].map((name) => Number(new URL(page.url()).searchParams.get(name + suffix)));
    const [base, other] = [side(""), side("2")];
    const apart = other[0] - base[1];
    assert.ok(apart >= 0 && apart < MINUTE, `${apart} ms between the sides, which are the step of both versions`);
    assert.ok(Math.abs(base[1] - deploy) < MINUTE, `${(base[1] - deploy) / 1000} s from the deploy`);
    assert.ok(Math.abs(other[1] - other[0] - (base[1] - base[0])) <= 1, "as long as each other");
    assert.ok(base[0] >= from && other[1] <= until, "within the range");
    assert.ok(other[1] - other[0] > 20 * MINUTE);
    await at("legend").waitFor();
    await at("view-table").click();
    await at("sort-delta").waitFor();
    await at("row").filter({ hasText: "matchesPattern" }).first().waitFor();
  };
  await check(deploy - 30 * MINUTE, deploy + 24 * MINUTE);
  // Of unlike numbers of profiles no change of the total is said.
  const more = (await at("coverage").count()) > 0 ? 100 : number(await at("diff-totals").locator("b").textContent());
  assert.equal(await at("measure").inputValue(), Math.abs(more) > 10 ? "rate" : "amount", `${more} % more`);
  await at("measure").selectOption("amount");
  await page.waitForURL(/norm=0/);
  await page.reload();
  await at("legend").waitFor();
  assert.equal(await at("measure").inputValue(), "amount", "a link that says what is compared says it still");
  await page.goto(
    `${url}/diff?s=checkout&t=${CPU}&${range}&from2=${deploy - 30 * MINUTE}&until2=${deploy + 24 * MINUTE}`,
  );
  await at("legend").waitFor();
  await at("presets").click();
  await one.click();
  await page.waitForURL(({ searchParams: asked }) => Number(asked.get("until")) <= Number(asked.get("from2")));
  await check(deploy - 30 * MINUTE, deploy + 24 * MINUTE);
  await end();
  // No version begins in what both sides span.
  const quiet = `from=${deploy - 20 * MINUTE}&until=${deploy - 15 * MINUTE}&from2=${deploy - 15 * MINUTE}&until2=${deploy - 10 * MINUTE}`;
  const before = await openPage(browser, `/diff?s=checkout&t=${CPU}&${quiet}`);
  await before.at("legend").waitFor();
  await before.at("presets").click();
  await settled(before.page);
  assert.equal(await before.at("compare-version").count(), 0);
  await before.end();
});

test("before and after are the versions that came last, whatever their names", async () => {
  const start = Math.floor(Date.now() / MINUTE) * MINUTE - 20 * MINUTE;
  const service = `commits.${start}`;
  for (const [minute, commit] of [
    [0, "f0"],
    [4, "0a"],
    [8, "b7"],
  ])
    await pushStacks(`${service}{version=${commit}}`, "main;work 10\n", (start + minute * MINUTE) / 1000);
  const opened = await openPage(
    browser,
    `/explore?${new URLSearchParams({ s: service, t: CPU, from: start, until: start + 12 * MINUTE })}`,
  );
  const { page, at, end } = opened;
  await at("deploy").waitFor();
  assert.equal(await at("deploy").innerText(), "What changed between version 0a and b7?");
  await at("deploy").click();
  await found(opened);
  assert.deepEqual([await at("changes-before").inputValue(), await at("changes-after").inputValue()], ["0a", "b7"]);
  await at("panel-labels").click();
  await at("compare-values").filter({ hasText: "Compare 0a ↔ b7" }).waitFor();
  await at("filters-add").click();
  await at("compare-labels").filter({ hasText: "version: 0a ↔ b7" }).click();
  await page.waitForURL(/\/diff\?/);
  await at("legend").waitFor();
  const sides = async () => [await at("filters-base").textContent(), await at("filters-other").textContent()];
  assert.deepEqual(
    (await sides()).map((text) => /version=(\w\w)/.exec(text)[1]),
    ["0a", "b7"],
  );
  await at("swap").click();
  await page.waitForFunction(() => /version=b7/.test(document.querySelector("[data-testid=filters-base]").textContent));
  await at("presets").click();
  await at("compare-version").filter({ hasText: "version: 0a ↔ b7" }).click();
  await page.waitForFunction(() => /version=0a/.test(document.querySelector("[data-testid=filters-base]").textContent));
  assert.deepEqual(
    (await sides()).map((text) => /version=(\w\w)/.exec(text)[1]),
    ["0a", "b7"],
  );
  await at("presets").click();
  await at("compare-version").first().waitFor();
  const offered = await page.getByRole("button", { name: /version:/ }).allTextContents();
  assert.deepEqual(offered, ["version: 0a ↔ b7"]);
  await end();
});

test("the link to the last two versions opens those that it names", async () => {
  const start = Math.floor(Date.now() / MINUTE) * MINUTE - 20 * MINUTE;
  const service = `rolled.${start}`;
  const push = (commit, minute) =>
    pushStacks(`${service}{version=${commit}}`, "main;work 10\n", (start + minute * MINUTE) / 1000);
  for (const minute of [0, 2, 4, 6, 8, 10]) await push("0a", minute);
  for (const [commit, minute] of [
    ["f0", 0],
    ["b7", 8],
  ])
    await push(commit, minute);
  const address = (words) => {
    const range = { from: start, until: start + 12 * MINUTE };
    return `/explore?${new URLSearchParams({ s: service, t: CPU, ...range, ...words })}`;
  };
  for (const [words, versions] of [
    [{}, ["0a", "b7"]],
    // They are those of the range, whatever is selected in it or filtered for.
    [{ w: `${start}-${start + 3 * MINUTE}` }, ["0a", "b7"]],
    [{ l: 'version="f0"' }, ["0a", "b7"]],
    // Both were there when the range began: the one that ended first is older.
    [{ until: start + 6 * MINUTE }, ["f0", "0a"]],
  ]) {
    const opened = await openPage(browser, address(words));
    const { at, page, end } = opened;
    await at("deploy").waitFor();
    assert.equal(await at("deploy").innerText(), `What changed between version ${versions.join(" and ")}?`);
    // It stays where it is while the range is read again.
    await at("deploy").evaluate((link) => {
      window.same = link;
    });
    const again = page.waitForResponse((response) => response.url().includes("/series"));
    await at("refresh").click();
    await again;
    await at("deploy").waitFor();
    assert.ok(await at("deploy").evaluate((link) => link === window.same));
    await at("deploy").click();
    await found(opened);
    const sides = [await at("changes-before").inputValue(), await at("changes-after").inputValue()];
    assert.deepEqual(sides, versions, JSON.stringify(words));
    await end();
  }
});

test("versions beside each other have no loads, and lead to the time at which the load changed", async () => {
  const start = Math.floor(Date.now() / MINUTE) * MINUTE - 60 * MINUTE;
  const service = `canary.${start}`;
  const pushes = Array.from({ length: 40 }, (_, minute) => {
    const at = (start + minute * MINUTE) / 1000;
    const isNew = minute >= 20;
    return [
      pushStacks(`${service}{pod=a,version=${isNew ? 2 : 1}}`, `main;work ${isNew ? 1800 : 1000}\n`, at, 60),
      pushStacks(`${service}{pod=b,version=1}`, "main;work 1000\n", at, 60),
    ];
  });
  await Promise.all(pushes.flat());
  const range = { from: start, until: start + 40 * MINUTE };
  const words = new URLSearchParams({ s: service, t: CPU, p: "changes", ...range });
  const opened = await openPage(browser, `/explore?${words}`);
  const { at, end } = opened;
  await found(opened);
  const summary = at("changes-summary");
  await summary.filter({ hasText: "so their loads can't be compared" }).waitFor();
  await at("changes-times").click();
  await summary.filter({ hasText: "+40 % cpu: 0.333 → 0.467 cores" }).waitFor();
  await end();
});

test("a version that ran for twenty minutes is when the load changed", async () => {
  const start = Math.floor(Date.now() / MINUTE) * MINUTE - 60 * MINUTE;
  const service = `undone.${start}`;
  const pushes = Array.from({ length: 55 }, (_, minute) => {
    const isNew = minute >= 17 && minute < 37;
    // Minutes vary by as much as the deploy changes them.
    const work = Math.round((isNew ? 1500 : 1000) * (1 + 0.4 * Math.sin(2 * minute)));
    const at = (start + minute * MINUTE) / 1000;
    return pushStacks(`${service}{version=${isNew ? 2 : 1}}`, `main;work ${work}\nmain;rest 100\n`, at, 60);
  });
  await Promise.all(pushes);
  const words = new URLSearchParams({
    s: service,
    t: CPU,
    p: "changes",
    by: ",,",
    from: start,
    until: start + 55 * MINUTE,
  });
  const opened = await openPage(browser, `/explore?${words}`);
  const { at, end } = opened;
  await found(opened);
  assert.equal(await at("changes-by").locator("option:checked").textContent(), "version 2 ↔ before");
  assert.match(await at("changes-summary").textContent(), /^\+4\d(\.\d)? % cpu: /);
  await end();
});

test("of a service without a deploy nothing is listed", async () => {
  for (const type of [CPU, "memory:inuse_space:bytes:space:bytes"]) {
    const opened = await openPage(browser, `/explore?s=payments&t=${type}&${range}&p=changes`);
    const { at, end } = opened;
    await found(opened);
    assert.match(
      await at("changes-summary").textContent(),
      /^(About the same|No clear change of) (cpu|memory · inuse space): .*No function's share changed/,
    );
    assert.match(await at("changes-others").textContent(), /\d+ functions changed by less/);
    assert.equal(await at("change").count(), 0);
    await end();
  }
});

test("profiles that reach into a change are on neither side of it", async () => {
  const start = Math.floor(Date.now() / MINUTE) * MINUTE - 55 * MINUTE;
  const service = `reaching.${start}`;
  // The first profile that is changed begins ten seconds before its step ends, whose load is hardly another.
  const pushed = Array.from({ length: 50 }, (_, i) =>
    pushStacks(service, `main;work ${i < 25 ? 10 : 70}\nmain;rest 90\n`, start / 1000 + 60 * i + 50, 60),
  );
  await Promise.all(pushed);
  const times = `from=${start}&until=${start + 51 * MINUTE}`;
  const opened = await openPage(browser, `/explore?s=${service}&t=${CPU}&${times}&p=changes`);
  await found(opened);
  const [work] = await rows(opened.at("changes-more"));
  assert.deepEqual([work.name, ...work.cells.slice(0, 2)], ["work", "10 %", "43.8 %"]);
  await opened.end();
});

test("a minute a side is not enough to tell, and the sides can be chosen", async () => {
  const short = `from=${deploy - MINUTE}&until=${deploy + MINUTE}`;
  const opened = await openPage(browser, `/explore?s=checkout&t=${CPU}&${short}&p=changes`);
  const { page, at, end } = opened;
  await found(opened);
  assert.match(
    await at("changes-summary").textContent(),
    /^[+−±][\d.]+ % cpu: [\d.]+ → [\d.]+ cores\. Not enough profiles to tell/,
  );
  const [first] = await rows(at("changes-more"));
  assert.equal(first.name, PLANTED);
  assert.doesNotMatch(first.cells[2], /to/);
  await at("changes-by").selectOption("region");
  await page.waitForURL(/[?&]by=region,,/);
  await page.waitForFunction(() => document.querySelector("[data-testid=changes-after]")?.value === "us");
  await page.goBack();
  await page.waitForFunction(() => document.querySelector("[data-testid=changes-after]")?.value === "1.9.0");
  await end();
});

test("a function: totals, services, callers and cost are the API's", async () => {
  const opened = await openPage(browser, `/explore?s=checkout&t=${CPU}&${range}&p=function`);
  const { page, at, end } = opened;
  await at("function-search").fill("regexp.comp");
  await at("function-suggestion")
    .filter({ hasText: /^regexp\.compile$/ })
    .click();
  await page.waitForURL(/[?&]fn=regexp\.compile/);
  await at("function-services").waitFor();
  await at("function-total").waitFor();
  await at("function-bars").waitFor();
  const [from, until] = ["from", "until"].map((name) => Number(new URL(page.url()).searchParams.get(name)));
  const query = `${CPU}{service_name="checkout"}`;
  const api = await ask("function", { query, from, until, name: "regexp.compile" });
  close(amount(await at("function-total").textContent()), api.functionTotal, "total");
  close(amount(await at("function-self").textContent()), api.self, "self");
  const [{ file, line }, ...moreLines] = api.lines;
  const place = `${file}, sampled ${moreLines.length > 0 ? "most " : ""}at line ${line}`;
  assert.equal(await at("function-place").textContent(), place);
  assert.equal(
    Number(await at("function-service").locator("[data-total]").getAttribute("data-total")),
    api.functionTotal,
  );
  assert.match(await at("function-others").textContent(), /Not seen in \d+ other services?/);
  assert.match(await at("function-since").textContent(), new RegExp(`First seen between ${CLOCK_TIME}`));
  assert.equal(await at("function-callers").getByRole("link").first().textContent(), api.callers[0].name);
  assert.equal(await at("function-callees").getByRole("link").first().textContent(), api.callees[0].name);
  const hours = api.functionTotal / 3600e9;
  close(Number(await at("function-hours").getAttribute("title").then(Number.parseFloat)), hours, "CPU-hours");
  await at("function-price").fill("2");
  await at("function-cost").waitFor();
  close(Number(await at("function-cost").getAttribute("title")), hours * 2, "cost");
  await at("function-callers").getByRole("link").first().click();
  await page.waitForURL(/[?&]fn=regexp\.MustCompile/);
  await page.reload();
  assert.equal(await at("function-price").inputValue(), "2", "the price is kept");
  // A service without profiles in the selected time says nothing of the function.
  const others = async () => Number((await at("function-others").textContent()).match(/in (\d+) other/)[1]);
  await at("function-others")
    .filter({ hasText: /other service/ })
    .waitFor();
  const all = await others();
  await page.route(/api\/v1\/functions\?.*payments/, async (route) => {
    const answer = await (await route.fetch()).json();
    await route.fulfill({ json: { ...answer, profiles: 0, total: 0, functions: [] } });
  });
  await page.reload();
  await at("function-others")
    .filter({ hasText: /other service/ })
    .waitFor();
  assert.equal(await others(), all - 1);
  await end();
});

test("a function says where its sums are of whole windows", async () => {
  const { page, at, end } = await openPage(browser, "/file");
  let rounded = "";
  await page.route(/api\/v1\/functions?\?/, async (route) => {
    const response = await fetched(route);
    const answer = { ...(await response.json()), rounded: new RegExp(`/${rounded}\\?`).test(route.request().url()) };
    await route.fulfill({ response, json: answer });
  });
  for (rounded of ["none", "function", "functions"]) {
    await page.goto(`${url}/explore?s=checkout&t=${CPU}&${range}&p=function&fn=regexp.compile`);
    await at("function-services").waitFor();
    await at("function-total").waitFor();
    await at("function-bars").waitFor();
    assert.equal(await at("function-rounded").count(), rounded === "none" ? 0 : 1, rounded);
  }
  await end();
});

test("a function by label: totals and cost are the API's, and a value filters", async () => {
  const opened = await openPage(
    browser,
    `/explore?s=checkout&t=${CPU}&${range}&p=function&fn=regexp.compile&split=region`,
  );
  const { page, at, requests, end } = opened;
  await at("function-label").first().waitFor();
  const [from, until] = ["from", "until"].map((name) => Number(new URL(page.url()).searchParams.get(name)));
  const rows = await at("function-label").evaluateAll((rows) =>
    rows.map((row) => ({
      value: row.dataset.value,
      total: Number(row.querySelector("[data-total]").dataset.total),
      hours: Number.parseFloat(row.querySelector("[data-testid=function-hours]").title),
    })),
  );
  assert.deepEqual(rows.map(({ value }) => value).sort(), ["eu", "us"]);
  const name = "regexp.compile";
  const of = async (more) => {
    const query = `${CPU}{service_name="checkout"${more}}`;
    return (await ask("function", { query, from, until, name })).functionTotal;
  };
  let sum = 0;
  for (const { value, total, hours } of rows) {
    assert.equal(total, await of(`,region="${value}"`), value);
    close(hours, total / 3600e9, "CPU-hours");
    sum += total;
  }
  assert.equal(sum, await of(""));
  assert.equal(await at("function-labels-others").textContent(), "Seen with every value.");
  assert.ok(requests.filter(({ url }) => url.includes("region%3D")).length <= 4, "a question for each value");
  await page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/function-labels.png`, fullPage: true });
  const only = at("function-label").filter({ hasText: "eu" }).getByRole("button");
  await only.click();
  await page.waitForURL(/[?&]l=region%3D%22eu%22/);
  assert.equal(await only.getAttribute("title"), 'Remove the filter region="eu"');
  assert.equal(await only.getAttribute("aria-pressed"), "true");
  // The other value still runs it, and is a press away.
  assert.equal(await at("function-label").count(), 2);
  assert.equal(await at("function-labels-others").textContent(), "Seen with every value.");
  await page.keyboard.press("Enter");
  await page.waitForURL((address) => !address.searchParams.has("l"));
  assert.equal(await only.getAttribute("aria-pressed"), "false");
  await end();
});

test("a function that holds memory, by label: averages, which aren't parts of a sum", async () => {
  const type = "memory:inuse_space:bytes:space:bytes";
  const times = Object.fromEntries(new URLSearchParams(range));
  const query = `${type}{service_name="checkout"}`;
  const { functions } = await ask("functions", { query, ...times, sort: "total", limit: 1 });
  const [{ name }] = functions;
  const { page, at, end } = await openPage(
    browser,
    `/explore?s=checkout&t=${type}&${range}&p=function&fn=${encodeURIComponent(name)}`,
  );
  await page.getByText("Choose a label under “Split by”, below the timeline.").waitFor();
  await page.goto(`${page.url()}&split=region`);
  await at("function-label").first().waitFor();
  const rows = await at("function-label").evaluateAll((rows) =>
    rows.map((row) => [row.dataset.value, row.querySelector("[data-total]").textContent]),
  );
  assert.deepEqual(rows.map(([value]) => value).sort(), ["eu", "us"]);
  const [from, until] = ["from", "until"].map((name) => Number(new URL(page.url()).searchParams.get(name)));
  for (const [value, text] of rows) {
    const query = `${type}{service_name="checkout",region="${value}"}`;
    const { functionTotal, profiles } = await ask("function", { query, from, until, name });
    close(amount(text), functionTotal / profiles, value);
  }
  assert.deepEqual(await page.locator(".function-services").last().locator("thead th").allTextContents(), [
    "region",
    "Average",
    "% of value",
  ]);
  await end();
});

test("both can be read in every theme and width, and are shown as they load, fail and stop", async () => {
  const changes = `/explore?s=checkout&t=${CPU}&${range}&p=changes`;
  for (const [name, options] of [
    ["light", {}],
    ["dark", { colorScheme: "dark" }],
    ["phone", { viewport: { width: 390, height: 844 } }],
  ]) {
    const opened = await openPage(browser, changes, options);
    const { page, at, end } = opened;
    await found(opened);
    await at("change").nth(3).waitFor();
    assert.deepEqual(await barriers(page), [], `what changed, ${name}`);
    await page.screenshot({ path: join(process.env.PILOTLIGHT_SHOTS, `changes-${name}.png`) });
    await page.goto(`${url}${changes.replace("p=changes", "p=function&fn=regexp.compile")}`);
    await at("function-services").waitFor();
    await at("function-callees").waitFor();
    assert.deepEqual(await barriers(page), [], `a function, ${name}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(wide, 0, "nothing sticks out");
    await page.screenshot({ path: join(process.env.PILOTLIGHT_SHOTS, `function-${name}.png`) });
    await end();
  }
  const opened = await openPage(browser, "/file");
  const { page, at, end } = opened;
  let fails = true;
  let underWay = 0;
  let most = 0;
  await page.route(/api\/v1\/functions\?/, async (route) => {
    if (fails) return route.fulfill({ status: 503, json: { code: "unavailable", message: "too busy" } });
    most = Math.max(most, ++underWay);
    await new Promise((resolve) => setTimeout(resolve, 100));
    underWay--;
    await route.continue().catch(() => {});
  });
  await page.goto(url + changes);
  await at("problem").waitFor();
  fails = false;
  await at("problem").getByRole("button", { name: "Try again" }).click();
  await at("changes-progress")
    .filter({ hasText: /Read [1-9]\d* of \d+ parts/ })
    .waitFor();
  await at("panel-profile").click();
  await at("view-flame").waitFor();
  const before = asked(opened.requests, "functions").length;
  await settled(page);
  assert.equal(asked(opened.requests, "functions").length, before, "who leaves asks no more");
  assert.ok(most <= 4, `${most} at once`);
  await end(/503/);
});

test("from a frame to its function, and of one that a service does not run it is said", async () => {
  const opened = await openPage(browser, `/explore?s=checkout&t=${CPU}&${range}&v=table&q=regexp.compile`);
  const { page, at, end } = opened;
  await at("row").filter({ hasText: "regexp.compile" }).first().click();
  await at("function-link").click();
  await page.waitForURL(/[?&]p=function&fn=regexp\.compile/);
  await at("function-services").waitFor();
  await page.goto(`${url}/explore?s=catalog&t=${CPU}&${range}&p=function&fn=regexp.compile`);
  await at("function-absent").waitFor();
  await at("function-service").filter({ hasText: "checkout" }).getByRole("link").click();
  await at("function-total").waitFor();
  await end();
});
