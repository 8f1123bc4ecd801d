/** What a person does with services: from the front page to a regression, ranges, comparisons, filters, gauges. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { pushStacks } from "./answers.mjs";
import { amount, close, exported, launch, openPage, settled, url } from "./page.mjs";
import { callTree, readPprof } from "./pprof.mjs";

const CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
const IN_USE = "memory:inuse_space:bytes:space:bytes";
const MINUTE = 60_000;

let browser;
/** When the demo's deploy was: the first profile of the new version. */
let deploy = 0;
before(async () => {
  browser = await launch();
  const now = Date.now();
  const step = MINUTE / 2;
  const answer = await timeline(`${CPU}{service_name="checkout",version="1.9.0"}`, now - 180 * step, now, 180);
  deploy = answer.start + answer.counts.findIndex((count) => count > 0) * answer.step;
  assert.ok(
    now - 80 * MINUTE < deploy && deploy < now - 20 * MINUTE,
    `the demo's deploy was ${Math.round((now - deploy) / MINUTE)} minutes ago`,
  );
});
after(() => browser?.close());

async function timeline(query, from, until, points) {
  const answer = await fetch(
    `${url}/api/v1/timeline?${new URLSearchParams({ query, from: Math.round(from), until: Math.round(until), points })}`,
  );
  assert.equal(answer.status, 200);
  return answer.json();
}

const frames = ({ at }, name) => at("frames").locator("tr", { hasText: name }).first();
const drawn = ({ at }) => at("frames").locator("tbody tr").nth(3).waitFor({ state: "attached" });
const calls = (requests, name) => requests.filter(({ url }) => url.includes(`/api/v1/${name}`)).length;
const side = (page, suffix) =>
  ["from", "until"].map((name) => Number(new URL(page.url()).searchParams.get(name + suffix)));

/** Drags over the timeline from one time to another, both within its range. */
async function brush({ page, at }, [start, end], [from, until], timeline = "timeline") {
  await settled(page);
  const plot = await at(timeline).locator(".u-over").boundingBox();
  const x = (time) => plot.x + ((time - start) / (end - start)) * plot.width;
  const y = plot.y + plot.height / 2;
  await page.mouse.move(x(from), y);
  await page.mouse.down();
  await page.mouse.move(x((from + until) / 2), y, { steps: 4 });
  await page.mouse.move(x(until), y, { steps: 4 });
  await page.mouse.up();
  await page.waitForURL(/[?&]w=\d+-\d+/);
}

/** Sorted by change, what is among the first. */
async function grewMost({ at }) {
  await at("view-table").click();
  await at("sort-delta").waitFor();
  await at("row").filter({ hasText: "regexp" }).first().waitFor();
  const names = await at("row").evaluateAll((rows) =>
    rows.slice(0, 10).map((row) => row.querySelector(".name")?.textContent ?? ""),
  );
  assert.ok(
    names.some((name) => /matchesPattern|regexp/.test(name)),
    `what grew most: ${names}`,
  );
}

test("from the front page to the regression, by the two versions", async () => {
  const opened = await openPage(browser, "/");
  const { page, at, end } = opened;
  await at("service-card").filter({ hasText: "checkout" }).click();
  await drawn(opened);
  await at("filters-add").click();
  const offered = at("compare-labels").filter({ hasText: "version: 1.8.2 ↔ 1.9.0" });
  await offered.click();
  await page.waitForURL(/\/diff\?s=checkout/);
  await at("legend").waitFor();
  await frames(opened, "regexp.compile").waitFor({ state: "attached" });
  assert.match(await at("filters-base").textContent(), /version=1\.8\.2/);
  assert.match(await at("filters-other").textContent(), /version=1\.9\.0/);
  await grewMost(opened);
  await end();
});

test("from a brushed range to before and after, whose change shows the regression", async () => {
  const range = [deploy - 20 * MINUTE, deploy + 20 * MINUTE];
  const opened = await openPage(browser, `/explore?s=checkout&t=${CPU}&from=${range[0]}&until=${range[1]}`);
  const { page, at, end } = opened;
  await drawn(opened);
  await at("timeline").locator("canvas").waitFor();
  await brush(opened, range, [deploy + MINUTE, deploy + 13 * MINUTE]);
  const [, left, right] = /[?&]w=(\d+)-(\d+)/.exec(page.url()).map(Number);
  await at("compare").click();
  await at("legend").waitFor();
  const [base, other] = [side(page, ""), side(page, "2")];
  assert.deepEqual(other, [left, right], "the comparison is what was brushed");
  assert.deepEqual(base, [left - (right - left), left], "the baseline is as long, just before");
  await frames(opened, "regexp.compile").waitFor({ state: "attached" });
  const changed = await at("diff-totals").locator("b").textContent();
  assert.match(changed, /\+\d/, `the total grew: ${changed}`);
  assert.ok(Number.parseFloat(changed.replace("+", "")) > 8, changed);
  await grewMost(opened);
  await end();
});

test("sides of unlike coverage compare by load, unless shares or amounts are wanted", async () => {
  // An hour and more of one version, without a deploy between: nothing but the length differs.
  const at0 = deploy - 30 * MINUTE;
  const sides = `from=${at0}&until=${at0 + 16 * MINUTE}&from2=${at0 + 18 * MINUTE}&until2=${at0 + 23 * MINUTE}`;
  const opened = await openPage(browser, `/diff?s=checkout&t=${CPU}&${sides}`);
  const { page, at, end } = opened;
  await at("coverage").waitFor();
  assert.match(await at("coverage").textContent(), /\d+ profiles against \d+/);
  assert.equal(await at("measure").inputValue(), "rate");
  const serve = async () => {
    const row = frames(opened, "net/http.(*conn).serve");
    await row.waitFor({ state: "attached" });
    await settled(page);
    return row.locator("td").allTextContents();
  };
  const load = Number.parseFloat(
    (await at("diff-totals").locator("b").textContent()).replace("−", "-").replace("+", ""),
  );
  assert.ok(Math.abs(load) < 35, `cores of each: ${load} %`);
  assert.match((await serve())[1], / m?cores$/);
  await at("measure").selectOption("share");
  await page.waitForURL(/norm=1/);
  const [, before, after] = await serve();
  assert.match(before, / %$/);
  close(Number.parseFloat(after), Number.parseFloat(before), "shares of the same code");
  await at("measure").selectOption("amount");
  await page.waitForURL(/norm=0/);
  await page.waitForFunction(() =>
    /−[67]\d/.test(document.querySelector("[data-testid=diff-totals] b")?.textContent ?? ""),
  );
  assert.match(await at("coverage").textContent(), /amounts may mislead/);
  await end();
});

test("both timelines of a comparison have one scale", async () => {
  const sides = `from=${deploy - 20 * MINUTE}&until=${deploy}&from2=${deploy}&until2=${deploy + 15 * MINUTE}`;
  const { page, at, end } = await openPage(browser, `/diff?s=checkout&t=${CPU}&${sides}&l=region%3D%22eu%22`);
  await at("timeline-base").locator("canvas").waitFor();
  await at("timeline-other").locator("canvas").waitFor();
  const scales = await page.locator(".timeline").evaluateAll((all) => all.map((one) => Number(one.dataset.peak)));
  // The side with the region alone has less, and is drawn against the peak of the other.
  const labels = await page
    .locator(".timeline [role=slider]")
    .evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
  const [base, other] = labels.map((label) => Number(/peak (\S+) cores/.exec(label)[1]));
  assert.ok(0 < base && base < other, `${base} is less than ${other}`);
  // The scale is what a step has, in nanoseconds.
  for (const scale of scales) assert.equal(scale, scales[0]);
  assert.ok(Math.abs(scales[0] / 30e9 / other - 1) < 0.01, `${scales[0]} of 30 s is not ${other} cores`);
  await end();
});

test("the timelines of a day and of an hour have steps of one length", async () => {
  const now = Date.now();
  const hour = 60 * MINUTE;
  for (const [first, second] of [
    [24 * hour, hour],
    [hour, 24 * hour],
  ]) {
    const sides = `from=${now - first}&until=${now}&from2=${now - second}&until2=${now}`;
    const { at, end } = await openPage(browser, `/diff?s=checkout&t=${CPU}&${sides}`);
    const steps = [];
    for (const id of ["timeline-base", "timeline-other"]) {
      await at(id).locator("canvas").waitFor();
      steps.push(await at(id).getByRole("slider").getAttribute("aria-valuemax"));
    }
    assert.ok(Number(steps[0]) > 20, `${steps}`);
    assert.equal(steps[0], steps[1], "both span the same, so as many steps are as long");
    await end();
  }
});

test("a side is selected in a timeline that goes on to show the same time, and time that both sides have is told", async () => {
  const [from, until] = [deploy - 20 * MINUTE, deploy + 20 * MINUTE];
  const sides = `from=${from}&until=${deploy}&from2=${deploy}&until2=${until}`;
  const opened = await openPage(browser, `/diff?s=checkout&t=${CPU}&${sides}`);
  const { page, at, end } = opened;
  const [base, other] = ["timeline-base", "timeline-other"].map((id) => at(id).getByRole("slider"));
  const spanned = async (slider) => /, ([\d:]+ – [\d:]+): /.exec(await slider.getAttribute("aria-label"))[1];
  await at("timeline-other").locator("canvas").waitFor();
  await drawn(opened);
  const whole = await spanned(base);
  await brush(opened, [from, until], [deploy + 5 * MINUTE, deploy + 10 * MINUTE], "timeline-other");
  await settled(page);
  const [left, right] = side(page, "2");
  assert.ok(Math.abs(left - deploy - 5 * MINUTE) < MINUTE && Math.abs(right - deploy - 10 * MINUTE) < MINUTE);
  assert.deepEqual([await spanned(base), await spanned(other)], [whole, whole]);
  assert.equal(await at("overlap").count(), 0);
  // A side can grow again, over the other one, too.
  await brush(opened, [from, until], [deploy - 5 * MINUTE, deploy + 20 * MINUTE], "timeline-other");
  await settled(page);
  assert.deepEqual([await spanned(base), await spanned(other)], [whole, whole]);
  assert.match(await at("overlap").textContent(), /^sides overlap: \d\d:\d\d/);
  await brush(opened, [from, until], [deploy - 5 * MINUTE, deploy], "timeline-base");
  await settled(page);
  await base.dblclick();
  await page.waitForURL((url) => !url.searchParams.has("w"));
  await settled(page);
  assert.notEqual(await spanned(base), whole, "both fit the sides");
  await end();
});

test("an empty side is named", async () => {
  const sides = `from=1500000000000&until=1500003600000&from2=${deploy}&until2=${deploy + 10 * MINUTE}`;
  const { page, at, end } = await openPage(browser, `/diff?s=checkout&t=${CPU}&${sides}`);
  await at("empty").waitFor();
  assert.match(await at("empty").textContent(), /The baseline has no profiles: checkout, 14 Jul/);
  assert.doesNotMatch(await at("empty").textContent(), /comparison has/i);
  // To remove filters helps where the time has profiles with other labels.
  const filters = at("empty").getByRole("button", { name: "Remove its filters" });
  await page.goto(`${url}/diff?s=checkout&t=${CPU}&${sides}&l=region%3D%22eu%22`);
  await at("empty").waitFor();
  assert.equal(await filters.count(), 0);
  await page.goto(
    `${url}/diff?s=checkout&t=${CPU}&${sides}&l2=region%3D%22none%22`
      .replaceAll("1500000000000", deploy - 10 * MINUTE)
      .replaceAll("1500003600000", deploy),
  );
  await filters.click();
  await at("legend").waitFor();
  await page.goto(`${url}/diff?s=checkout&t=${CPU}&${sides}`);
  await at("empty").waitFor();
  await at("empty").getByRole("button", { name: "Show only the comparison side" }).click();
  await page.waitForURL(/\/explore/);
  await drawn({ at });
  await end();
});

test("a gauge is the average a snapshot, and every number on the screen agrees", async () => {
  const [from, until] = [deploy - 20 * MINUTE, deploy + 10 * MINUTE];
  const answer = await timeline(`${IN_USE}{service_name="checkout"}`, from, until, 60);
  const sum = answer.points.reduce((a, b) => a + b, 0);
  const average = sum / answer.profiles;
  assert.ok(answer.profiles > 40 && sum > 20 * average);
  const opened = await openPage(browser, `/explore?s=checkout&t=${IN_USE}&from=${from}&until=${until}&v=both`);
  const { page, at, end } = opened;
  await drawn(opened);
  const root = at("frames").locator("tbody tr").first();
  close(amount(await root.locator("td").nth(1).textContent()), average, "the flame graph");
  const exact = await root.getAttribute("data-total");
  const [, whole, over = "0/1"] = /^(\d+)(?: (\d+\/\d+))?$/.exec(exact);
  const [numerator, denominator] = over.split("/").map(BigInt);
  assert.equal(
    (BigInt(whole) * denominator + numerator) * BigInt(answer.profiles),
    BigInt(sum) * denominator,
    "exact, as a fraction",
  );
  assert.match(await at("facts").textContent(), new RegExp(`average of ${answer.profiles} snapshots`));
  const label = await at("timeline").getByRole("slider").getAttribute("aria-label");
  close(amount(/average (\S+ \S+),/.exec(label)[1]), average, "the timeline");
  const largest = at("row").first().locator(".num");
  const frame = frames(opened, await at("row").first().locator(".base").textContent());
  close(
    amount(await largest.nth(1).textContent()),
    amount(await frame.locator("td").nth(1).textContent()),
    "the table",
  );
  await at("row").first().click();
  await at("drawer").waitFor();
  assert.equal(await at("drawer-total").textContent(), await frame.locator("td").nth(1).textContent(), "the drawer");
  assert.match(await at("drawer").locator("tr[title]").first().getAttribute("title"), /^[\d,]+( \d+\/\d+)? bytes$/);
  // What is downloaded is what is shown: its total is rounded once.
  const file = await exported(opened, "pprof");
  assert.equal(callTree(readPprof(file), 0).total, Math.floor(sum / answer.profiles), "the file");
  // Of a comparison too, where the sides have numbers of snapshots of their own.
  await page.goto(`${url}/diff?s=checkout&t=${IN_USE}&from=${from}&until=${deploy}&from2=${deploy}&until2=${until}`);
  await at("legend").waitFor();
  for (const [i, [a, b]] of [
    [from, deploy],
    [deploy, until],
  ].entries()) {
    const part = await timeline(`${IN_USE}{service_name="checkout"}`, a, b, 60);
    const expected = part.points.reduce((x, y) => x + y, 0) / part.profiles;
    const [shown] = (await at("diff-totals").textContent()).split("→").slice(i);
    close(amount(shown.replace("average", "").trim()), expected, `side ${i}`);
    close(
      amount(
        await root
          .locator("td")
          .nth(1 + i)
          .textContent(),
      ),
      expected,
      `the picture's side ${i}`,
    );
  }
  // And on its card.
  await page.goto(`${url}/?t=${IN_USE}`);
  const card = at("service-card").filter({ hasText: "checkout" });
  await card.waitFor();
  const total = await card.locator(".card-total").textContent();
  assert.match(total, /average/);
  assert.ok(Math.abs(amount(total) / average - 1) < 0.3, `${total} is about ${average}`);
  await end();
});

test("a change against almost nothing is no change", async () => {
  // A range that has all of the history but its first minutes, whenever that was made.
  const now = Date.now();
  const answer = await timeline(`${CPU}{service_name="payments"}`, now - 180 * MINUTE, now, 180);
  const start = answer.start + answer.counts.findIndex((count) => count > 0) * answer.step;
  const { at, end } = await openPage(browser, `/?from=${Math.round(start + 2 * MINUTE)}&until=${now}`);
  const change = at("service-card").filter({ hasText: "payments" }).getByTestId("card-change");
  await change.filter({ hasText: "no clear change" }).waitFor();
  await end();
});

test("the timeline says what is under the pointer, in which zone, and follows the keys", async () => {
  const opened = await openPage(browser, `/explore?s=checkout&t=${CPU}`, { timezoneId: "Asia/Kolkata" });
  const { page, at, requests, end } = opened;
  await drawn(opened);
  const plot = at("timeline").locator(".u-over");
  await plot.waitFor();
  assert.doesNotMatch(await at("timeline").textContent(), /per 30 s/);
  assert.match(await at("timeline").textContent(), /UTC\+5:30/);
  await plot.hover({ position: { x: 300, y: 20 } });
  assert.match(await at("timeline-tooltip").textContent(), /\d\d:\d\d:\d\d – \d\d:\d\d:\d\d .+ cores in \d+ profiles/);
  const slider = at("timeline").getByRole("slider");
  await slider.focus();
  await page.keyboard.press("Home");
  for (let i = 0; i < 20; i++) await page.keyboard.press("ArrowRight");
  assert.equal(await slider.getAttribute("aria-valuenow"), "20");
  assert.match(await slider.getAttribute("aria-valuetext"), /in \d+ profiles/);
  await page.keyboard.down("Shift");
  for (let i = 0; i < 30; i++) await page.keyboard.press("ArrowRight");
  await page.keyboard.up("Shift");
  await page.waitForURL(/[?&]w=\d+-\d+/);
  const [, left, right] = /[?&]w=(\d+)-(\d+)/.exec(page.url()).map(Number);
  close(right - left, 31 * (MINUTE / 2), "31 buckets");
  // A relative range stays one, also after the brush is gone.
  assert.ok(!/[?&](from|until)=/.test(page.url()), page.url());
  assert.match(await at("range").textContent(), /1 h/);
  await slider.focus();
  await page.keyboard.press("Escape");
  await page.waitForURL((url) => !url.searchParams.has("w"));
  const before = calls(requests, "timeline");
  // "now" has a resolution of one second: a refresh within the same second asks nothing new.
  await page.waitForTimeout(1_100);
  await at("refresh").click();
  await settled(page);
  const [first, last] = [0, -1].map((i) => requests.filter(({ url }) => url.includes("/timeline")).at(i).url);
  const until = (address) => Number(new URL(address).searchParams.get("until"));
  assert.equal(calls(requests, "timeline"), before + 1);
  assert.ok(until(last) >= until(first) + 1_000, "now goes on");
  await end();
});

test("the bucket that keys point at stays within a range that became shorter", async () => {
  const opened = await openPage(browser, `/explore?s=checkout&t=${CPU}`);
  const { page, at, end } = opened;
  await drawn(opened);
  await at("timeline").locator("canvas").waitFor();
  const slider = at("timeline").getByRole("slider");
  const is = async (name) => Number(await slider.getAttribute(`aria-value${name}`));
  await slider.press("End");
  const before = await is("max");
  assert.equal(await is("now"), before);
  await at("range").click();
  await page.getByRole("button", { name: "last 15 min" }).click();
  await page.waitForFunction(
    (before) =>
      Number(document.querySelector("[data-testid=timeline] [role=slider]").getAttribute("aria-valuemax")) < before / 2,
    before,
  );
  const last = await is("max");
  assert.equal(await is("now"), last);
  await slider.press("ArrowLeft");
  assert.equal(await is("now"), last - 1);
  await end();
});

test("a finger brushes the timeline", async () => {
  const opened = await openPage(browser, `/explore?s=checkout&t=${CPU}`, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
  });
  const { page, at, end } = opened;
  await drawn(opened);
  await settled(page);
  const plot = await at("timeline").locator(".u-over").boundingBox();
  const finger = await page.context().newCDPSession(page);
  const touch = (type, share) =>
    finger.send("Input.dispatchTouchEvent", {
      type,
      touchPoints: share === undefined ? [] : [{ x: plot.x + plot.width * share, y: plot.y + 20 }],
    });
  await touch("touchStart", 0.25);
  for (const share of [0.3, 0.5, 0.75]) await touch("touchMove", share);
  await touch("touchEnd");
  await page.waitForURL(/[?&]w=\d+-\d+/);
  const [, left, right] = /[?&]w=(\d+)-(\d+)/.exec(page.url()).map(Number);
  assert.ok(Math.abs(right - left - 30 * MINUTE) < MINUTE, `half of the hour: ${(right - left) / MINUTE} min`);
  await end();
});

test("no step is shorter than agents push", async () => {
  const { at, requests, end } = await openPage(
    browser,
    `/explore?s=catalog&t=${CPU}&from=${deploy}&until=${deploy + 5 * MINUTE}`,
  );
  await at("timeline").locator("canvas").waitFor();
  const asked = requests.find(({ url }) => url.includes("/timeline"));
  assert.equal(new URL(asked.url).searchParams.get("points"), "11");
  assert.equal((await (await fetch(asked.url)).json()).step, 30_000);
  await end();
});

test("everything is asked for once", async () => {
  const { page, at, requests, end } = await openPage(browser, "/");
  await at("service-card").first().waitFor();
  await settled(page);
  assert.equal(calls(requests, "services"), 1, "the front page");
  requests.length = 0;
  await at("service-card").filter({ hasText: "checkout" }).click();
  await drawn({ at });
  await settled(page);
  assert.deepEqual(
    ["services", "timeline", "profile"].map((name) => calls(requests, name)),
    [1, 1, 1],
    "a service",
  );
  requests.length = 0;
  await at("range").click();
  await page.getByRole("button", { name: "last 15 min" }).click();
  await settled(page);
  assert.deepEqual(
    ["services", "timeline", "profile"].map((name) => calls(requests, name)),
    [1, 1, 1],
    "another range",
  );
  await end();
});

test("while services load the page has its shape, and without data its controls", async () => {
  const context = await browser.newContext({ serviceWorkers: "block", viewport: { width: 1400, height: 900 } });
  const page = await context.newPage();
  let answer = () => {};
  const held = new Promise((resolve) => (answer = resolve));
  await page.route("**/api/v1/services**", async (route) => {
    await held;
    await route.fulfill({ json: { services: [], ended: [] } });
  });
  await page.goto(url);
  await page.getByTestId("looking").waitFor();
  const zone = () => page.getByTestId("dropzone").boundingBox();
  const before = await zone();
  assert.ok(before.width < 600, "room for services");
  answer();
  await page.getByTestId("empty").waitFor();
  assert.deepEqual((await zone()).width, before.width, "nothing jumps");
  assert.ok(await page.getByTestId("range").isVisible());
  assert.ok(await page.getByTestId("refresh").isVisible());
  await context.close();
});

test("filters offer labels with several values first, and catch an expression that is none", async () => {
  const opened = await openPage(browser, `/explore?s=checkout&t=${CPU}`);
  const { page, at, requests, end } = opened;
  await drawn(opened);
  await at("filters-add").click();
  const label = page.getByLabel("Label", { exact: true });
  assert.equal(await label.inputValue(), "version");
  assert.deepEqual(await label.locator("option").allTextContents(), ["version", "region", "pyroscope_spy"]);
  await label.selectOption("region");
  await page.getByLabel("Comparison", { exact: true }).selectOption("=~");
  requests.length = 0;
  await at("pattern").fill("eu(");
  await page.keyboard.press("Enter");
  await at("pattern-problem").waitFor();
  assert.match(await at("pattern-problem").textContent(), /Invalid regular expression: .*group/);
  assert.deepEqual(
    requests.filter(({ url }) => url.includes("/api/")),
    [],
    "nothing is sent",
  );
  assert.ok(!page.url().includes("l="));
  // What a search refuses, because it ignores case, is fine here.
  await at("pattern").fill("[0-f]u");
  assert.equal(await at("pattern-problem").count(), 0);
  await page.keyboard.press("Enter");
  await page.waitForURL(/[?&]l=region/);
  await drawn(opened);
  await end();
});

test("an expression is added as it was checked, whatever is typed meanwhile", async () => {
  const opened = await openPage(browser, `/explore?s=checkout&t=${CPU}`);
  const { page, at, end } = opened;
  await drawn(opened);
  await at("filters-add").click();
  await page.getByLabel("Label", { exact: true }).selectOption("region");
  await page.getByLabel("Comparison", { exact: true }).selectOption("=~");
  const written = (text) =>
    at("pattern").evaluate((input, text) => {
      input.value = text;
      input.dispatchEvent(new Event("input", { bubbles: true }));
    }, text);
  await written("e.");
  await at("pattern").evaluate((input) => {
    input.form.requestSubmit();
    input.value = "e(";
    input.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await page.waitForURL(/[?&]l=region/);
  assert.equal(new URL(page.url()).searchParams.get("l"), 'region=~"e."');
  await end();
});

test("a filter of a link goes to the server as it is written", async () => {
  const opened = await openPage(
    browser,
    `/explore?s=checkout&t=${CPU}&l=${encodeURIComponent("region=~`e.`")}&l=${encodeURIComponent('größe=""')}`,
  );
  const { page, at, requests, end } = opened;
  await drawn(opened);
  const asked = new URL(requests.find(({ url }) => url.includes("/profile")).url).searchParams.get("query");
  assert.equal(asked, `${CPU}{service_name="checkout",region=~\`e.\`,größe=""}`);
  await page.goto(`${url}/explore?s=checkout&t=${CPU}&l=region`);
  await at("problem").waitFor();
  assert.match(await at("problem").textContent(), /The filter region can't be read: expected one of/);
  await at("filters").getByRole("button", { name: "region", exact: true }).click();
  await drawn(opened);
  await end(/status of 400/);
});

/** Its scrollbars lie over what scrolls and take no room. */
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

test("on a phone nothing is beyond an edge", async () => {
  // One long name among the services makes no row of its own.
  await pushStacks(
    "a-service-whose-name-is-longer-than-half-of-a-phone{}",
    "main;work 1\n",
    Math.floor(Date.now() / 1000) - 60,
  );
  const opened = await openPage(browser, `/explore?s=checkout&t=${CPU}`, PHONE);
  const { page, at, end } = opened;
  await drawn(opened);
  await settled(page);
  for (const id of ["service", "type", "filters-add", "compare", "range", "refresh"]) {
    const box = await at(id).first().boundingBox();
    assert.ok(box && box.x >= 0 && box.x + box.width <= 390, `${id}: ${JSON.stringify(box)}`);
  }
  const { y } = await at("flame").boundingBox();
  assert.ok(y <= 844 / 2, `the picture has at least half of the height, and begins at ${y}`);
  await end();
});

test("at 200 % zoom the picture has half of the height", async () => {
  const viewport = { width: 720, height: 450 };
  const opened = await openPage(browser, `/explore?s=checkout&t=${CPU}`, { viewport });
  await drawn(opened);
  await settled(opened.page);
  await opened.page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/explore-200-percent.png` });
  const { y } = await opened.at("flame").boundingBox();
  assert.ok(y <= viewport.height / 2, `the picture begins at ${y}`);
  await opened.end();
});

test("in a small window the picture of a comparison has half of the height, and all of it is in reach", async () => {
  const filters = `l=${encodeURIComponent('region="eu"')}&l2=${encodeURIComponent('region="us"')}`;
  for (const options of [PHONE, { viewport: { width: 720, height: 450 } }]) {
    const opened = await openPage(browser, `/diff?s=checkout&t=${CPU}&${filters}`, options);
    const { page, at, end } = opened;
    const { height } = options.viewport;
    await drawn(opened);
    await at("legend").waitFor();
    await settled(page);
    const bottom = async () => {
      const { y, height } = await page.locator(".views").boundingBox();
      return y + height;
    };
    const { y } = await at("flame").boundingBox();
    assert.ok(Math.min(await bottom(), height) - y >= height / 2, `from ${y} to ${await bottom()} of ${height}`);
    assert.match(await at("side-other").locator("summary").textContent(), /^Comparison.*last 30 min · region=us$/);
    for (const side of ["side-base", "side-other"]) await at(side).locator("summary").click();
    await at("timeline-other").locator("canvas").waitFor();
    assert.ok(await at("filters-base-add").isVisible());
    assert.ok((await bottom()) > height, "the picture is partly below the window");
    // What the picture itself has not left to scroll, the page scrolls.
    const session = await page.context().newCDPSession(page);
    const touch = (type, ...touchPoints) => session.send("Input.dispatchTouchEvent", { type, touchPoints });
    await page.mouse.move(200, height - 40);
    for (let swipe = 0; swipe < 8 && (await bottom()) > height; swipe++) {
      if (!options.hasTouch) await page.mouse.wheel(0, 200);
      else {
        for (let up = 0; up <= 200; up += 20)
          await touch(up === 0 ? "touchStart" : "touchMove", { x: 200, y: height - 40 - up });
        await touch("touchEnd");
      }
      await settled(page);
    }
    assert.ok((await bottom()) <= height, `the picture ends at ${await bottom()}`);
    await end();
  }
});

test("turning a phone keeps what is opened and typed on a side", async () => {
  const [upright, turned] = [
    { width: 600, height: 900 },
    { width: 900, height: 600 },
  ];
  const { page, at, end } = await openPage(browser, `/diff?s=checkout&t=${CPU}`, { viewport: upright });
  const isFolded = async (side, folded) => {
    await at(`side-${side}`).locator("summary").waitFor();
    await at(`filters-${side}-add`).waitFor({ state: folded ? "hidden" : "visible" });
  };
  await isFolded("base", true);
  await at("side-other").locator("summary").click();
  await isFolded("other", false);
  await page.setViewportSize(turned);
  await at("side-base").locator("summary").waitFor({ state: "hidden" });
  const tops = await page
    .locator(".side .timeline")
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().y));
  assert.equal(tops[0], tops[1], "the timelines are in line");
  await at("range-base").click();
  const field = at("side-base").getByLabel("From");
  await field.fill("2024-05-06T07:08:09");
  const isTyped = async () => {
    await settled(page);
    assert.equal(await field.inputValue(), "2024-05-06T07:08:09");
    assert.ok(await field.evaluate((input) => input === document.activeElement), "the field has the focus");
  };
  await page.setViewportSize(upright);
  await isFolded("base", false);
  await isFolded("other", false);
  await isTyped();
  await page.setViewportSize(turned);
  await isTyped();
  await page.keyboard.press("Escape");
  await page.setViewportSize(upright);
  await isFolded("other", false);
  await at("side-other").locator("summary").click();
  await isFolded("other", true);
  await end();
});

test("on a phone the failure of a folded side's timeline is seen, and can be tried again", async () => {
  const opened = await openPage(browser, "/", PHONE);
  const { page, at, end } = opened;
  await page.route("**/api/v1/timeline*", (route) =>
    route.fulfill({ status: 500, json: { code: "internal", message: "a part is missing" } }),
  );
  await page.goto(`${url}/diff?s=checkout&t=${CPU}`);
  const problem = at("side-other").getByRole("alert");
  await problem.waitFor();
  assert.match(await problem.textContent(), /Could not read the timeline/);
  await page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/diff-problem-phone.png` });
  await at("side-other").locator("summary").click();
  assert.equal(await problem.count(), 1, "the timeline says it once opened");
  await at("side-other").locator("summary").click();
  await page.unroute("**/api/v1/timeline*");
  await problem.getByRole("button", { name: "Try again" }).click();
  await drawn(opened);
  assert.equal(await at("timeline-problem").count(), 0);
  await end(/status of 500/);
});

test("on a phone what is chosen, offered and listed is in view", async () => {
  const address = `/explore?s=checkout&t=${CPU}`;
  const panel = await openPage(browser, `${address}&p=function`, PHONE);
  await panel.at("function-search").waitFor();
  await panel.page.locator(".panels-row select").waitFor();
  // Two frames: one lays the row out, one scrolls it.
  await panel.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const [row, tab] = [await panel.at("panels").boundingBox(), await panel.at("panel-function").boundingBox()];
  assert.ok(tab.x >= row.x && tab.x + tab.width <= row.x + row.width + 1, JSON.stringify([row, tab]));
  await panel.end();
  const opened = await openPage(browser, address, PHONE);
  const { page, at, end } = opened;
  await drawn(opened);
  await at("share").click();
  await at("upload-days").waitFor();
  const sheet = page.locator(".menu-panel");
  assert.ok(await sheet.evaluate((sheet) => sheet.scrollHeight <= sheet.clientHeight), "all of the menu is seen");
  await page.keyboard.press("Escape");
  await at("explain-button").click();
  const rows = at("explain-functions").locator("li");
  await rows.first().waitFor();
  for (const { height } of await rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect().toJSON())))
    assert.ok(height < 40, "a name and its share are on one line");
  await page.keyboard.press("Escape");
  await at("view-sandwich").click();
  await at("row").nth(2).waitFor();
  const box = await at("row").nth(2).boundingBox();
  assert.ok(box.y + box.height < 844, `the list begins in view: ${JSON.stringify(box)}`);
  await end();
});
