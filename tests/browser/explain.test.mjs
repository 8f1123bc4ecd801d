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
  assert.match(first, /^render 40 % → 70 %/);
  await end();
});

test("a stored profile, by the server's model, when one asks", async () => {
  const { page, at, end } = await openPage(browser, "/file");
  const asked = [];
  let status = 502;
  await page.route("**/api/v1/explain?*", (route) => {
    const answer = (status, body) => route.fulfill({ status, json: body });
    if (route.request().method() === "GET") return answer(200, { model: "sage" });
    asked.push(route.request().postDataJSON());
    if (status !== 200) return answer(status, { code: "unavailable", message: "it answers 500" });
    return answer(200, { model: "sage", text: "Compile <b>once</b>.\n\nThen match." });
  });
  await page.goto(new URL("/explore?s=checkout", page.url()).href);
  await at("frames").locator("tbody tr").first().waitFor({ state: "attached" });
  await at("explain-button").click();
  await at("explain-ask").click();
  await at("problem").waitFor();
  status = 200;
  await at("explain-ask").click();
  await at("explain-said").waitFor();
  assert.equal(await at("explain-said").textContent(), "Compile <b>once</b>.\n\nThen match.");
  assert.equal(asked.length, 2);
  assert.match(asked[1].text, /^### checkout · CPU/i);
  assert.ok(!asked[1].text.includes("://"), "no address goes along");
  await page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/explain-model.png` });
  await end(/502/);
});

test("a file is asked about nowhere", async () => {
  const { page, at, requests, end } = await opened({ "explain-alone.folded": STACKS });
  await drawnFrames(page, 100);
  await at("explain-button").click();
  await at("explain-copy").waitFor();
  assert.equal(await at("explain-model").count(), 0);
  assert.ok(requests.every(({ url }) => !url.includes("/explain")));
  await end();
});
