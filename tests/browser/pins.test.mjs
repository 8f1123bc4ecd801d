/** Profiles that are kept beyond their retention: pinned from the page of a service, given up in the settings. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { pushStacks } from "./answers.mjs";
import { drawnFrames, launch, openPage, url } from "./page.mjs";

const CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
const minute = 60_000;
const start = Math.floor(Date.now() / minute) * minute - 50 * minute;
const service = `pins.${start}`;
const range = { from: start, until: start + 10 * minute };
const path = (from, until) => `/explore?${new URLSearchParams({ s: service, t: CPU, from, until })}`;

let browser;
before(async () => {
  browser = await launch();
  await pushStacks(service, "main;work 10\n", start / 1000);
});
after(() => browser?.close());

const stored = async () =>
  (await (await fetch(`${url}/api/v1/pins`)).json()).pins.filter(({ text }) => text === service);

test("what is seen is kept, and given up", async () => {
  const { page, at, end } = await openPage(browser, path(range.from, range.until));
  await drawnFrames(page, 100_000_000);
  await at("range").click();
  await at("keep").click();
  await at("notice").filter({ hasText: "Pinned" }).waitFor();
  assert.deepEqual(await stored(), [{ ...range, text: service }]);
  await end();

  const home = await openPage(browser, "/");
  await home.at("settings-button").click();
  const pin = home.at("pin").filter({ hasText: service });
  await pin.waitFor();
  await home.page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/pins.png` });
  await pin.getByRole("button").click();
  await home.at("pin-delete").click();
  // Its text went when it asked.
  await home.at("pin-delete").waitFor({ state: "detached" });
  await pin.waitFor({ state: "detached" });
  assert.deepEqual(await stored(), []);
  await home.end();
});

test("more than a week is not kept at once", async () => {
  const { at, end } = await openPage(browser, path(range.from - 8 * 1440 * minute, range.until));
  await at("range").click();
  await at("keep").waitFor();
  assert.ok(await at("keep").isDisabled());
  await end();
});
