/** What a profile says in words: of a file, and of a comparison of two. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { drawnFrames, launch, openPage, own } from "./page.mjs";

const STACKS = {
  "main;serve;json.loads": 30,
  "main;serve;json.loads;_int_malloc": 10,
  "main;serve;render": 40,
  "main;idle": 20,
};
const folded = (stacks) =>
  Object.entries(stacks)
    .map(([stack, value]) => `${stack} ${value}\n`)
    .join("");

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

async function opened(files) {
  const page = await openPage(browser, "/file", { permissions: ["clipboard-read", "clipboard-write"] });
  await page.at("dropzone").waitFor({ state: "attached" });
  for (const [name, stacks] of Object.entries(files)) writeFileSync(own(name), folded(stacks));
  await page.at("open-file").setInputFiles(Object.keys(files).map(own));
  return page;
}

const lists = (at) =>
  at("explain-functions").evaluateAll((lists) =>
    lists.map((list) => [...list.children].map((item) => [...item.children].map((part) => part.textContent).join(" "))),
  );

test("a profile, in words", async () => {
  const { page, at, end } = await opened({ "explain.folded": STACKS });
  await drawnFrames(page, 100);
  await at("search").fill("render");
  await at("search-result")
    .filter({ hasText: /^1 frame/ })
    .waitFor();
  await at("explain-button").click();
  await at("explain-copy").waitFor();
  assert.deepEqual(await lists(at), [
    ["render 40 %", "json.loads 30 %", "idle 20 %", "_int_malloc 10 %"],
    ["serve 80 %", "json.loads 40 %"],
  ]);
  const patterns = await at("explain-patterns").locator("li").allTextContents();
  assert.deepEqual(
    patterns.map((text) => /^.* \d+ %/.exec(text)[0]),
    ["JSON 40 %", "Allocating memory 10 %"],
  );
  await at("explain-copy").click();
  await at("notice").filter({ hasText: "Copied the summary as Markdown" }).waitFor();
  const text = await page.evaluate(() => navigator.clipboard.readText());
  for (const line of ["1. `render`: 40 %", "- JSON: 40 %. Decode only what is used"])
    assert.ok(text.includes(line), text);
  await page.keyboard.press("Escape");
  await at("search-result")
    .filter({ hasText: /^1 frame · 40 %/ })
    .waitFor();
  await at("explain-button").click();
  await at("explain-patterns").getByRole("button", { name: "JSON" }).click();
  await at("search-result")
    .filter({ hasText: /^1 frame · 40 %/ })
    .waitFor();
  assert.match(page.url(), /q=/);
  await end();
});

test("a comparison, in words", async () => {
  const { at, end } = await opened({
    "explain-before.folded": STACKS,
    "explain-after.folded": { ...STACKS, "main;serve;render": 140 },
  });
  await at("compare").click();
  await at("legend").waitFor();
  await at("explain-button").click();
  await at("explain-copy").waitFor();
  const [[first]] = await lists(at);
  assert.equal(first, "render 40 → 70 (+75 %)");
  await end();
});
