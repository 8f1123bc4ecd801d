/** The timeline in parts, by the values of a label: what is drawn and said is what the API has, and the rest is called so. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { push } from "./answers.mjs";
import { amount, close, launch, openPage, settled, url } from "./page.mjs";
import { writePprof } from "./pprof.mjs";

const CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
const IN_USE = "memory:inuse_space:bytes:inuse_space:bytes";
const MINUTE = 60_000;
const MINUTES = 10;
/** Values with a colour of their own. */
const SHOWN = 8;
const start = Math.floor(Date.now() / MINUTE) * MINUTE - 20 * MINUTE;
const range = { from: start, until: start + MINUTES * MINUTE };
const service = `split.${start}`;
/** Twelve pods and what names none, the largest first; each is silent in a minute of its own. */
const PODS = [...Array.from({ length: 12 }, (_, i) => `pod-${i}`), ""];
const cost = (pod, minute) => (minute % PODS.length === pod ? 0 : (14 - pod) * 10 + minute);

let browser;
before(async () => {
  browser = await launch();
  for (let minute = 0; minute < MINUTES; minute++)
    await Promise.all(
      PODS.flatMap((pod, i) => {
        const name = `${service}{${pod && `pod=${pod},`}zone=${i % 2 ? "b" : "a"}}`;
        const seconds = (start + minute * MINUTE) / 1000;
        const profile = (kind, unit, by) => writePprof(kind, unit, [`main;work ${cost(i, minute) * by}`]);
        if (cost(i, minute) === 0) return [];
        return [
          push(name, profile("cpu", "nanoseconds", 1e7), seconds),
          push(name, profile("inuse_space", "bytes", 1 << 20), seconds),
        ];
      }),
    );
});
after(() => browser?.close());

const address = (type, more = {}) => `/explore?${new URLSearchParams({ s: service, t: type, ...range, ...more })}`;
const query = (type) => `${type}{service_name="${service}"}`;

async function ask(call, params) {
  const answer = await fetch(`${url}/api/v1/${call}?${new URLSearchParams(params)}`);
  assert.equal(answer.status, 200, await answer.clone().text());
  return answer.json();
}

/** Sums of `factor` steps each, as many as the page puts together; what is over is at the start. */
function merged(numbers, factor) {
  const over = (factor - (numbers.length % factor)) % factor;
  const sums = new Array(Math.ceil(numbers.length / factor)).fill(0);
  for (const [i, number] of numbers.entries()) sums[Math.floor((i + over) / factor)] += number;
  return sums;
}

/** What the timeline says of each step by keys: its total and its parts. */
async function steps({ page, at }) {
  const slider = at("timeline").getByRole("slider");
  await slider.focus();
  await page.keyboard.press("Home");
  const found = [];
  for (let last = Number(await slider.getAttribute("aria-valuemax")); found.length <= last; ) {
    const [time, total, source, ...parts] = (await slider.getAttribute("aria-valuetext")).split(", ");
    const named = parts.map((part) => /^(.+?) ([\d.]+ \S+)$/.exec(part));
    found.push({
      time,
      total: source ? amount(total) : null,
      parts: new Map(named.map(([, name, value]) => [name, amount(value)])),
    });
    await page.keyboard.press("ArrowRight");
  }
  return found;
}

const legend = async (at) => {
  await at("split-value").first().waitFor();
  return at("split-legend").locator("li").allTextContents();
};

test("parts of each step are those of the API, and others are what is left", async () => {
  const opened = await openPage(browser, address(CPU, { split: "pod" }));
  const { page, at, requests, end } = opened;
  const words = await legend(at);
  const asked = requests.map((request) => new URL(request.url));
  const { points } = Object.fromEntries(asked.find(({ pathname }) => pathname.endsWith("/timeline")).searchParams);
  const ofPods = asked.find(({ searchParams }) => searchParams.get("by") === "pod").searchParams;
  assert.deepEqual([ofPods.get("points"), ofPods.get("limit")], [points, String(SHOWN)]);
  const whole = await ask("timeline", { query: query(CPU), ...range, points });
  const { series } = await ask("series", { query: query(CPU), ...range, points, by: "pod", limit: 100 });
  assert.equal(series.length, PODS.length);
  assert.deepEqual(
    series.map(({ labels }) => labels.pod ?? ""),
    [...PODS].sort((a, b) => sumOf(PODS.indexOf(b)) - sumOf(PODS.indexOf(a))),
  );
  const all = whole.points.reduce((sum, point) => sum + point, 0);
  const shown = series.slice(0, SHOWN);
  const share = (total) => `${Number(((100 * total) / all).toFixed(1))} %`;
  const rest = all - shown.reduce((sum, { total }) => sum + total, 0);
  assert.deepEqual(
    words.map((text) => text.replace(/\s+/g, " ").trim()),
    [
      ...shown.map(({ labels, total }) => `${labels.pod} ${share(total)}`),
      `${PODS.length - SHOWN} others ${share(rest)}`,
    ],
  );
  const said = await steps(opened);
  const factor = Math.ceil(whole.points.length / said.length);
  const totals = merged(whole.points, factor);
  const [counts, covered] = [merged(whole.counts, factor), merged(whole.covered, factor)];
  const parts = new Map(shown.map(({ labels, points }) => [labels.pod, merged(points, factor)]));
  assert.equal(totals.length, said.length);
  assert.equal(counts.filter((count) => count > 0).length, MINUTES);
  for (const [i, step] of said.entries()) {
    if (covered[i] === 0) {
      assert.equal(step.total, null);
      continue;
    }
    // A load of CPU time is nanoseconds a second of the time that has profiles.
    const seconds = covered[i] / 1000;
    close(step.total * seconds, totals[i], step.time);
    let left = totals[i];
    for (const [name, values] of parts) {
      // What takes nothing is not named.
      if (values[i] === 0) assert.equal(step.parts.has(name), false);
      else close(step.parts.get(name) * seconds, values[i], `${step.time} ${name}`);
      left -= values[i];
    }
    close(step.parts.get("5 others") * seconds, left, `${step.time} others`);
  }
  // The areas: as high as the values, the largest at the bottom.
  const filled = counts.findIndex((count) => count > 0) + 4;
  const heights = await bandsAt(page, (filled + 0.5) / said.length);
  const expected = [...shown.map(({ points }) => merged(points, factor)[filled])].filter((value) => value > 0);
  expected.push(totals[filled] - expected.reduce((sum, value) => sum + value, 0));
  const high = heights.reduce((sum, height) => sum + height, 0);
  assert.equal(heights.length, expected.length, JSON.stringify(heights));
  for (const [i, height] of heights.entries())
    assert.ok(Math.abs(height - (expected[i] / totals[filled]) * high) <= 1.5, `${i}: ${heights}`);
  await page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/split.png` });
  await end();
});

const sumOf = (pod) => Array.from({ length: MINUTES }, (_, minute) => cost(pod, minute)).reduce((a, b) => a + b);

/** Heights of the colours in one column of the chart, from its bottom. */
function bandsAt(page, part) {
  return page.evaluate((part) => {
    const canvas = document.querySelector("[data-testid=timeline] canvas");
    const over = document.querySelector("[data-testid=timeline] .u-over");
    const ratio = devicePixelRatio;
    const x = Math.round((over.offsetLeft + over.clientWidth * part) * ratio);
    const [top, height] = [Math.round(over.offsetTop * ratio), Math.round(over.clientHeight * ratio)];
    const { data } = canvas.getContext("2d").getImageData(x, top, 1, height);
    const bands = [];
    for (let y = height - 1; y >= 0; y--) {
      const [r, g, b, a] = data.slice(4 * y, 4 * y + 4);
      // What is drawn of the bands covers all; a line between them is nothing of its own.
      const colour = a < 255 ? "" : `${r} ${g} ${b}`;
      if (bands.at(-1)?.colour === colour) bands.at(-1).height++;
      else bands.push({ colour, height: 1 });
    }
    return bands.filter(({ colour, height }) => colour && height > 1).map(({ height }) => height / ratio);
  }, part);
}

test("chosen by keys, kept by the address, and each value filters", async () => {
  const { page, at, end } = await openPage(browser, address(CPU));
  await at("split").waitFor();
  assert.deepEqual(await at("split").locator("option").allTextContents(), [
    "Split by: none",
    "Split by: pod",
    "Split by: zone",
  ]);
  const slider = at("timeline").getByRole("slider");
  assert.equal(await at("split-legend").count(), 0);
  await at("split").selectOption("zone");
  await page.waitForURL(/[?&]split=zone/);
  assert.deepEqual(
    (await legend(at)).map((text) => text.split(" ")[0]),
    ["a", "b"],
  );
  assert.match(await slider.getAttribute("aria-label"), /^Timeline, .*; by zone: a [\d.]+ %, b [\d.]+ %\./);
  await page.goBack();
  await at("split-legend").waitFor({ state: "detached" });
  assert.doesNotMatch(await slider.getAttribute("aria-label"), /by zone/);
  await page.goForward();
  await legend(at);
  await page.reload();
  await legend(at);
  assert.equal(await at("split").inputValue(), "zone");
  // It stays while one goes from panel to panel.
  await at("panel-labels").click();
  await at("label-name").filter({ hasText: "zone" }).click();
  await at("value-row").first().waitFor();
  const ofPanel = await at("value-table").locator('[data-value="a"]').getAttribute("style");
  const ofLegend = await at("split-legend").locator('[data-value="a"] .swatch').getAttribute("style");
  assert.equal(ofLegend, ofPanel, "a value has one colour");
  const value = at("split-value").and(page.locator('[data-value="b"]'));
  assert.equal(await value.getAttribute("title"), "Only zone=b");
  await value.focus();
  await page.keyboard.press("Enter");
  await page.waitForURL((address) => new URLSearchParams(address.search).get("l") === 'zone="b"');
  assert.equal(new URL(page.url()).searchParams.get("p"), "labels");
  await page.waitForFunction(() => document.querySelectorAll("[data-testid=split-value]").length === 1);
  assert.deepEqual(await legend(at), ["b 100 %"]);
  // The filter that is set shows so, and the same key takes it away.
  assert.equal(await value.getAttribute("title"), "Remove the filter zone=b");
  assert.equal(await value.getAttribute("aria-pressed"), "true");
  await at("value-filtered").click();
  await page.waitForURL((address) => !address.searchParams.has("l"));
  await page.goBack();
  await at("value-filtered").waitFor();
  assert.equal(await at("value-filter").count(), 0);
  await at("filters-add").click();
  const offered = (text) => at("filters").getByRole("button", { name: text, exact: true });
  await at("filters").getByLabel("Label").selectOption("zone");
  assert.deepEqual([await offered("a").isDisabled(), await offered("b").isDisabled()], [false, true]);
  // Both together would select nothing: the other value takes its place.
  const filtered = (filter) =>
    page.waitForURL((address) => new URLSearchParams(address.search).getAll("l").join() === filter);
  await offered("a").click();
  await filtered('zone="a"');
  await page.goBack();
  await filtered('zone="b"');
  await value.focus();
  await page.keyboard.press("Enter");
  await page.waitForURL((address) => !new URLSearchParams(address.search).has("l"));
  await page.waitForFunction(() => document.querySelectorAll("[data-testid=split-value]").length === 2);
  assert.equal(await value.getAttribute("aria-pressed"), "false");
  await end();
});

test("averages are lines and never a sum", async () => {
  const opened = await openPage(browser, address(IN_USE, { split: "pod" }));
  const { page, at, end } = opened;
  const words = (await legend(at)).map((text) => text.trim());
  const { series } = await ask("series", { query: query(IN_USE), ...range, points: 10, by: "pod", limit: 100 });
  assert.match(words[0], /^all [\d.]+ MiB$/);
  assert.equal(words.at(-1), `${PODS.length - SHOWN} more are not shown`);
  assert.equal(words.length, SHOWN + 2);
  for (const { labels, total, profiles } of series.slice(0, SHOWN)) {
    const word = words.find((text) => text.startsWith(`${labels.pod} `));
    close(amount(word.slice(labels.pod.length)), total / profiles, word);
  }
  const said = await steps(opened);
  const largest = said.flatMap(({ parts }) => [...parts.values()]);
  assert.ok(said.every(({ parts }) => !parts.has("5 others")));
  const peak = Number(await at("timeline").getAttribute("data-peak"));
  close(peak, Math.max(...largest), "the top is the largest average");
  await page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/split-gauge.png` });
  await end();
});

test("a part is chosen by dragging, and what is annotated stays marked", async () => {
  const text = `moved ${service}`;
  const body = JSON.stringify({ time: start + 3 * MINUTE, text, service });
  const kept = await fetch(`${url}/api/v1/annotations`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  assert.ok(kept.ok, await kept.text());
  const { page, at, end } = await openPage(browser, address(CPU, { split: "zone" }));
  const whole = await legend(at);
  const mark = at("timeline-mark").filter({ hasText: text });
  await mark.waitFor();
  await settled(page);
  const plot = await at("timeline").locator(".u-over").boundingBox();
  const tick = await mark.boundingBox();
  const x = (minute) => plot.x + (minute / MINUTES) * plot.width;
  assert.ok(Math.abs(tick.x - x(3)) < plot.width * 0.06, `${tick.x} instead of ${x(3)}`);
  const y = plot.y + plot.height / 2;
  await page.mouse.move(x(4), y);
  await at("timeline-tooltip").waitFor();
  assert.equal(await at("timeline-tooltip").locator("li").count(), 2);
  await page.mouse.down();
  await page.mouse.move(x(6), y, { steps: 4 });
  await page.mouse.up();
  await page.waitForURL(/[?&]w=\d+-\d+/);
  const [from, until] = new URL(page.url()).searchParams.get("w").split("-").map(Number);
  assert.ok(Math.abs(until - from - 2 * MINUTE) < MINUTE / 2, `${until - from}`);
  assert.deepEqual(await legend(at), ["For the whole range:", ...whole]);
  await page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/split-window.png` });
  await at("window").click();
  await page.waitForURL((address) => !new URLSearchParams(address.search).has("w"));
  assert.equal(new URL(page.url()).searchParams.get("split"), "zone");
  await end();
});

test("what fails or is unknown says so, and the timeline stays", async () => {
  const { page, at, end } = await openPage(browser, address(CPU));
  await at("split").waitFor();
  let fails = true;
  await page.route("**/api/v1/series?*", (route) =>
    fails && route.request().url().includes("by=pod")
      ? route.fulfill({ status: 500, body: "broken" })
      : route.continue(),
  );
  await at("split").selectOption("pod");
  await at("split-problem").waitFor();
  await at("timeline").locator("canvas").waitFor();
  assert.equal(await at("timeline-problem").count(), 0);
  fails = false;
  await at("split-problem").getByRole("button").click();
  await legend(at);
  await page.goto(url + address(CPU, { split: "nowhere" }));
  await at("split-note").filter({ hasText: "No profile in this range has the label nowhere." }).waitFor();
  await at("timeline").locator("canvas").waitFor();
  assert.equal(await at("split").inputValue(), "nowhere");
  await end(/500/);
});

test("what fingers press is large enough for them", async () => {
  for (const viewport of [
    { width: 390, height: 844 },
    { width: 1024, height: 768 },
  ]) {
    const options = { viewport, hasTouch: true, isMobile: true };
    const { page, at, end } = await openPage(browser, address(CPU, { split: "zone" }), options);
    await legend(at);
    await settled(page);
    await page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/split-touch-${viewport.width}.png` });
    for (const target of [at("split"), ...(await at("split-value").all())]) {
      const { width, height } = await target.boundingBox();
      assert.ok(width >= 44 && height >= 44, `${width} × ${height}`);
    }
    await end();
  }
});

test("on a phone all values are within reach and nothing is wider than the page", async () => {
  const viewport = { width: 390, height: 844 };
  for (const colorScheme of ["light", "dark"]) {
    const { page, at, end } = await openPage(browser, address(CPU, { split: "pod" }), { viewport, colorScheme });
    await legend(at);
    // What the page says above the timeline moves it.
    await settled(page);
    await page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/split-390-${colorScheme}.png` });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    const plot = await at("timeline").locator(".u-over").boundingBox();
    for (const part of [0.05, 0.5, 0.95]) {
      await page.mouse.move(plot.x + plot.width * part, plot.y + 20);
      await at("timeline-tooltip").waitFor();
      const tip = await at("timeline-tooltip").boundingBox();
      assert.ok(tip.x >= 0 && tip.x + tip.width <= 390, JSON.stringify(tip));
    }
    const last = at("split-value").last();
    await last.focus();
    const box = await last.boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= 390 && box.height >= 24, JSON.stringify(box));
    await end();
  }
});
