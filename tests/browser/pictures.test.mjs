/**
 * Pictures of the pages, to be looked at: light and dark, wide and narrow. What can be checked by machine is: nothing sticks
 * out sideways, and the page has drawn. With BLESS=1 the README's pictures are made anew.
 */
import assert from "node:assert/strict";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { drop, launch, openPage, own, settled } from "./page.mjs";
import { zip } from "./zip.mjs";

const CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
const image = (name) => new URL(`../../docs/images/${name}`, import.meta.url).pathname;
/** The README's pictures, by the screenshots that they are copies of. */
const README = { "explore-light-1400": image("explore.png"), "explore-dark-1400": image("explore-dark.png") };
const deploy = () => {
  const minutes = (n) => Date.now() - n * 60_000;
  return `from=${minutes(50)}&until=${minutes(28)}&from2=${minutes(22)}&until2=${Date.now()}`;
};
const drawn = ({ page, at }) =>
  at("frames")
    .locator("tbody tr")
    .nth(3)
    .waitFor({ state: "attached" })
    .then(() => settled(page));
const click = async ({ page, at }, name) => {
  await drawn({ page, at });
  await at("frames").locator("tr", { hasText: name }).first().waitFor({ state: "attached" });
  await page.keyboard.press("/");
  await at("search").fill(name);
  await at("search-result").filter({ hasText: "frame" }).waitFor();
  await at("search").press("Enter");
  await at("search-result").filter({ hasText: "1 of" }).waitFor();
  await at("search").press("Escape");
  await at("flame").focus();
  await page.keyboard.press(" ");
  await at("drawer").waitFor();
  // The ring around what has the focus is right, and not what a picture should show.
  await page.evaluate(() => document.activeElement.blur());
  await settled(page);
};

const PAGES = [
  ["home", () => "/", ({ at }) => at("service-card").nth(3).waitFor()],
  ["explore", () => `/explore?s=checkout&t=${CPU}`, (opened) => click(opened, "priceWithDiscounts")],
  ["both", () => `/explore?s=catalog&t=${CPU}&v=both&q=lucene`, drawn],
  [
    "steps",
    () => `/explore?s=checkout&t=${CPU}&f=ignore:^runtime\\.&f=group:package&f=hide:nothing`,
    async (opened) => {
      await drawn(opened);
      await opened.at("step").nth(2).waitFor();
    },
  ],
  ["inverted", () => `/explore?s=checkout&t=${CPU}&i=1`, drawn],
  [
    "tree",
    () => `/explore?s=checkout&t=${CPU}&v=tree`,
    async ({ page, at }) => {
      await at("treeitem").nth(1).waitFor();
      await page.getByRole("tree", { name: "Call tree" }).focus();
      for (let i = 0; i < 6; i++) {
        await page.keyboard.press("ArrowRight");
        await settled(page);
      }
    },
  ],
  [
    "sandwich",
    () => `/explore?s=checkout&t=${CPU}&v=sandwich&b=runtime.mallocgc`,
    async ({ page, at }) => {
      await at("callees").locator("tbody tr").first().waitFor({ state: "attached" });
      await settled(page);
    },
  ],
  ["diff", () => `/diff?s=checkout&t=${CPU}&${deploy()}`, drawn],
  [
    "file",
    () => "/file",
    async (opened) => {
      await drop(opened.page, own("checkout-1.8.2.pb.gz"), own("checkout-1.9.0.pb.gz"));
      await drawn(opened);
    },
  ],
  [
    "file-export",
    () => "/file",
    async (opened) => {
      await drop(opened.page, own("checkout-1.8.2.pb.gz"));
      await drawn(opened);
      await opened.at("export").click();
      await opened.at("export-png").waitFor();
    },
  ],
  [
    "file-share",
    () => "/file",
    async (opened) => {
      await drop(opened.page, own("checkout-1.8.2.pb.gz"));
      await drawn(opened);
      await opened.at("share").click();
      await settled(opened.page);
    },
  ],
  [
    "archive",
    () => "/file",
    async (opened) => {
      const files = ["checkout-1.8.2.pb.gz", "checkout-1.9.0.pb.gz"].map((name) => ({
        name,
        bytes: readFileSync(own(name)),
      }));
      const more = { ...files[1], name: "night/checkout-1.9.0-again.pb.gz" };
      const note = { name: "notes.md", bytes: Buffer.from("# Results") };
      writeFileSync(own("night.zip"), zip([...files, more, note]));
      await drop(opened.page, own("night.zip"));
      await drawn(opened);
      await opened.at("compare").click();
      await opened.at("legend").waitFor();
      await drawn(opened);
    },
  ],
  ["empty", () => "/file", ({ at }) => at("open-folder").waitFor({ state: "attached" })],
  [
    "address",
    () => "/file#profileURL=https://artifacts.example.com/night/cpu.pb.gz",
    async (opened) => {
      await opened.at("problem").waitFor();
    },
  ],
  [
    "problem",
    () => "/file",
    async (opened) => {
      await drop(opened.page, new URL("run.mjs", import.meta.url).pathname);
      await opened.at("problem").waitFor();
    },
  ],
];

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

const LOOKS = [
  ["light", 1400],
  ["dark", 1400],
  ["dark", 390],
  ["light", 390],
];

for (const [name, path, ready] of PAGES) {
  test(`${name}, light and dark, 1400 and 390 wide`, async () => {
    const opened = await openPage(browser, path(), { colorScheme: "light", deviceScaleFactor: 2 });
    const { page } = opened;
    await ready(opened);
    for (const [colorScheme, width] of LOOKS) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
      await settled(page);
      const shot = `${name}-${colorScheme}-${width}`;
      const picture = join(process.env.PILOTLIGHT_SHOTS, `${shot}.png`);
      await page.screenshot({ path: picture });
      if (process.env.BLESS && README[shot]) copyFileSync(picture, README[shot]);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `in ${colorScheme}, the page is ${wide} pixels wide of ${width}`);
    }
    await opened.end(/Content Security Policy|violates/);
  });
}
