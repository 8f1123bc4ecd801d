/** Single profiles of a service over time and value, each one click from its flame graph, against what the API counts. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ask, pushStacks } from "./answers.mjs";
import { drawnFrames, launch, openPage } from "./page.mjs";

const CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
const TICK = 10_000_000;
const minute = 60_000;
const start = Math.floor(Date.now() / minute) * minute - 50 * minute;
const service = `singles.${start}`;
const range = { from: start, until: start + 40 * minute };
/** Value, in ticks, and start of each profile; the first stands on the first instant of the range. */
const PROFILES = Array.from({ length: 40 }, (_, i) => ({
  ticks: i === 17 ? 500 : 20 + (i % 7),
  time: start + i * minute,
}));
const path = (more = {}) =>
  `/explore?${new URLSearchParams({ s: service, t: CPU, from: range.from, until: range.until, p: "singles", ...more })}`;

let browser;
before(async () => {
  browser = await launch();
  for (const [i, { ticks, time }] of PROFILES.entries())
    await pushStacks(`${service}{pod=p${i % 2}}`, `main;work${i} ${ticks}\n`, time / 1000);
});
after(() => browser?.close());

test("every profile is in a cell, and the largest is a click away", async () => {
  const { page, at, end } = await openPage(browser, path());
  await at("singles-row").first().waitFor();
  const counts = await at("singles-cell").evaluateAll((cells) => cells.map(({ dataset }) => Number(dataset.count)));
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    PROFILES.length,
  );
  assert.match(await at("singles-count").textContent(), /^40 profiles by start time/);
  // 40 profiles in 40 columns: each has a cell of its own.
  assert.equal(await at("singles-listed").textContent(), "All profiles");
  const values = () => at("singles-row").evaluateAll((rows) => rows.map((row) => Number(row.dataset.value)));
  const inOrder = await values();
  await at("singles-by-value").click();
  assert.deepEqual(await values(), inOrder.toReversed(), "the smallest of the largest first");
  await at("singles-by-value").click();
  assert.deepEqual(await values(), inOrder);
  const largest = at("singles-row").first();
  assert.equal(await largest.getAttribute("data-value"), String(500 * TICK));
  const id = await largest.getAttribute("data-id");
  const message = {
    profileTypeID: CPU,
    labelSelector: `{service_name="${service}"}`,
    start: range.from,
    end: range.until,
  };
  const { flamegraph } = await ask("SelectMergeStacktraces", { ...message, profileIdSelector: [id] });
  assert.equal(Number(flamegraph.total), 500 * TICK, "the API finds the same by its id");
  await page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/singles.png` });

  // The highest cell is its own.
  const highest = at("singles-cell").filter({ has: page.locator("title", { hasText: "the largest 5 s" }) });
  await highest.click();
  const rows = await drawnFrames(page, 500 * TICK);
  assert.ok(rows.some(({ name }) => name === "work17"));
  assert.match(page.url(), /[?&]w=\d+-\d+/);
  await page.goBack();
  await at("singles-row").first().waitFor();

  await at("singles-row").first().getByRole("link").focus();
  await page.keyboard.press("Enter");
  await drawnFrames(page, 500 * TICK);
  await end();
});

test("filters hold, and a range without profiles says so", async () => {
  const filtered = await openPage(browser, path({ l: 'pod="p1"' }));
  await filtered.at("singles-row").first().waitFor();
  assert.match(await filtered.at("singles-count").textContent(), /^20 profiles by start time/);
  const labels = await filtered.page.locator(".singles-labels").allTextContents();
  assert.ok(labels.length > 0 && labels.every((text) => text.includes("pod=p1")));
  await filtered.end();

  const empty = await openPage(browser, path({ w: `${start + 41 * minute}-${start + 45 * minute}` }));
  await empty.at("panel-empty").waitFor();
  assert.match(await empty.at("panel-empty").textContent(), /No profiles of this type in this range/);
  await empty.end();
});

test("the table says that it has only the largest profile of each cell", async () => {
  const again = `${service}.pairs`;
  // Two of about the same value at about the same time share a cell.
  for (const [i, ticks] of [100, 101, 102, 103, 500].entries())
    await pushStacks(again, `main;work${i} ${ticks}\n`, start / 1000 + i);
  const { page, at, end } = await openPage(browser, path({ s: again }));
  await at("singles-row").first().waitFor();
  assert.equal(await at("singles-row").count(), 2);
  assert.match(await at("singles-count").textContent(), /^5 profiles /);
  assert.equal(await at("singles-listed").textContent(), "The largest profile of each cell");
  await page.getByRole("table", { name: "The largest profile of each cell" }).waitFor();
  await end();
});

for (const [colorScheme, width] of [
  ["light", 390],
  ["dark", 1400],
])
  test(`fits ${width} pixels, ${colorScheme}`, async () => {
    const { page, at, end } = await openPage(browser, path(), { colorScheme, viewport: { width, height: 844 } });
    await at("singles-row").first().waitFor();
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing beyond the edge");
    await page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/singles-${colorScheme}-${width}.png` });
    await end();
  });
