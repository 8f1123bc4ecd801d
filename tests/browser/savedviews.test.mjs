/** What one looks at is saved under a name for everyone, with a short link, and listed in the settings. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { pushStacks } from "./answers.mjs";
import { drawnFrames, launch, openPage, url } from "./page.mjs";

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
  const queryOf = (page) => Object.fromEntries(new URL(page.url()).searchParams);
  const seen = queryOf(page);
  await end();

  const short = await openPage(browser, link.slice(url.length));
  await drawnFrames(short.page, 100_000_000);
  assert.deepEqual(queryOf(short.page), seen);
  await short.end();

  const home = await openPage(browser, "/");
  await home.at("settings-button").click();
  const saved = home.at("saved-view").filter({ hasText: name });
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
