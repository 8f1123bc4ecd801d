/** What a profile says in words: of a file, and of a comparison of two. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { drawnFrames, launch, openPage, own } from "./page.mjs";
import { writePprof } from "./pprof.mjs";
import { NO_RULE, RULES } from "./rules.mjs";

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

async function opened(files, query = "") {
  const page = await openPage(browser, `/file${query}`, { permissions: ["clipboard-read", "clipboard-write"] });
  await page.at("dropzone").waitFor({ state: "attached" });
  for (const [name, stacks] of Object.entries(files)) writeFileSync(own(name), folded(stacks));
  await page.at("open-file").setInputFiles(Object.keys(files).map(own));
  return page;
}

const lists = (at) =>
  at("explain-functions").evaluateAll((lists) =>
    lists.map((list) => [...list.children].map((item) => [...item.children].map((part) => part.textContent).join(" "))),
  );

const patterns = async (at) => {
  const items = await at("explain-patterns").locator("li").all();
  return Promise.all(
    items.map(async (item) => [
      await item.getByRole("button").textContent(),
      await item.locator("b").textContent(),
      await item.locator("p").textContent(),
    ]),
  );
};

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
  const [[name, said, advice], ...others] = await patterns(at);
  assert.deepEqual([name, said, others], ["JSON", "40 % (40 samples)", []]);
  assert.match(advice, /^Parse and write each message once/);
  await at("explain-copy").click();
  await at("notice").filter({ hasText: "Copied the summary as Markdown" }).waitFor();
  const text = await page.evaluate(() => navigator.clipboard.readText());
  for (const line of ["1. `render`: 40 %", "- JSON: 40 % (40 samples). Parse and write each message once"])
    assert.ok(text.includes(line), text);
  await page.keyboard.press("Escape");
  await at("search-result")
    .filter({ hasText: /^1 frame · 40 %/ })
    .waitFor();
  await at("explain-button").click();
  await at("explain-patterns").getByRole("button", { name: "JSON" }).click();
  await drawnFrames(page, 40);
  assert.equal(await at("step").count(), 1);
  assert.match(await at("steps-share").textContent(), /^40 % of 100/);
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
  assert.deepEqual(await patterns(at), [["JSON", "40 % → 20 % (40 samples → 40 samples)", ""]]);
  assert.match(await at("explain").textContent(), /100 samples → 200 samples/);
  await at("explain-patterns").getByRole("button", { name: "JSON" }).click();
  await at("steps-share").filter({ hasText: "40 % → 20 % of each side" }).waitFor();
  await end();
});

const ONE_EACH = (stacks) => Object.fromEntries(stacks.map((stack) => [stack, 1]));
const FIRES = Object.values(RULES).flatMap(({ fires }) => fires);
const shareOf = (part, whole) => `${((100 * part) / whole).toFixed(1).replace(/\.0$/, "")} %`;

test("each known pattern has its stacks and no others", async () => {
  const silent = Object.values(RULES).flatMap(({ silent }) => silent);
  const { page, at, end } = await opened({
    "explain-rules.folded": ONE_EACH(FIRES),
    "explain-silent.folded": ONE_EACH([...silent, ...NO_RULE]),
  });
  await page.getByRole("button", { name: "only", exact: true }).first().click();
  await drawnFrames(page, FIRES.length);
  await at("explain-button").click();
  await at("explain-copy").waitFor();
  const expected = Object.entries(RULES).map(([name, { fires }]) => ({ name, count: fires.length }));
  assert.deepEqual(
    (await patterns(at)).map(([name, said]) => [name, said]),
    expected
      .sort((a, b) => b.count - a.count)
      .map(({ name, count }) => [name, `${shareOf(count, FIRES.length)} (${count} sample${count > 1 ? "s" : ""})`]),
  );
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "only", exact: true }).last().click();
  await drawnFrames(page, silent.length + NO_RULE.length);
  await at("explain-button").click();
  await at("explain-copy").waitFor();
  assert.equal(await at("explain-patterns").count(), 0);
  await end();
});

test("delays of locks get no advice on CPU, also in a comparison", async () => {
  const { page, at, end } = await openPage(browser, "/file?m=compare&norm=0");
  await at("dropzone").waitFor({ state: "attached" });
  const lines = (delay) => [`main.main;encoding/json.Marshal;sync.(*Mutex).Unlock ${delay}`, "main.main;main.wait 100"];
  const paths = [100, 300].map((delay, i) => {
    const path = own(`explain-mutex-${i}.pb.gz`);
    writeFileSync(path, writePprof("delay", "nanoseconds", lines(delay)));
    return path;
  });
  await at("open-file").setInputFiles(paths);
  await at("legend").waitFor();
  await at("explain-button").click();
  await at("explain-copy").waitFor();
  const [[first, ...others]] = await lists(at);
  assert.match(first, /^sync\.\(\*Mutex\)\.Unlock/, "and not its callers, which changed with it");
  assert.deepEqual(others, []);
  assert.equal(await at("explain-patterns").count(), 0);
  await page.keyboard.press("Escape");
  await end();
});

test("a stack counts once in a pattern, and in each pattern that it is of", async () => {
  const { page, at, end } = await opened({
    "explain-overlap.folded": {
      "main.main;encoding/json.Marshal;encoding/json.Marshal;runtime.growslice;runtime.gcAssistAlloc": 30,
      "main.main;encoding/json.Marshal": 20,
      "main.main": 50,
    },
  });
  await drawnFrames(page, 100);
  await at("explain-button").click();
  await at("explain-copy").waitFor();
  assert.deepEqual(
    (await patterns(at)).map(([name, said]) => [name, said]),
    [
      ["JSON", "50 % (50 samples)"],
      ["Garbage collection", "30 % (30 samples)"],
      ["Growing arrays and maps", "30 % (30 samples)"],
    ],
  );
  assert.match(await at("explain").textContent(), /one stack can match several/);
  await end();
});

test("a comparison lists the patterns that changed, in shares and amounts", async () => {
  const { at, end } = await opened({
    "explain-fewer.folded": { "main.main;encoding/json.Marshal": 10, "main;work;(garbage collector)": 20, main: 70 },
    "explain-more.folded": { "main.main;encoding/json.Marshal": 35, "main;work;(garbage collector)": 20, main: 45 },
  });
  await at("compare").click();
  await at("legend").waitFor();
  await at("explain-button").click();
  await at("explain-copy").waitFor();
  const [[name, said, advice], ...others] = await patterns(at);
  assert.deepEqual([name, said, others], ["JSON", "10 % → 35 % (10 samples → 35 samples)", []]);
  assert.match(advice, /^Parse and write/);
  await end();
});

test("filters of the page hold for the patterns, and grouped or inverted frames still match", async () => {
  const { page, at, end } = await opened({ "explain-filtered.folded": STACKS }, "?f=ignore:idle&f=group:package&i=1");
  await drawnFrames(page, 80);
  await at("explain-button").click();
  await at("explain-copy").waitFor();
  assert.deepEqual(
    (await patterns(at)).map(([name, said]) => [name, said]),
    [["JSON", "50 % (40 samples)"]],
  );
  await at("explain-patterns").getByRole("button", { name: "JSON" }).click();
  await drawnFrames(page, 40);
  assert.match(await at("steps-share").textContent(), /^40 % of 100/);
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
  assert.ok(requests.every(({ url }) => !url.includes("/api/v1/explain")));
  await end();
});
