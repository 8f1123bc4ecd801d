/** One walk through the viewer in Firefox: a file is opened, seen in each view, searched, compared and exported. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { firefox } from "playwright-core";
import { amount, close, drawnFrames, openPage, own } from "./page.mjs";
import { callTree, functionsOf, nodesOf, readPprof } from "./pprof.mjs";

const FILES = [own("checkout-1.8.2.pb.gz"), own("checkout-1.9.0.pb.gz")];
const CPU = 1;

/** What Firefox itself asks the network for goes to a port where nobody listens; the loopback needs no proxy. */
const NO_NETWORK = Object.fromEntries([
  ["network.proxy.type", 1],
  ...["http", "ssl"].flatMap((kind) => [
    [`network.proxy.${kind}`, "127.0.0.1"],
    [`network.proxy.${kind}_port`, 9],
  ]),
]);

let browser;
before(async () => {
  // The browser as it is, driven by WebDriver BiDi.
  browser = await firefox.launch({
    channel: "moz-firefox",
    executablePath: process.env.FIREFOX,
    firefoxUserPrefs: NO_NETWORK,
  });
});
after(() => browser?.close());

test("a file is opened, seen in each view, searched, compared and exported", async () => {
  const opened = await openPage(browser, "/file");
  const { page, at, end } = opened;
  const profile = readPprof(FILES[0]);
  const root = callTree(profile, CPU);
  await at("open-file").setInputFiles(FILES[0]);
  const drawn = (await drawnFrames(page, root.total)).map(({ name, depth, total }) => `${depth} ${name} ${total}`);
  const known = new Set(nodesOf(root).map(({ name, depth, total }) => `${depth} ${name} ${total}`));
  assert.ok(drawn.length > 20, `${drawn.length} frames`);
  assert.deepEqual(
    drawn.filter((frame) => !known.has(frame)),
    [],
    "what is drawn is in the profile",
  );
  const colours = await at("flame").evaluate((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, 200);
    const found = new Set();
    for (let i = 0; i < data.length; i += 4) found.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
    return found.size;
  });
  assert.ok(colours > 20, `${colours} colours`);

  await at("flame").focus();
  for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await at("crumbs").waitFor();
  await page.keyboard.press("Home");
  await at("crumbs").waitFor({ state: "detached" });

  await page.keyboard.press("2");
  await at("row").first().locator(".name").waitFor();
  const [largest] = functionsOf(profile, CPU).sort((a, b) => b.self - a.self);
  const [name, self] = await at("row").first().locator("[role=cell]").allTextContents();
  assert.equal(name, largest.name);
  close(amount(self), largest.self, "self");

  await page.keyboard.press("4");
  await at("treeitem").nth(1).waitFor();
  await page.keyboard.press("5");
  await at("row").first().click();
  await at("callers").locator("tbody tr").first().waitFor({ state: "attached" });

  await page.keyboard.press("1");
  await page.keyboard.press("/");
  await at("search").fill("regexp");
  await at("search-result").filter({ hasText: "frame" }).waitFor();

  // What would be saved is read before the browser asks where to.
  await page.evaluate(() => {
    const make = URL.createObjectURL;
    URL.createObjectURL = (file) => {
      window.saved = file;
      return make(file);
    };
  });
  await at("export").click();
  await at("export-folded").click();
  await page.waitForFunction(() => window.saved);
  const folded = await page.evaluate(() => window.saved.text());
  const lines = folded.trimEnd().split("\n");
  assert.equal(
    lines.reduce((total, line) => total + Number(line.slice(line.lastIndexOf(" ") + 1)), 0),
    root.total,
  );

  await at("open-file").setInputFiles(FILES);
  await at("compare").click();
  await at("legend").waitFor();
  await end();
});
