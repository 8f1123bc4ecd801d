/** Services and their history, as the demo pushed it: found, drawn, filtered, compared. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { amount, close, drawnFrames, launch, openPage, settled, url } from "./page.mjs";

const CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
const SERVICES = ["catalog", "checkout", "email-worker", "payments"];

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

/** What the server says over its older API, which knows nothing of the site. */
async function ticks(selector, from, until) {
  const query = new URLSearchParams({ query: `${CPU}${selector}`, from: String(from), until: String(until) });
  const answer = await fetch(`${url}/pyroscope/render?${query}`);
  assert.equal(answer.status, 200);
  return (await answer.json()).flamebearer.numTicks;
}

test("the front page lists the services with their totals", async () => {
  const { page, at, end } = await openPage(browser, "/");
  assert.match(await page.title(), /Pilotlight/);
  await at("service-card").first().waitFor();
  const cards = await at("service-card").evaluateAll((cards) =>
    cards.map((card) => ({
      name: card.querySelector(".card-name").textContent,
      total: card.querySelector(".card-total").textContent,
    })),
  );
  for (const name of SERVICES) {
    const card = cards.find((card) => card.name === name);
    assert.ok(card, `${name} is among ${cards.map((card) => card.name)}`);
    assert.ok(amount(card.total) > 60e9, `${name}: ${card.total}`);
  }
  await at("dropzone").waitFor({ state: "attached" });
  await end();
});

test("a service opens with its timeline and flame graph", async () => {
  const { page, at, end } = await openPage(browser, "/");
  await at("service-card").filter({ hasText: "checkout" }).click();
  await page.waitForURL(/\/explore\?s=checkout/);
  await at("timeline").locator("canvas").waitFor();
  await at("frames").locator("tr", { hasText: "net/http.(*conn).serve" }).first().waitFor({ state: "attached" });
  const deepest = await at("frames")
    .locator("tbody tr")
    .evaluateAll((rows) => Math.max(...rows.map((row) => Number(row.cells[1].textContent))));
  assert.ok(deepest >= 12, `the stacks are ${deepest} deep`);
  const facts = await at("facts").textContent();
  assert.match(facts, /profiles/);
  assert.match(facts, /[\d,]+ frames ·/);
  await end();
});

test("a fixed range has exactly the total that the server has, and filters narrow it", async () => {
  const until = Math.floor(Date.now() / 1000) - 60;
  const from = until - 1800;
  const range = `from=${from * 1000}&until=${until * 1000}`;
  const whole = await ticks('{service_name="checkout"}', from, until);
  const eu = await ticks('{service_name="checkout",region="eu"}', from, until);
  assert.ok(0 < eu && eu < whole);
  const { page, at, end } = await openPage(browser, `/explore?s=checkout&t=${CPU}&${range}`);
  await drawnFrames(page, whole);
  await page.goto(`${url}/explore?s=checkout&t=${CPU}&${range}&l=${encodeURIComponent('region="eu"')}`);
  await drawnFrames(page, eu);
  assert.match(await at("filters").textContent(), /region/);
  await end();
});

test("part of the timeline is chosen by dragging", async () => {
  const { page, at, end } = await openPage(browser, `/explore?s=checkout&t=${CPU}`);
  const canvas = at("timeline").locator("canvas").first();
  await canvas.waitFor();
  await at("frames").locator("tbody tr").first().waitFor({ state: "attached" });
  const total = () => at("frames").locator("tbody tr").first().getAttribute("data-total");
  const before = Number(await total());
  await settled(page);
  const box = await canvas.boundingBox();
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * 0.3, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.4, y, { steps: 5 });
  await page.mouse.move(box.x + box.width * 0.5, y, { steps: 5 });
  await page.mouse.up();
  await page.waitForURL(/[?&]w=\d+-\d+/);
  await page.waitForFunction(
    (before) => Number(document.querySelector("[data-testid=frames] tbody tr")?.dataset.total ?? before) < before,
    before,
  );
  const [, left, right] = /[?&]w=(\d+)-(\d+)/.exec(page.url());
  const part = Number(await total());
  close(part, await ticks('{service_name="checkout"}', left, right), "total of the window");
  await at("window").click();
  await page.waitForURL((url) => !url.searchParams.has("w"));
  await end();
});

test("before and after the deploy are compared", async () => {
  const now = Date.now();
  const minutes = (n) => now - n * 60_000;
  const sides = `from=${minutes(50)}&until=${minutes(28)}&from2=${minutes(22)}&until2=${now}`;
  const { page, at, end } = await openPage(browser, `/diff?s=checkout&t=${CPU}&${sides}`);
  await at("legend").waitFor();
  await at("frames").locator("tr", { hasText: "regexp.compile" }).first().waitFor({ state: "attached" });
  await page.keyboard.press("2");
  await at("sort-delta").waitFor();
  await at("row").filter({ hasText: "matchesPattern" }).first().waitFor();
  const first = await at("row").evaluateAll((rows) =>
    rows.slice(0, 12).map((row) => row.querySelector(".name")?.textContent ?? ""),
  );
  assert.ok(
    first.some((name) => /regexp|priceWithDiscounts|matchesPattern/.test(name)),
    `what grew most: ${first}`,
  );
  await end();
});

test("a range without data says so", async () => {
  const { at, end } = await openPage(browser, `/explore?s=checkout&t=${CPU}&from=1500000000000&until=1500003600000`);
  await at("empty").waitFor();
  await end();
});

test("a filter that cannot be read is explained", async () => {
  const { at, end } = await openPage(browser, `/explore?s=checkout&t=${CPU}&l=${encodeURIComponent('region=~"("')}`);
  await at("problem").first().waitFor();
  assert.match(await at("problem").first().textContent(), /selector/);
  await end(/status of 400/);
});

test("a link shows the other person the same", async () => {
  const { page, at, end } = await openPage(browser, `/explore?s=payments&t=${CPU}&v=both&q=serde`);
  await at("search-result").filter({ hasText: "frame" }).waitFor();
  assert.equal(await at("search").inputValue(), "serde");
  await at("table").waitFor();
  await at("flame").waitFor();
  const link = page.url();
  await page.reload();
  await at("search-result").filter({ hasText: "frame" }).waitFor();
  assert.equal(page.url(), link);
  await end();
});
