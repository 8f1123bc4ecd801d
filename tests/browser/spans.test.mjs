/** Spans of a service, links from and to a system of traces, and the settings that such links need. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ask, push } from "./answers.mjs";
import { drawnFrames, launch, openPage, url } from "./page.mjs";
import { writePprof } from "./pprof.mjs";

const CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
const TICK = 10_000_000;
const minute = 60_000;
const start = Math.floor(Date.now() / minute) * minute - 40 * minute;
const service = `spans.${start}`;
const range = { from: start, until: start + 30 * minute };
const [TRACE, OTHER] = ["0af7651916cd43dd8448eb211c80319c", "1bf7651916cd43dd8448eb211c80319d"];
const SPANS = ["00f067aa0ba902b7", "00f067aa0ba902b8", "00f067aa0ba902b9"];
/** Ticks, span and trace of what each minute's profile has. */
const PUSHED = [
  [3, SPANS[0], TRACE],
  [40, SPANS[1], TRACE],
  [7, SPANS[2], OTHER],
];
const path = (more = {}) =>
  `/explore?${new URLSearchParams({ s: service, t: CPU, from: range.from, until: range.until, ...more })}`;
const setting = (call, message) =>
  fetch(`${url}/settings.v1.SettingsService/${call}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(message),
  });

let browser;
before(async () => {
  browser = await launch();
  for (const [i, [ticks, span_id, trace_id]] of PUSHED.entries()) {
    const lines = [`main;work${i} ${ticks * TICK}`];
    const profile = writePprof("cpu", "nanoseconds", lines, { span_id, trace_id });
    await push(`${service}{pod=p${i}}`, profile, (start + i * minute) / 1000);
  }
  await push(service, writePprof("cpu", "nanoseconds", [`main;idle ${100 * TICK}`]), (start + 5 * minute) / 1000);
});
after(async () => {
  await setting("Delete", { name: "pilotlight.trace-url" });
  await browser?.close();
});

test("every span is in a cell, and the largest is a click away", async () => {
  const { page, at, end } = await openPage(browser, path({ p: "singles" }));
  await at("singles-row").first().waitFor();
  assert.match(await at("singles-count").textContent(), /^4 profiles by start time/);
  await at("singles-spans").click();
  await page.getByText("3 spans by start time").waitFor();
  assert.match(page.url(), /[?&]by=span/);
  const values = await at("singles-row").evaluateAll((rows) => rows.map(({ dataset }) => Number(dataset.value)));
  assert.deepEqual(
    values,
    [40, 7, 3].map((ticks) => ticks * TICK),
  );
  await page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/spans.png` });
  await at("singles-row").first().getByRole("link").click();
  const rows = await drawnFrames(page, 40 * TICK);
  assert.deepEqual(
    rows.map(({ name }) => name),
    ["total", "main", "work1"],
  );
  const asked = new URL(page.url()).searchParams;
  assert.deepEqual([asked.getAll("span"), asked.getAll("trace")], [[SPANS[1]], [TRACE]]);
  const { flamegraph } = await ask("SelectMergeStacktraces", {
    profileTypeID: CPU,
    labelSelector: `{service_name="${service}"}`,
    start: range.from,
    end: range.until,
    spanSelector: [SPANS[1]],
  });
  assert.equal(Number(flamegraph.total), 40 * TICK, "the API finds the same");
  await end();
});

test("a link with a trace shows its samples, and each chip can be removed", async () => {
  const { page, at, end } = await openPage(browser, path({ trace: TRACE.toUpperCase() }));
  const rows = await drawnFrames(page, 43 * TICK);
  assert.deepEqual(rows.map(({ name }) => name).sort(), ["main", "total", "work0", "work1"]);
  await at("trace-chip").click();
  await drawnFrames(page, 150 * TICK);
  assert.equal(await at("link-chips").count(), 0);
  await page.goBack();
  await drawnFrames(page, 43 * TICK);
  await end();

  const unknown = await openPage(browser, path({ span: "00f067aa0ba902ff" }));
  await unknown.at("empty").waitFor();
  assert.match(await unknown.at("empty").textContent(), /No samples of span 00f067aa0ba902ff in this range/);
  await unknown.page.getByRole("button", { name: "Show all samples" }).click();
  await drawnFrames(unknown.page, 150 * TICK);
  await unknown.end();

  // What is no id is as if absent.
  const wrong = await openPage(browser, path({ span: "zz", trace: "1" }));
  await drawnFrames(wrong.page, 150 * TICK);
  await wrong.end();
});

test("where traces are is set once, for all", async () => {
  const { page, at, end } = await openPage(browser, path({ span: SPANS[0], trace: TRACE }));
  await drawnFrames(page, 3 * TICK);
  await at("trace-ask").click();
  await at("settings-trace").fill("https://traces.example/{trase}");
  await at("settings-save").click();
  assert.equal(await at("settings-trace").evaluate((input) => input.validity.customError), true);
  await at("settings-trace").fill("https://traces.example/{trace}?at={span}&of={service}");
  await page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/settings.png` });
  await at("settings-save").click();
  await at("settings").waitFor({ state: "detached" });
  assert.equal(
    await at("trace-link").getAttribute("href"),
    `https://traces.example/${TRACE}?at=${SPANS[0]}&of=${encodeURIComponent(service)}`,
  );
  await end();

  // Someone else has it too, and takes it back by keys alone.
  const other = await openPage(browser, "/");
  await other.at("settings-button").focus();
  await other.page.keyboard.press("Enter");
  await other.at("settings-trace").waitFor();
  assert.match(await other.at("settings-trace").inputValue(), /traces\.example/);
  await other.at("settings-trace").fill("");
  await other.page.keyboard.press("Enter");
  await other.at("settings").waitFor({ state: "detached" });
  await other.end();
  const { settings = [] } = await (await setting("Get", {})).json();
  assert.ok(settings.every(({ name }) => name !== "pilotlight.trace-url"));
});

test("a template that is no address of the web makes no link", async () => {
  await setting("Set", { setting: { name: "pilotlight.trace-url", value: "javascript:alert('{trace}')" } });
  const { page, at, end } = await openPage(browser, path({ trace: TRACE }));
  await drawnFrames(page, 43 * TICK);
  await at("trace-chip").waitFor();
  assert.equal(await at("trace-link").count(), 0);
  await end();
});

for (const [colorScheme, width] of [
  ["light", 390],
  ["dark", 1400],
])
  test(`fits ${width} pixels, ${colorScheme}`, async () => {
    const more = { span: SPANS[1], trace: TRACE };
    const { page, end } = await openPage(browser, path(more), { colorScheme, viewport: { width, height: 844 } });
    await drawnFrames(page, 40 * TICK);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing beyond the edge");
    await page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/spans-${colorScheme}-${width}.png` });
    await end();
  });
