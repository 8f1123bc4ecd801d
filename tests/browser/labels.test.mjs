/** What a person sees of the types and the labels of a service: the API's numbers, and ways on from there. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { push } from "./answers.mjs";
import { CLOCK_TIME } from "./clocktime.mjs";
import { amount, fetched, launch, openPage, settled, url } from "./page.mjs";
import { writePprof } from "./pprof.mjs";

const CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
const IN_USE = "memory:inuse_space:bytes:space:bytes";
const MINUTE = 60_000;

let browser;
/** From before the demo's first profile until now. */
let range = [0, 0];
/** The first step of the new version. */
let deploy = 0;
before(async () => {
  browser = await launch();
  const now = Date.now();
  range = [now - 150 * MINUTE, now];
  const { series, start, step } = await ask("series", { query: query(CPU), by: "version", points: 300 });
  const { counts } = series.find(({ labels }) => labels.version === "1.9.0");
  deploy = start + counts.findIndex((count) => count > 0) * step;
});
after(() => browser?.close());

const query = (type, more = "") => `${type}{service_name="checkout"${more}}`;

async function ask(name, params) {
  const [from, until] = range.map(Math.round);
  const answer = await fetch(`${url}/api/v1/${name}?${new URLSearchParams({ from, until, ...params })}`);
  assert.equal(answer.status, 200);
  return answer.json();
}

const address = (type, rest) => `/explore?s=checkout&t=${type}&from=${range[0]}&until=${range[1]}${rest}`;

/** A number that has a unit of time behind it, in nanoseconds, and how far it may be off by rounding. */
function nanoseconds(text) {
  const units = { ns: 1, µs: 1e3, ms: 1e6, s: 1e9, min: 60e9, h: 3600e9, d: 86400e9 };
  const [, number, unit] = /^([\d,.]+) (\S+)$/.exec(text.trim());
  return Number(number.replaceAll(",", "")) * units[unit];
}

const near = (shown, expected, what) =>
  assert.ok(Math.abs(shown - expected) <= Math.abs(expected) * 0.006, `${what}: ${shown} instead of ${expected}`);

/** A share as it is written, to a tenth of a per cent. */
const sameShare = (shown, expected, what) =>
  assert.ok(Math.abs(Number.parseFloat(shown) - expected * 100) <= 0.051, `${what}: ${shown} instead of ${expected}`);

/** The exact number that a cell has on hover. */
const exact = async (cell) => Number((await cell.getAttribute("title")).replace(/ in .*/, "").replace(/[^\d.]/g, ""));

test("values of a label have the numbers of the API", async () => {
  const { at, requests, end } = await openPage(browser, address(CPU, "&p=labels&by=region"));
  await at("value-row").nth(1).waitFor();
  const shown = requests
    .map((request) => new URL(request.url))
    .find(({ pathname, searchParams }) => {
      return pathname.endsWith("/series") && searchParams.get("by") === "region";
    });
  const { series, coverage } = await ask("series", Object.fromEntries(shown.searchParams));
  const all = series.reduce((sum, { total }) => sum + total, 0);
  assert.equal(await at("value-row").count(), coverage.shown);
  for (const { labels, total, profiles, points, covered } of series) {
    const row = at("value-row").and(at("value-table").locator(`[data-value="${labels.region}"]`));
    const cell = (name) => row.getByTestId(`value-${name}`);
    assert.equal(await exact(cell("total")), total, labels.region);
    near(nanoseconds(await cell("total").textContent()), total, "total");
    assert.equal(Number((await cell("profiles").textContent()).replace(",", "")), profiles);
    sameShare(await cell("share").textContent(), total / all, "share");
    // The page may put steps together, but of two or three.
    const note = await at("values-note").textContent();
    const factor =
      nanoseconds(/over ([\d.]+ \w+) steps/.exec(note)[1]) /
      1e6 /
      (await ask("series", Object.fromEntries(shown.searchParams))).step;
    const first = points.length % factor;
    const groups = new Map();
    for (const [i, point] of points.entries()) {
      const group = Math.ceil((i - first + 1) / factor);
      const [sum, millis] = groups.get(group) ?? [0, 0];
      groups.set(group, [sum + point, millis + covered[i]]);
    }
    // Steps count by how much of them has profiles.
    const step = nanoseconds(/over ([\d.]+ \w+) steps/.exec(note)[1]);
    const filled = [...groups.values()].flatMap(([sum, millis]) => {
      const part = (1e6 * millis) / step;
      return part > 0 ? [{ part, load: sum / part }] : [];
    });
    const parts = filled.reduce((sum, { part }) => sum + part, 0);
    const mean = filled.reduce((sum, { load, part }) => sum + load * part, 0) / parts;
    const variance = filled.reduce((sum, { load, part }) => sum + (load - mean) ** 2 * part, 0) / parts;
    near(await exact(cell("max")), Math.max(...filled.map(({ load }) => load)), "max");
    near(amount(await cell("mean").textContent()) / 1e9, mean / step, "mean load in cores");
    near(await exact(cell("mean")), mean, "mean");
    near(await exact(cell("deviation")), Math.sqrt(variance), "deviation");
  }
  const names = () => at("value-row").evaluateAll((rows) => rows.map((row) => row.dataset.value));
  const largest = series.map(({ labels }) => labels.region);
  assert.deepEqual(await names(), largest);
  await at("values-by-value").click();
  assert.deepEqual(await names(), [...largest].sort());
  assert.equal(await at("value-table").locator("th[aria-sort=ascending]").count(), 1);
  await at("values-by-value").click();
  assert.deepEqual(await names(), [...largest].sort().reverse());
  await end();
});

test("charts below the timeline have its axis, and the windows of a function are round", async () => {
  const { page, at, end } = await openPage(browser, address(CPU, "&p=labels&by=region"));
  const edges = (box) => [box.x, box.x + box.width].map(Math.round);
  const timeline = () => page.locator(".timeline .u-over");
  for (const [panel, plot] of [
    ["labels", "value-chart"],
    ["singles", "singles-map"],
    ["function&fn=runtime.mallocgc", "function-bars"],
  ]) {
    await page.goto(url + address(CPU, `&p=${panel}`));
    await at(plot).waitFor();
    await settled(page);
    const axis = await at("time-axis").boundingBox();
    assert.deepEqual(edges(axis), edges(await timeline().boundingBox()), panel);
    // Where a tick is, the timeline has it, too: both come from the same span and width.
    const ticks = await at("time-axis")
      .locator("span")
      .evaluateAll((all) => all.map(({ dataset }) => Number(dataset.at)));
    assert.ok(ticks.length > 3 && ticks.every((tick) => tick % 60_000 === 0), ticks.join());
  }
  const bars = await at("function-bars").getAttribute("aria-label");
  // The last bar ends with the range: one of less than a second has one time.
  const starts = bars.split("; ").map((bar) => /(\d\d:\d\d)(:\d\d)?(?: –|: )/.exec(bar));
  assert.ok(starts.length > 5 && starts.slice(1).every(([, , seconds]) => !seconds || seconds === ":00"), bars);
  await end();
});

test("a gauge is an average a snapshot, and has no share", async () => {
  const { at, end } = await openPage(browser, address(IN_USE, "&p=labels&by=region"));
  await at("value-row").first().waitFor();
  const { series } = await ask("series", { query: query(IN_USE), by: "region", points: 10 });
  for (const { labels, total, profiles } of series) {
    const cell = at("value-table").locator(`[data-value="${labels.region}"]`).getByTestId("value-total");
    const [, average] = /: ([\d,.]+) bytes$/.exec(await cell.getAttribute("title"));
    near(Number(average.replaceAll(",", "")), total / profiles, labels.region);
  }
  assert.equal(await at("value-share").count(), 0);
  assert.equal(await at("values-by-share").count(), 0);
  await end();
});

test("a value is filtered by or excluded in place, and two are compared", async () => {
  const { page, at, end } = await openPage(browser, address(CPU, "&p=labels"));
  const row = (value) => at("value-table").locator(`[data-value="${value}"]`);
  // What most people compare comes first.
  await row("1.9.0").waitFor();
  assert.equal(await at("label-names").locator("[aria-current]").textContent(), "version 2");
  await row("1.9.0").getByTestId("value-filter").click();
  await page.waitForURL((address) => new URLSearchParams(address.search).get("l") === 'version="1.9.0"');
  assert.equal(new URL(page.url()).searchParams.get("p"), "labels");
  await row("1.9.0").getByTestId("value-filtered").waitFor();
  await row("1.8.2").waitFor({ state: "detached" });
  await at("panel-profile").click();
  await at("frames").locator("tbody tr").nth(3).waitFor({ state: "attached" });
  await page.goBack();
  await row("1.9.0").getByTestId("value-filtered").click();
  await row("1.8.2").waitFor();
  await row("1.9.0").getByTestId("value-exclude").click();
  await page.waitForURL((address) => new URLSearchParams(address.search).get("l") === 'version!="1.9.0"');
  assert.equal(new URL(page.url()).searchParams.get("p"), "labels");
  await row("1.9.0").waitFor({ state: "detached" });
  await page.goBack();
  await row("1.9.0").waitFor();
  assert.match(await at("compare-values").textContent(), /1\.8\.2 ↔ 1\.9\.0/);
  await row("1.9.0").getByTestId("value-baseline").check();
  await row("1.8.2").getByTestId("value-comparison").check();
  await at("compare-values").click();
  await page.waitForURL(/\/diff\?/);
  const params = new URL(page.url()).searchParams;
  assert.deepEqual([params.get("l"), params.get("l2")], ['version="1.9.0"', 'version="1.8.2"']);
  await at("diff-totals").waitFor();
  await end();
});

test("on a phone a row's value stays in view while its table scrolls sideways", async () => {
  const { at, end } = await openPage(browser, address(CPU, "&p=labels&by=version"), {
    viewport: { width: 390, height: 844 },
  });
  await at("value-row").nth(1).waitFor();
  await at("value-exclude").first().scrollIntoViewIfNeeded();
  const name = at("value-row").first().locator("th");
  const box = await name.boundingBox();
  assert.ok(box.x >= 0 && box.x < 30, `${box.x} pixels from the left`);
  assert.ok(await name.evaluate((cell, { x, y }) => cell.contains(document.elementFromPoint(x + 20, y + 15)), box));
  await end();
});

test("values that are not shown are counted, with what they have of all", async () => {
  const service = `values-${Date.now()}`;
  const seconds = Math.floor(Date.now() / 1000) - 300;
  // 53 values, of which the last three have 1, 2 and 3 of all.
  const sizes = Array.from({ length: 53 }, (_, i) => (i < 50 ? 100 + i : i - 49));
  const all = sizes.reduce((sum, size) => sum + size, 0);
  await Promise.all(
    sizes.map((size, i) =>
      push(
        `${service}{pod=p${i}${i === 0 ? ",zone=a" : ""}}`,
        writePprof("cpu", "nanoseconds", [`main;work ${size * 1_000_000}`]),
        seconds,
      ),
    ),
  );
  const { at, page, end } = await openPage(browser, `/explore?s=${service}&t=${CPU}&p=labels&by=pod`);
  await at("value-row").nth(49).waitFor();
  const [, count, share] = /; (\d+) more are not shown, with ([\d.]+) % of the total/.exec(
    await at("values-note").textContent(),
  );
  assert.equal(await at("value-row").count(), 50);
  assert.equal(count, "3");
  sameShare(share, 6 / all, "not shown");
  assert.match(await at("compare-values").textContent(), /p48 ↔ p49/);
  // What was chosen is in the link. A value that is the other side already changes places with it.
  const side = (value, name) => at("value-table").locator(`[data-value="${value}"]`).getByTestId(`value-${name}`);
  await side("p47", "baseline").check();
  await side("p47", "comparison").check();
  await page.reload();
  await at("compare-values").filter({ hasText: "Compare p49 ↔ p47" }).waitFor();
  const [largest] = await at("value-share").allTextContents();
  sameShare(largest, 149 / all, "of all, also of what is not shown");
  // Eight have colours of their own, the rest is one band.
  assert.equal(await at("value-chart").locator("path").count(), 9);
  await at("label-name").filter({ hasText: "zone" }).click();
  await at("value-table").locator('[data-value=""]').filter({ hasText: "not set" }).waitFor();
  await end();
});

test("a type without the label of another isn't asked by it", async () => {
  const service = `labels-of-types-${Date.now()}`;
  const seconds = Math.floor(Date.now() / 1000) - 300;
  for (const [i, version] of ["1", "2"].entries())
    await push(
      `${service}{version=${version}}`,
      writePprof("cpu", "nanoseconds", ["main;work 1000"]),
      seconds + 60 * i,
    );
  await push(`${service}{region=eu}`, writePprof("delay", "nanoseconds", ["main;wait 1000"]), seconds);
  const [from, until] = [(seconds - 60) * 1000, (seconds + 240) * 1000];
  const found = await fetch(`${url}/api/v1/services?${new URLSearchParams({ from, until })}`);
  const { types } = (await found.json()).services.find(({ name }) => name === service);
  const delay = types.find(({ id }) => id.includes(":delay:")).id;
  const { page, at, requests, end } = await openPage(
    browser,
    `/explore?${new URLSearchParams({ s: service, t: delay, from, until, p: "labels" })}`,
  );
  await at("label-name").filter({ hasText: "region" }).waitFor();
  await settled(page);
  assert.equal(await at("label-name").filter({ hasText: "version" }).count(), 0);
  assert.ok(requests.every(({ url }) => !url.includes("by=version")));
  await at("type").selectOption(types.find(({ id }) => id !== delay).id);
  await at("label-name").filter({ hasText: "version" }).waitFor();
  await at("timeline-mark").waitFor();
  await end();
});

test("another label is a click away and in the address, and pointing at a value marks its series", async () => {
  const { page, at, end } = await openPage(browser, address(CPU, "&p=labels"));
  await at("label-name").filter({ hasText: "region" }).click();
  await page.waitForURL(/[?&]by=region/);
  const row = at("value-table").locator('[data-value="eu"]');
  await row.hover();
  await at("value-chart").locator("path.on").waitFor();
  assert.equal(await at("value-chart").locator("path").count(), 2);
  await page.goBack();
  await at("value-table").locator('[data-value="1.8.2"]').waitFor();
  await end();
});

test("another service has labels of its own", async () => {
  const { page, at, requests, end } = await openPage(browser, address(CPU, "&p=labels"));
  await at("value-table").locator('[data-value="1.9.0"]').waitFor();
  const other = "payments";
  await at("service").selectOption(other);
  await page.waitForURL((address) => new URLSearchParams(address.search).get("s") === other);
  await page.waitForFunction(
    () => document.querySelector("[data-testid=labels-panel]")?.getAttribute("data-state") === "ready",
  );
  await at("value-row").first().waitFor();
  assert.ok(requests.some(({ url }) => url.includes("/series") && decodeURIComponent(url).includes(`"${other}"`)));
  await end();
});

test("values that another panel compares are no part of the label", async () => {
  const { at, end } = await openPage(browser, address(CPU, "&p=labels&by=region,eu,us"));
  await at("value-table").locator('[data-value="eu"]').waitFor();
  await end();
});

test("a label that no profile has is said to be none", async () => {
  const { at, end } = await openPage(browser, address(CPU, "&p=labels&by=nonesuch"));
  await at("label-unknown").waitFor();
  assert.equal(await at("value-row").count(), 0);
  await at("label-name").filter({ hasText: "region" }).click();
  await at("value-row").first().waitFor();
  await end();
});

test("labels of a type without profiles in the range are none, and not said to be missing", async () => {
  const { at, end } = await openPage(browser, address("goroutines:goroutine:count:goroutine:count", "&p=labels"));
  await at("panel-empty").filter({ hasText: "No profiles of this type in this range." }).waitFor();
  await end();
});

test("each type of the service has its total, also of what is filtered, and leads to its profile", async () => {
  const { page, at, end } = await openPage(browser, address(CPU, "&p=types"));
  const card = (type) => at("types-panel").locator(`[data-type="${type}"]`);
  await card(IN_USE).waitFor();
  const { services } = await ask("services", { points: 10 });
  const types = services.find(({ name }) => name === "checkout").types;
  assert.equal(await at("type-card").count(), types.length);
  const total = async () =>
    Number((await card(CPU).getByTestId("type-total").getAttribute("title")).replace(/\D/g, ""));
  assert.equal(await total(), Number(types.find(({ id }) => id === CPU).total));
  assert.match(await card(IN_USE).getByTestId("type-total").textContent(), /average$/);
  await page.goto(url + address(CPU, `&p=types&l=${encodeURIComponent('region="eu"')}`));
  await card(IN_USE).waitFor();
  const { points } = await ask("timeline", { query: query(CPU, ',region="eu"'), points: 20 });
  assert.equal(
    await total(),
    points.reduce((sum, point) => sum + point, 0),
  );
  await card(IN_USE).click();
  await page.waitForURL((address) => new URLSearchParams(address.search).get("t") === IN_USE);
  assert.equal(new URL(page.url()).searchParams.get("p"), null);
  await at("frames").locator("tbody tr").nth(2).waitFor({ state: "attached" });
  await end();
});

test("of a part of the range, each type is compared with the time before it that is as long", async () => {
  const until = Math.floor(deploy - MINUTE);
  const { at, end } = await openPage(browser, address(CPU, `&p=types&w=${until - 5 * MINUTE}-${until}`));
  const changed = at("type-change").filter({ hasText: "vs. previous" });
  await changed.first().waitFor();
  for (const text of await changed.allTextContents()) assert.match(text, / vs\. previous 5 min$/);
  await end();
});

test("the timeline marks where the new version begins, and says so by keys", async () => {
  const { page, at, requests, end } = await openPage(browser, address(CPU, ""));
  await at("timeline-mark").waitFor();
  assert.equal(await at("timeline-mark").count(), 1);
  assert.match(await at("timeline-mark").textContent(), new RegExp(`^version 1\\.9\\.0 from ${CLOCK_TIME}$`));
  await settled(page);
  const plot = await at("timeline").locator(".u-over").boundingBox();
  const tick = await at("timeline-mark").boundingBox();
  const expected = plot.x + ((deploy - range[0]) / (range[1] - range[0])) * plot.width;
  assert.ok(Math.abs(tick.x - expected) < plot.width * 0.03, `${tick.x} instead of ${expected}`);
  await page.mouse.move(tick.x + 1, plot.y + plot.height / 2);
  await at("timeline-tooltip").filter({ hasText: "version 1.9.0" }).waitFor();
  await page.mouse.move(0, 0);
  const slider = at("timeline").getByRole("slider");
  const said = async () => /version 1\.9\.0/.test(await slider.getAttribute("aria-valuetext"));
  await slider.press("Home");
  for (let step = 0; step < 320 && !(await said()); step++) await slider.press("ArrowRight");
  assert.ok(await said(), "the step of the new version says so");
  const asked = requests.filter(({ url }) => url.includes("/api/v1/series"));
  assert.equal(asked.length, 1);
  await end();
});

test("a range that begins with the new version marks nothing", async () => {
  const from = deploy + 5 * MINUTE;
  const { page, at, end } = await openPage(browser, `/explore?s=checkout&t=${CPU}&from=${from}&until=${range[1]}`);
  await at("timeline").locator("canvas").waitFor();
  await at("frames").locator("tbody tr").nth(3).waitFor({ state: "attached" });
  await page.waitForLoadState("networkidle");
  assert.equal(await at("timeline-mark").count(), 0);
  await end();
});

test("values say where they are sums of whole windows", async () => {
  const { page, at, end } = await openPage(browser, "/");
  let rounded = false;
  await page.route("**/api/v1/series?*", async (route) => {
    const response = await fetched(route);
    await route.fulfill({ response, json: { ...(await response.json()), rounded } });
  });
  await page.goto(url + address(CPU, "&p=labels&by=region"));
  await at("values-note").waitFor();
  assert.doesNotMatch(await at("values-note").textContent(), /whole minutes/);
  rounded = true;
  await page.reload();
  await at("values-note").filter({ hasText: "rounded to whole minutes, hours or days" }).waitFor();
  await end();
});

test("the timeline stays when the versions cannot be found", async () => {
  const { page, at, end } = await openPage(browser, "/");
  await page.route("**/api/v1/series?*", (route) => route.fulfill({ status: 503, body: "busy" }));
  const failed = page.waitForResponse(/\/api\/v1\/series/);
  await page.goto(url + address(CPU, ""));
  await failed;
  await at("frames").locator("tbody tr").nth(3).waitFor({ state: "attached" });
  assert.equal(await at("timeline-mark").count(), 0);
  assert.equal(await at("timeline-problem").count(), 0);
  await end(/503/);
});

test("a page refreshes by itself while its range ends now", async () => {
  const { page, at, requests, end } = await openPage(browser, `/explore?s=checkout&t=${CPU}&from=now-24h`);
  await at("frames").locator("tbody tr").nth(3).waitFor({ state: "attached" });
  await page.clock.install();
  await at("range").click();
  await at("auto-refresh").selectOption("30");
  await page.keyboard.press("Escape");
  assert.match(await at("range").textContent(), /30 s/);
  const asked = () => requests.filter(({ url }) => url.includes("/api/v1/timeline")).length;
  const before = asked();
  const again = page.waitForRequest(/\/api\/v1\/timeline/);
  await page.clock.fastForward(31_000);
  await again;
  assert.equal(asked(), before + 1);
  await at("range").click();
  await at("auto-refresh").selectOption("0");
  await page.keyboard.press("Escape");
  await page.clock.fastForward(120_000);
  assert.equal(asked(), before + 1);
  assert.doesNotMatch(page.url(), /refresh/);
  await end();
});
