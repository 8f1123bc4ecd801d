/** A person marks a moment by hand, sees it on the timeline, and takes it back. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { pushStacks } from "./answers.mjs";
import { launch, openPage, url } from "./page.mjs";

const minute = 60_000;
// Long ago: what is about all services is on the timelines of other tests, too.
const start = Math.floor(Date.now() / minute) * minute - 30 * 60 * minute;
const service = `byhand.${start}`;
const path = (more = {}) =>
  `/explore?${new URLSearchParams({ s: service, from: start, until: start + 10 * minute, ...more })}`;

let browser;
before(async () => {
  browser = await launch();
  for (let i = 0; i < 10; i++) await pushStacks(service, "main;work 3\n", (start + i * minute) / 1000);
});
after(() => browser?.close());

async function stored() {
  const range = { from: start, until: start + 10 * minute, service };
  const answer = await fetch(`${url}/api/v1/annotations?${new URLSearchParams(range)}`);
  return (await answer.json()).annotations.filter(({ text }) => text.includes(service));
}

test("by mouse, for this service, at what is selected", async () => {
  const text = `cache off, ${service}`;
  const { page, at, end } = await openPage(browser, path({ w: `${start + 3 * minute}-${start + 4 * minute}` }));
  await at("range").click();
  await at("annotate-open").click();
  await at("annotate-text").fill(text);
  await at("annotate-url").fill("https://wiki.example.com/cache");
  await page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/annotate.png` });
  await at("annotate-save").click();
  await at("annotate").waitFor({ state: "detached" });
  await at("timeline-mark").filter({ hasText: text }).waitFor();
  const [{ id, ...kept }] = await stored();
  assert.deepEqual(kept, { time: start + 3 * minute, text, service, url: "https://wiki.example.com/cache" });

  await at("range").click();
  await at("annotate-open").click();
  const listed = at("annotation").filter({ hasText: text });
  await listed.getByTestId("annotation-delete").click();
  assert.equal((await stored()).length, 1, "the first press only asks");
  await listed.getByTestId("annotation-delete").click();
  await listed.waitFor({ state: "detached" });
  await at("timeline-mark").filter({ hasText: text }).waitFor({ state: "detached" });
  assert.deepEqual(await stored(), []);
  await end();
});

test("what just happened is seen at once, also where the page was opened before", async () => {
  const [text, own] = [`just now, ${service}`, `live.${service}`];
  await pushStacks(own, "main;work 10\n", Math.floor(Date.now() / 1000) - 120);
  const { at, end } = await openPage(
    browser,
    `/explore?${new URLSearchParams({ s: own, t: "process_cpu:cpu:nanoseconds:cpu:nanoseconds" })}`,
  );
  await at("timeline").waitFor();
  const before = Date.now();
  await at("range").click();
  await at("annotate-open").click();
  await at("annotate-text").fill(text);
  await at("annotate-save").click();
  await at("timeline-mark").filter({ hasText: text }).waitFor();
  const range = { from: before - 1000, until: Date.now() + 1000, service: own };
  const answer = await fetch(`${url}/api/v1/annotations?${new URLSearchParams(range)}`);
  assert.deepEqual(
    (await answer.json()).annotations.filter((one) => one.service === own).map((one) => one.text),
    [text],
  );
  await end();
});

test("by keys, for all services, and refused where the token may not", async () => {
  const text = `moved, ${service}`;
  const { page, at, end } = await openPage(browser, path());
  let refuses = true;
  await page.route("**/api/v1/annotations?", (route) => {
    if (!refuses) return route.continue();
    const says = { code: "permission_denied", message: "this needs a token with the push scope" };
    return route.fulfill({ status: 403, json: says });
  });
  await at("range").focus();
  await page.keyboard.press("Enter");
  await at("annotate-open").focus();
  await page.keyboard.press("Enter");
  await at("annotate-text").waitFor();
  await page.keyboard.press("Enter");
  assert.equal(await at("annotate-text").evaluate((input) => input.validity.valueMissing), true);
  await page.keyboard.type(text);
  await at("annotate-about").selectOption("all");
  await at("annotate-text").focus();
  await page.keyboard.press("Enter");
  await at("annotate-problem").waitFor();
  assert.match(await at("annotate-problem").textContent(), /push scope/);
  refuses = false;
  await at("annotate-text").focus();
  await page.keyboard.press("Enter");
  await at("annotate").waitFor({ state: "detached" });
  await at("timeline-mark").filter({ hasText: text }).waitFor();
  const [{ id, service: about }] = await stored();
  assert.equal(about, undefined);
  assert.equal((await fetch(`${url}/api/v1/annotations?id=${id}`, { method: "DELETE" })).status, 204);
  await at("range").click();
  await at("annotate-open").click();
  await at("annotate-text").waitFor();
  await page.keyboard.press("Escape");
  await at("annotate").waitFor({ state: "detached" });
  await end(/403/);
});

for (const [colorScheme, width] of [
  ["light", 390],
  ["dark", 1400],
])
  test(`fits ${width} pixels, ${colorScheme}`, async () => {
    const { page, at, end } = await openPage(browser, path(), { colorScheme, viewport: { width, height: 844 } });
    await at("range").click();
    await at("annotate-open").click();
    await at("annotate-text").waitFor();
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing beyond the edge");
    await page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/annotate-${colorScheme}-${width}.png` });
    await end();
  });
