/** Profiles of shapes and sizes at which viewers break. Each is drawn, gone through by keys, and keeps the page answering. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { HANG_MILLIS, longTasks, watchTasks } from "./longtasks.mjs";
import { deep, labelled, large, wide } from "./made.mjs";
import { drawnFrames, exported, launch, offline, openPage, own } from "./page.mjs";

const DEPTH = 5000;
const CALLEES = 200_000;

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

/** A page with a file that was made for it. `calm` says what the page's thread was busy with since it was last asked. */
async function opened(t, name, bytes, total) {
  writeFileSync(own(name), bytes);
  const page = await openPage(browser, "/file");
  await page.at("dropzone").waitFor({ state: "attached" });
  await watchTasks(page.page);
  await page.at("open-file").setInputFiles(own(name));
  const frames = await drawnFrames(page.page, total);
  const calm = async (what, most = HANG_MILLIS) => {
    const tasks = await longTasks(page.page);
    const longest = Math.max(0, ...tasks);
    t.diagnostic(`${what}: ${tasks.length} tasks above 50 ms, the longest ${longest} ms`);
    assert.ok(longest <= most, `${what}: a task took ${longest} ms`);
  };
  await calm("opened");
  return { ...page, frames, calm };
}

/** The row of the tree that the keyboard is on. */
const active = (page) => page.locator('[data-testid=treeitem][data-active="true"]');

test("a stack 5,000 deep", async (t) => {
  const { page, at, calm, end } = await opened(t, "5000-deep.folded", deep(DEPTH), 1000);
  const box = await at("flame").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  for (let i = 0; i < 12; i++) await page.mouse.wheel(0, 10_000);
  await page.waitForFunction(
    (depth) =>
      [...document.querySelectorAll("[data-testid=frames] tbody tr")].some((row) => row.cells[1].textContent === depth),
    String(DEPTH),
  );
  await calm("scrolled to the last frame");
  await page.mouse.click(box.x + box.width / 2, box.y + box.height - 30);
  await at("drawer").waitFor();
  assert.equal(await at("drawer-name").textContent(), `level_${DEPTH - 1}`);
  assert.equal(await page.locator(".callers button").count(), 200);
  assert.match(await page.locator(".callers .hint").textContent(), /^4,800 outer callers are not listed\.$/);
  await calm("its details");
  await at("flame").focus();
  for (let i = 0; i < 30; i++) await page.keyboard.press("ArrowUp");
  await at("current-frame")
    .filter({ hasText: /^level_4969,/ })
    .waitFor({ state: "attached" });
  await page.keyboard.press("Enter");
  await at("crumbs").filter({ hasText: "level_4969" }).waitFor();
  await calm("thirty frames up, and zoomed");
  await page.keyboard.press("4");
  await active(page).filter({ hasText: "level_4969" }).waitFor();
  await calm("the tree, open down to it");
  await page.getByRole("tree", { name: "Call tree" }).focus();
  await page.keyboard.press("ArrowRight");
  await page.locator('[data-active="true"][aria-expanded="true"]').waitFor();
  await page.keyboard.press("ArrowDown");
  await active(page).filter({ hasText: "level_4970" }).waitFor();
  assert.equal(await active(page).getAttribute("aria-level"), String(4970 + 2));
  await page.keyboard.press("End");
  await active(page).filter({ hasText: "beside" }).waitFor();
  await page.keyboard.press("Home");
  await active(page).filter({ hasText: "total" }).waitFor();
  await calm("up and down the tree");
  await page.keyboard.press("v");
  await drawnTree(page);
  await calm("upside down");
  await end();
});

const drawnTree = (page) => page.getByTestId("treeitem").first().waitFor();

test("a function with 200,000 callees", async (t) => {
  const total = (CALLEES * (CALLEES + 1)) / 2;
  const { page, at, calm, end } = await opened(t, "200000-callees.folded", wide(CALLEES), total);
  await page.keyboard.press("2");
  await at("row")
    .filter({ hasText: `handler_${CALLEES - 1}` })
    .first()
    .waitFor();
  const count = Number(await page.getByRole("table", { name: "Functions" }).getAttribute("aria-rowcount")) - 1;
  assert.equal(count, CALLEES + 2);
  await at("row").first().focus();
  const focused = (index) =>
    page.waitForFunction(
      (index) =>
        document.activeElement?.getAttribute("aria-rowindex") === index &&
        document.activeElement.querySelector(".name") !== null,
      String(index + 2),
    );
  await page.keyboard.press("End");
  await focused(count - 1);
  await page.keyboard.press("PageUp");
  await focused(count - 21);
  await page.keyboard.press("Home");
  await focused(0);
  for (let i = 1; i <= 40; i++) await page.keyboard.press("ArrowDown");
  await focused(40);
  await calm("through the table");

  await page.keyboard.press("4");
  const on = (name) => active(page).locator(".base").getByText(name, { exact: true }).waitFor();
  await page.getByRole("tree", { name: "Call tree" }).focus();
  await at("treeitem").nth(10).waitFor();
  // Its one caller and that one's are open with it.
  await page.keyboard.press("Home");
  await active(page).filter({ hasText: "total" }).waitFor();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("End");
  await on("handler_0");
  assert.equal(await active(page).getAttribute("aria-setsize"), String(CALLEES));
  assert.equal(await active(page).getAttribute("aria-posinset"), String(CALLEES));
  for (let i = 0; i < 10; i++) await page.keyboard.press("ArrowUp");
  await on("handler_10");
  await calm("through the tree");

  await page.keyboard.press("1");
  await page.keyboard.press("/");
  await at("search").fill("handler_1");
  await at("search-result").filter({ hasText: /^111/ }).waitFor();
  await at("search").press("Enter");
  await at("search-result")
    .filter({ hasText: /^1 of 111/ })
    .waitFor();
  await calm("a search that finds half of them");
  await end();
});

test("50 labels with 10,000 values", async (t) => {
  const values = 10_000;
  const total = values * 1000 + (values * (values - 1)) / 2;
  const { page, at, calm, frames, end } = await opened(t, "labels.pb", labelled(50, values), total);
  assert.equal(frames.length, 53);
  await page.keyboard.press("3");
  await at("row").first().click();
  await at("drawer").waitFor();
  await page.keyboard.press("4");
  await drawnTree(page);
  await calm("looked through");
  await end();
});

test("a page of 420,000 stacks works from the disk without a network, and says the same", async (t) => {
  const { bytes, total } = large(420_000);
  const { frames, calm, ...page } = await opened(t, "large.pb", bytes, total);
  const rows = async ({ page, at }) => {
    await page.keyboard.press("2");
    await at("row").nth(20).locator(".name").waitFor();
    return at("row").allTextContents();
  };
  const path = await exported(page, "html");
  await calm("exported");
  const table = await rows(page);
  await calm("the table");
  await page.end();
  const alone = await offline(browser, path);
  const key = ({ name, depth, total }) => `${depth} ${name} ${total}`;
  assert.deepEqual((await drawnFrames(alone.page, total)).map(key).sort(), frames.map(key).sort());
  assert.deepEqual(await rows(alone), table);
  assert.deepEqual(alone.errors, []);
  const foreign = alone.requests.filter((request) => !/^(file|data|blob):/.test(request));
  assert.deepEqual(foreign, [], "something was asked for");
  await alone.context.close();
});
