/** The docs that the site has under /docs: their links, their search, and what axe-core says of them. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { barriers } from "./axe.mjs";
import { launch, openPage } from "./page.mjs";

const site = fileURLToPath(new URL("../../site/dist", import.meta.url));
const built = readdirSync(join(site, "docs"), { recursive: true }).filter((name) => name.endsWith(".html"));

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

test("no link of the docs leads nowhere", () => {
  const texts = new Map(built.map((name) => [`/docs/${name}`, readFileSync(join(site, "docs", name), "utf8")]));
  assert.ok(texts.size > 50, `${texts.size} pages`);
  const files = new Set(readdirSync(site, { recursive: true }).map((name) => `/${name}`));
  const dead = [];
  for (const [page, text] of texts) {
    for (const [, link] of text.matchAll(/(?:href|src)="([^"]*)"/g)) {
      const { origin, pathname, hash } = new URL(link.replaceAll("&amp;", "&"), `http://site${page}`);
      if (origin !== "http://site") continue;
      const target = pathname.endsWith("/") ? `${pathname}index.html` : pathname;
      const anchor = decodeURIComponent(hash.slice(1));
      const isThere = files.has(target) && (!anchor || texts.get(target)?.includes(`id="${anchor}"`));
      if (!isThere) dead.push(`${page}: ${link}`);
    }
  }
  assert.deepEqual(dead, []);
});

test("the help of the site leads to the docs, whose search finds pages by a word", async () => {
  const { page, end } = await openPage(browser, "/file");
  await page.keyboard.press("?");
  const link = page.getByRole("link", { name: "Documentation" });
  await page.goto(await link.getAttribute("href"));
  for (const [word, wanted] of [
    ["retention", /\/operate(\.html)?#retention$/],
    ["JFR", /\/push(\.html)?#/],
    ["token", /\/security(\.html)?#/],
  ]) {
    await page.getByRole("searchbox").fill(word);
    const links = page.locator("#results a");
    await page.waitForFunction((word) => {
      const first = document.querySelector("#results:not([hidden]) mark");
      return first?.textContent.toLowerCase().includes(word.toLowerCase());
    }, word);
    const found = await links.evaluateAll((all) => all.map(({ href }) => href));
    assert.ok(
      found.some((href) => wanted.test(href)),
      `${word}: ${found}`,
    );
  }
  await page.getByRole("searchbox").fill("side by side");
  const phrase = page
    .locator("#results a")
    .first()
    .filter({ hasText: /^The viewer: Compare$/ });
  await phrase.waitFor();
  assert.match(await phrase.getAttribute("href"), /viewer(\.html)?#compare$/);
  assert.match(await page.locator("#results li").first().locator("p").textContent(), /side by side/i);
  await page.locator("#results a").first().click();
  await page.waitForURL(/#/);
  await page.locator(":target").waitFor();
  await end();
});

test("a page of the docs has no barriers, wide or narrow, light or dark", async () => {
  for (const [path, options] of [
    ["/docs/push.html", { colorScheme: "light" }],
    ["/docs/api.html", { colorScheme: "dark", viewport: { width: 390, height: 844 } }],
  ]) {
    const { page, end } = await openPage(browser, path, options);
    assert.deepEqual(await barriers(page), [], path);
    const [room, width] = await page.evaluate(() => [innerWidth, document.documentElement.scrollWidth]);
    assert.ok(width <= room, `${path} scrolls sideways: ${width} of ${room}`);
    await end();
  }
});
