/**
 * What people come with, from the front page, without typing: which service got slower, since when and in which function, and
 * what a spike was. On the demo, whose deploy and crawler are known, in ranges in which nobody knows where to look.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CLOCK_TIME, minutesFrom } from "./clocktime.mjs";
import { launch, openPage, settled, url } from "./page.mjs";

const CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
const MINUTE = 60_000;

let browser;
/** When the demo's new version began. */
let deploy = 0;
before(async () => {
  browser = await launch();
  const until = Date.now();
  const asked = {
    query: `${CPU}{service_name="checkout",version="1.9.0"}`,
    from: until - 180 * MINUTE,
    until,
    points: 720,
  };
  const answer = await fetch(`${url}/api/v1/timeline?${new URLSearchParams(asked)}`);
  const { start, step, counts } = await answer.json();
  deploy = start + counts.findIndex((count) => count > 0) * step;
});
after(() => browser?.close());

const card = ({ at }, service) => at("service-card").filter({ hasText: service });
const found = ({ page }) => page.waitForSelector("[data-testid=changes][data-state=ready]");

for (const [range, tolerance] of [
  ["now-3h", 1],
  ["now-6h", 1],
  ["now-24h", 4],
])
  for (const width of range === "now-6h" ? [1440, 390] : [1440])
    test(`which service got slower, when and in which function: ${range}, ${width} wide`, async () => {
      const opened = await openPage(browser, `/?from=${range}&o=-delta`, { viewport: { width, height: 844 } });
      const { page, at, end } = opened;
      const change = card(opened, "checkout").getByTestId("card-change");
      // It may be below the window, where cards are not laid out.
      await card(opened, "checkout").locator("[data-kind=deploy]").waitFor({ state: "attached" });
      await settled(page);
      const text = await change.textContent();
      assert.match(text, /^\+\d+(\.\d)? % since .*\d\d:\d\d \(1\.9\.0\)$/);
      assert.ok(minutesFrom(text, deploy) <= tolerance, `${text}, and it was at ${new Date(deploy).toISOString()}`);
      // The first click is the last: what is named is the function that the demo's deploy broke.
      await change.click();
      await found(opened);
      const summary = await at("changes-summary").textContent();
      assert.match(summary, /^\+\d.*cores, .* of it in .*matchesPattern/);
      assert.match(summary, new RegExp(`First profile of version 1\\.9\\.0 in this range: ${CLOCK_TIME}\\.`));
      await end();
    });

test("a spike of three minutes is named with its time, and what it was is a click away", async () => {
  const opened = await openPage(browser, "/?from=now-3h");
  const { page, at, end } = opened;
  await card(opened, "catalog").locator("[data-kind=spike]").waitFor({ state: "attached" });
  const change = card(opened, "catalog").getByTestId("card-change");
  const text = await change.textContent();
  const crawled = deploy - 23 * MINUTE;
  assert.match(text, /^\+\d+ % at .*\d\d:\d\d for about (2|2\.5|3|3\.5|4) min$/);
  assert.ok(minutesFrom(text, crawled) <= 1, `${text}, and it was at ${new Date(crawled).toISOString()}`);
  await change.click();
  await found(opened);
  assert.match(await at("changes-summary").textContent(), /^\+\d.* → /);
  // What changed finds it as well, where nobody has pointed at it.
  await page.goto(`${url}/explore?s=catalog&t=${CPU}&from=now-3h&p=changes`);
  await found(opened);
  assert.equal(await at("changes-by").locator("option:checked").textContent(), "spike ↔ before");
  await end();
});

test("on a phone the picture has half of the height, and stays where it is when a part of the range is chosen", async () => {
  const path = `/explore?s=checkout&t=${CPU}&from=now-3h`;
  const { page, at, end } = await openPage(browser, path, { viewport: { width: 390, height: 844 } });
  await at("timeline-mark").first().waitFor({ state: "attached" });
  await settled(page);
  const place = async () => {
    const { y, height } = await at("flame").boundingBox();
    return { y, height };
  };
  const before = await place();
  assert.ok(2 * before.height >= 844, `${before.height} of 844 pixels`);
  const plot = await at("timeline").boundingBox();
  await page.mouse.move(plot.x + 290, plot.y + 30);
  await page.mouse.down();
  await page.mouse.move(plot.x + 360, plot.y + 30, { steps: 4 });
  await page.mouse.up();
  await at("window").waitFor();
  await settled(page);
  assert.deepEqual(await place(), before);
  assert.ok(await at("window").evaluate((chip) => chip.scrollWidth <= chip.clientWidth), "both of its ends are seen");
  // The range gives way to what ends the selection.
  assert.equal(await at("range").isVisible(), false);
  await page.getByRole("button", { name: /^Clear the selected time \S/ }).click();
  await at("range").waitFor();
  await end();
});

test("comparing begins at the deploy, in cores, and what did not change stays grey", async () => {
  const opened = await openPage(browser, `/explore?s=checkout&t=${CPU}&from=now-3h`);
  const { page, at, end } = opened;
  await at("timeline-mark").first().waitFor();
  await at("compare").click();
  await page.waitForURL(/\/diff\?/);
  await at("legend").waitFor();
  const params = new URL(page.url()).searchParams;
  // A step in which both versions ran is on neither side.
  const [until, from] = ["until", "from2"].map((name) => Number(params.get(name)));
  assert.ok(until <= from && from - until <= MINUTE, `${from - until} ms`);
  assert.ok(Math.abs(until - deploy) <= MINUTE);
  assert.equal(await at("measure").inputValue(), "rate");
  assert.match(await at("diff-totals").textContent(), /→ .*cores \+\d/);
  const [before, after] = (await at("diff-totals").textContent())
    .match(/([\d.]+) (?:cores )?→ ([\d.]+) cores/)
    .slice(1)
    .map(Number);
  // Nine tenths of a core and 35 % more in the other region, in waves.
  assert.ok(before > 1.6 && before < 2.7 && after > 1.2 * before, `${before} → ${after} cores`);
  await end();
});
