/** What one looks at is saved under a name for everyone, with a short link, and listed on the front page and in the settings. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { pushStacks } from "./answers.mjs";
import { drawnFrames, launch, openPage, settled, url } from "./page.mjs";

const CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
const minute = 60_000;
const start = Math.floor(Date.now() / minute) * minute - 40 * minute;
const service = `saved.${start}`;
const name = `slow orders, ${service}`;
const path = `/explore?${new URLSearchParams({ s: service, t: CPU, from: start, until: start + 10 * minute, q: "work" })}`;

let browser;
before(async () => {
  browser = await launch();
  await pushStacks(service, "main;work 10\n", start / 1000);
});
after(() => browser?.close());

test("every panel of a service, and a comparison without an answer, has a link and is saved", async () => {
  const permissions = ["clipboard-read", "clipboard-write"];
  const { page, at, end } = await openPage(browser, path, { permissions });
  // A notice may be that of the panel before.
  const copied = () =>
    page.evaluate(async () => {
      for (;;) {
        const text = await navigator.clipboard.readText();
        if (text !== "") return text;
        await new Promise(requestAnimationFrame);
      }
    });
  for (const panel of ["types", "labels", "changes", "function", "singles"]) {
    await at(`panel-${panel}`).click();
    await page.waitForURL((address) => address.searchParams.get("p") === panel);
    await at("share").click();
    await page.evaluate(() => navigator.clipboard.writeText(""));
    await at("copy-link").click();
    assert.equal(await copied(), page.url());
  }
  await at("panel-labels").click();
  await page.waitForURL(/[?&]p=labels/);
  await at("share").click();
  await at("save-view").click();
  await at("save-view-name").fill(`labels, ${service}`);
  await page.keyboard.press("Enter");
  await at("notice").filter({ hasText: "a short link" }).waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  await end();

  const short = await openPage(browser, link.slice(url.length));
  await short.at("labels-panel").waitFor();
  await short.end();

  const compared = await openPage(browser, `/diff?${new URLSearchParams({ s: "nothing here", t: CPU })}`);
  await compared.at("share").click();
  await compared.at("save-view").waitFor();
  await compared.end();

  // Of nothing there is no view.
  const nobody = await openPage(browser, "/explore?s=nobody");
  await nobody.at("share").click();
  await nobody.at("copy-link").waitFor();
  await settled(nobody.page);
  assert.equal(await nobody.at("save-view").count(), 0);
  await nobody.end();
});

test("saved, opened by its short link and from the front page, deleted", async () => {
  const permissions = ["clipboard-read", "clipboard-write"];
  const { page, at, end } = await openPage(browser, path, { permissions });
  await drawnFrames(page, 100_000_000);
  await at("share").click();
  await at("save-view").click();
  await at("save-view-name").fill(name);
  await page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/save-view.png` });
  await page.keyboard.press("Enter");
  await at("notice").filter({ hasText: "a short link" }).waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(link, /\/\?view=[a-z0-9]{6}$/);
  await at("share").click();
  await at("save-view").click();
  await at("save-view-name").fill(name);
  await page.keyboard.press("Enter");
  await page
    .getByRole("alert")
    .filter({ hasText: `A view named “${name}” exists.` })
    .waitFor();
  const queryOf = (page) => Object.fromEntries(new URL(page.url()).searchParams);
  const seen = queryOf(page);
  await end();

  const short = await openPage(browser, link.slice(url.length));
  await drawnFrames(short.page, 100_000_000);
  assert.deepEqual(queryOf(short.page), seen);
  await short.end();

  const front = await openPage(browser, "/");
  const listed = front.page.getByRole("main").getByTestId("saved-view").filter({ hasText: name });
  await listed.waitFor();
  await listed.getByRole("link").click();
  await drawnFrames(front.page, 100_000_000);
  await front.end();

  const home = await openPage(browser, "/");
  // What comes late stands below, and moves nothing under the hand of who presses.
  let answer;
  const held = new Promise((resolve) => (answer = resolve));
  await home.page.route(/api\/v1\/pins/, (route) => held.then(() => route.continue()));
  await home.at("settings-button").click();
  const saved = home.at("settings").getByTestId("saved-view").filter({ hasText: name });
  await saved.waitFor();
  const before = await saved.boundingBox();
  const kept = home.page.getByRole("region", { name: "Pinned" }).locator("p, li");
  assert.equal(await kept.count(), 0);
  answer();
  await kept.first().waitFor();
  assert.deepEqual(await saved.boundingBox(), before, "it stays where it was");
  await saved.getByRole("link").click();
  await drawnFrames(home.page, 100_000_000);
  assert.equal(await home.at("settings").count(), 0, "the list is closed");
  await home.page.goBack();
  await home.at("settings-button").click();
  await saved.getByTitle(`Delete ${name}`).click();
  await home.page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/saved-views.png` });
  await saved.getByTestId("delete-view").click();
  await saved.waitFor({ state: "detached" });
  await home.end();

  const gone = await openPage(browser, link.slice(url.length));
  await gone.at("view-unknown").waitFor();
  await gone.page.getByRole("button", { name: "All services" }).click();
  await gone.at("view-unknown").waitFor({ state: "detached" });
  assert.equal(new URL(gone.page.url()).search, "");
  await gone.end();
});
