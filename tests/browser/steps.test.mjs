/** Filters, groups, the tree upside down, the sandwich and the call tree: all against stacks that are worked on here. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { drawnFrames, drop, launch, openPage, own, settled } from "./page.mjs";
import { callTree, nodesOf, readPprof } from "./pprof.mjs";

const FILE = own("checkout-1.8.2.pb.gz");
const CPU = 1;
const CPU_TYPE = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";

let browser;
let profile;
let whole;
before(async () => {
  browser = await launch();
  profile = readPprof(FILE);
  whole = callTree(profile, CPU);
});
after(() => browser?.close());

/** The tree of the stacks that `change` makes; where it makes none, the sample is gone. */
function treeOf(change, from = profile) {
  const samples = from.samples.flatMap(({ stack, values }) => {
    const changed = change(stack);
    return changed ? [{ stack: changed, values }] : [];
  });
  return callTree({ samples }, CPU);
}

/** Every drawn frame is in the tree, and every large one of the tree is drawn. */
function checkFrames(rows, root, first = 0) {
  const key = ({ name, depth, total }) => `${depth} ${name} ${total}`;
  const nodes = nodesOf(root).filter(({ depth }) => depth >= first);
  const known = new Set(nodes.map(key));
  for (const row of rows) assert.ok(known.has(key(row)), `drawn, but not in the profile: ${key(row)}`);
  const drawn = new Set(rows.map(key));
  for (const node of nodes.filter(({ share, depth }) => share > 0.05 && depth < 8))
    assert.ok(drawn.has(key(node)), `in the profile, but not drawn: ${key(node)}`);
}

const percent = (share) => (share * 100).toFixed(1).replace(/\.0$/, "");

/** A function that is neither everywhere nor hardly anywhere. */
function middling() {
  const names = new Map();
  for (const { stack, values } of profile.samples)
    for (const name of new Set(stack)) names.set(name, (names.get(name) ?? 0) + values[CPU]);
  const fits = [...names].filter(([, total]) => total > whole.total * 0.1 && total < whole.total * 0.5);
  return fits.find(([name]) => name.includes("(*"))?.[0] ?? fits[0][0];
}

async function opened(path = "/file") {
  const page = await openPage(browser, path);
  await page.at("dropzone").waitFor({ state: "attached" });
  await drop(page.page, FILE);
  return page;
}

/** Makes a frame of this name the current one, as a person at the keyboard does. */
async function goTo({ page, at }, name) {
  await page.keyboard.press("/");
  await at("search").fill(`/^${name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}$/`);
  await at("search-result").filter({ hasText: "frame" }).waitFor();
  await page.keyboard.press("Enter");
  // In Tree it is the heaviest match, and not the first row that matches.
  await at("search-result")
    .filter({ hasText: /^[\d,]+ of / })
    .waitFor();
  await page.keyboard.press("Escape");
}

describe("filters", () => {
  test("a frame is focused with a key, undone, redone, and shown again by the link", async () => {
    const name = middling();
    const focused = treeOf((stack) => stack.includes(name) && stack);
    const window = await opened();
    const { page, at, end } = window;
    await drawnFrames(page, whole.total);
    await goTo(window, name);
    await page.keyboard.press("f");
    checkFrames(await drawnFrames(page, focused.total), focused);
    assert.equal(await at("step").count(), 1);
    assert.match(await at("step").textContent(), /^focus /);
    const share = await at("steps-share").textContent();
    assert.ok(share.startsWith(percent(focused.total / whole.total)), share);
    assert.match(page.url(), /[?&]f=focus/);
    const link = page.url();

    await page.keyboard.press("z");
    await drawnFrames(page, whole.total);
    assert.equal(await at("step").count(), 0);
    assert.equal(await page.evaluate(() => history.state || 0), 0, "there is nothing to undo");
    await page.keyboard.press("z");
    await settled(page);
    assert.match(page.url(), /\/file/, "undoing does not leave the page");
    await page.keyboard.press("Shift+Z");
    await drawnFrames(page, focused.total);
    // The keyboard stays at the frame, so that keys can follow each other.
    await page.keyboard.press("z");
    await drawnFrames(page, whole.total);
    await at("current-frame").filter({ hasText: name }).waitFor({ state: "attached" });
    await page.keyboard.press("f");
    await drawnFrames(page, focused.total);
    // The second key arrives before going back has finished.
    await at("flame").evaluate((picture) => {
      for (const key of ["z", "f"]) picture.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    });
    await settled(page);
    await drawnFrames(page, focused.total);
    assert.equal(await at("step").count(), 1);
    // What the tree lacks comes back with it; neither link nor drawer follow the keyboard.
    await page.keyboard.press("Space");
    await at("drawer-name").filter({ hasText: name }).waitFor();
    const chosen = new URL(page.url()).searchParams.get("n");
    await page.keyboard.press("h");
    await settled(page);
    assert.equal(new URL(page.url()).searchParams.get("n"), chosen);
    await page.keyboard.press("z");
    await at("drawer-name").filter({ hasText: name }).waitFor();
    await page.keyboard.press("Escape");

    const again = await opened(link.slice(link.indexOf("/file")));
    checkFrames(await drawnFrames(again.page, focused.total), focused);
    await again.at("step").click();
    await drawnFrames(again.page, whole.total);
    await again.end();
    await end();
  });

  test("ignore and hide from the drawer are chips in order, each removable", async () => {
    const name = middling();
    const top = [...whole.children.values()].sort((a, b) => b.total - a.total)[0].name;
    const window = await opened();
    const { page, at, end } = window;
    await drawnFrames(page, whole.total);
    await goTo(window, top);
    await at("flame").focus();
    await page.keyboard.press(" ");
    await at("hide-frame").click();
    const without = (stack) => stack.filter((frame) => frame !== top);
    const hidden = treeOf((stack) => (without(stack).length > 0 ? without(stack) : null));
    checkFrames(await drawnFrames(page, hidden.total), hidden);

    await goTo(window, name);
    await at("flame").focus();
    await page.keyboard.press(" ");
    await at("ignore-frame").click();
    const both = treeOf((stack) => (without(stack).length > 0 && !stack.includes(name) ? without(stack) : null));
    checkFrames(await drawnFrames(page, both.total), both);
    assert.deepEqual(
      (await at("step").allTextContents()).map((text) => text.split(" ")[0]),
      ["hide", "ignore"],
    );
    await at("step").first().click();
    const ignored = treeOf((stack) => !stack.includes(name) && stack);
    checkFrames(await drawnFrames(page, ignored.total), ignored);
    await at("clear-steps").click();
    await drawnFrames(page, whole.total);
    await end();
  });

  test("an expression is typed, checked, and told when it matches nothing", async () => {
    const { page, at, end } = await opened();
    await drawnFrames(page, whole.total);
    await at("step-add").click();
    await at("step-verb").selectOption("ignore");
    await at("step-pattern").fill("runtime\\.(");
    await page.keyboard.press("Enter");
    await at("step-pattern-problem").waitFor();
    await at("step-pattern").fill("^runtime\\.");
    await page.keyboard.press("Enter");
    const ignored = treeOf((stack) => !stack.some((name) => /^runtime\./.test(name)) && stack);
    const rows = await drawnFrames(page, ignored.total);
    // A file may match, too; none of Go's runtime does that has another name.
    checkFrames(rows, ignored);
    await at("step-add").click();
    await at("step-pattern").fill("nothing is called so");
    await page.keyboard.press("Enter");
    await at("step").filter({ hasText: "matches nothing" }).waitFor();
    assert.match(await at("steps-share").textContent(), /^nothing is left/);
    await end();
    const broken = await opened("/file?f=focus:(");
    await drawnFrames(broken.page, whole.total);
    assert.match(await broken.at("step-problem").textContent(), /step 1, focus:\(/);
    await broken.end();
  });

  test("packages are frames, recursion folds, and keys do the same", async () => {
    const path = own("packages.txt");
    const text =
      "main.main;shop/orders.Place;shop/orders.sum;shop/db.Query 50\nmain.main;shop/orders.sum;shop/orders.sum 20\n";
    writeFileSync(path, text);
    const { page, at, end } = await openPage(browser, "/file");
    await drop(page, path);
    const frames = async (total) =>
      (await drawnFrames(page, total)).map(({ name, depth, total }) => `${depth} ${name} ${total}`).sort();
    await drawnFrames(page, 70);
    await at("group").selectOption("package");
    await at("step").waitFor();
    await at("frames")
      .locator("th", { hasText: /^shop\/db$/ })
      .waitFor({ state: "attached" });
    assert.deepEqual(await frames(70), ["0 total 70", "1 main 70", "2 shop/orders 70", "3 shop/db 50"]);
    await page.keyboard.press("2");
    await at("sort-name").filter({ hasText: "Package" }).waitFor();
    assert.equal(await page.locator(".crumbs .hint").textContent(), "Click a package for details");
    await page.keyboard.press("1");
    // On to the module, and round to functions.
    for (const group of ["module", "function"]) {
      await page.keyboard.press("g");
      await page.waitForFunction((group) => document.querySelector("[data-testid=group]").value === group, group);
    }
    await page.keyboard.press("r");
    await at("step").filter({ hasText: "recursion" }).waitFor();
    await settled(page);
    assert.deepEqual(await frames(70), [
      "0 total 70",
      "1 main.main 70",
      "2 shop/orders.Place 50",
      "2 shop/orders.sum 20",
      "3 shop/orders.sum 50",
      "4 shop/db.Query 50",
    ]);
    await page.keyboard.press("r");
    await at("step").waitFor({ state: "detached" });
    await end();
  });

  test("a service's profile is filtered without being asked for again", async () => {
    const { page, at, requests, end } = await openPage(browser, `/explore?s=checkout&t=${CPU_TYPE}`);
    await at("frames").locator("tbody tr").nth(3).waitFor({ state: "attached" });
    const asked = () => requests.filter(({ url }) => new URL(url).pathname.endsWith("/profile")).length;
    const before = asked();
    const first = await at("frames").locator("tbody tr").first().getAttribute("data-total");
    await at("step-add").click();
    await at("step-pattern").fill("^runtime\\.");
    await at("step-verb").selectOption("ignore");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await at("steps-share").waitFor();
    await page.waitForFunction(
      (first) => document.querySelector("[data-testid=frames] tbody tr").dataset.total !== first,
      first,
    );
    assert.equal(asked(), before);
    await page.goBack();
    await at("steps-share").waitFor({ state: "detached" });
    await end();
  });
});

describe("views", () => {
  test("upside down, leaves stand first and the table stays", async () => {
    const window = await opened();
    const { page, at, end } = window;
    await drawnFrames(page, whole.total);
    await at("invert").click();
    const inverted = treeOf((stack) => [...stack].reverse());
    const leaf = [...inverted.children.values()].sort((a, b) => b.total - a.total)[0];
    await page.waitForFunction(
      ([name, total]) =>
        [...document.querySelectorAll("[data-testid=frames] tbody tr")].some(
          (row) => row.dataset.total === total && row.cells[1].textContent === "1" && row.cells[0].textContent === name,
        ),
      [leaf.name, String(leaf.total)],
    );
    assert.match(page.url(), /[?&]i=1/);
    checkFrames(await drawnFrames(page, whole.total), inverted);
    const canvas = await at("flame").boundingBox();
    await page.mouse.click(canvas.x + 2, canvas.y + 30);
    // A leaf calls nothing, and its callers are below it.
    const headings = at("drawer").locator("h3");
    await headings.filter({ hasText: /^Callers( of this occurrence)? \(shares/ }).waitFor();
    assert.equal(await headings.filter({ hasText: /^Call path$/ }).count(), 1);
    assert.deepEqual(await at("drawer").locator(".callers li").allTextContents(), ["No callees."]);
    assert.equal(await at("drawer-self").count(), 0);
    await page.keyboard.press("Escape");
    await page.keyboard.press("4");
    await at("treeitem").nth(1).waitFor();
    assert.deepEqual(await at("calltree").locator(".table-head span").allTextContents(), ["Function", "Total"]);
    assert.equal(await at("treeitem").nth(1).locator(".num").count(), 1);
    await page.keyboard.press("2");
    await at("row").first().waitFor();
    const names = () => at("row").locator(".name").allTextContents();
    const upside = await names();
    await page.keyboard.press("1");
    await page.keyboard.press("v");
    await page.waitForURL((url) => !url.searchParams.has("i"));
    await page.keyboard.press("2");
    await at("row").first().waitFor();
    assert.deepEqual(await names(), upside);
    await end();
  });

  test("a sandwich has what calls a function, and what it calls", async () => {
    const name = middling();
    const window = await opened();
    const { page, at, end } = window;
    await drawnFrames(page, whole.total);
    await goTo(window, name);
    await page.keyboard.press("b");
    await at("sandwich").waitFor();
    const halves = async (name) => {
      const outermost = (stack) => stack.indexOf(name);
      const from = (change) => treeOf((stack) => (outermost(stack) < 0 ? null : change(stack, outermost(stack))));
      const callers = from((stack, at) => stack.slice(0, at + 1).reverse());
      const callees = from((stack, at) => stack.slice(at));
      await page.waitForSelector(`[data-testid=callers] tbody tr:first-child[data-total="${callers.total}"]`, {
        state: "attached",
      });
      await settled(page);
      const drawn = (half) =>
        at(half)
          .locator("tbody tr")
          .evaluateAll((rows) =>
            rows.map((row) => ({
              name: row.querySelector("th").textContent,
              depth: Number(row.cells[1].textContent),
              total: Number(row.dataset.total),
            })),
          );
      checkFrames(await drawn("callers"), callers, 1);
      checkFrames(await drawn("callees"), callees, 1);
      const share = percent(callers.total / whole.total);
      assert.ok((await at("sandwich").locator("h2").textContent()).includes(share), `${share} of the profile`);
    };
    await halves(name);
    const link = page.url();
    // A row of the list is the next function; the way back leads to the first.
    const other = await at("row").nth(1).locator(".name").textContent();
    await at("row").nth(1).click();
    await halves(other);
    await page.goBack();
    await halves(name);
    // The function itself stands lowest among its callers.
    const box = await at("callers-canvas").boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height - 10);
    await at("tooltip").waitFor();
    assert.ok((await at("tooltip").textContent()).includes(name));
    // Callers below a function are not what they cost themselves.
    assert.doesNotMatch(await at("tooltip").textContent(), /\bself\b/);
    const columns = (testid) => at(testid).locator("thead th").allTextContents();
    assert.deepEqual(await columns("callers"), ["Frame", "Depth", "Total", "Share"]);
    assert.deepEqual(await columns("callees"), ["Frame", "Depth", "Total", "Self", "Share"]);
    const again = await opened(link.slice(link.indexOf("/file")));
    await again.at("callers").locator("tbody tr").first().waitFor({ state: "attached" });
    assert.equal(await again.page.getByRole("region", { name: `Sandwich of ${name}` }).count(), 1);
    await again.end();
    await end();
  });

  test("the call tree opens and closes by keys", async () => {
    const { page, at, end } = await opened();
    await drawnFrames(page, whole.total);
    await page.keyboard.press("4");
    await at("treeitem").nth(1).waitFor();
    const children = (node) => [...node.children.values()].sort((a, b) => b.total - a.total);
    const rows = () =>
      at("treeitem").evaluateAll((rows) =>
        rows.map((row) => ({
          name: row.querySelector(".name").textContent,
          level: Number(row.getAttribute("aria-level")),
          open: row.getAttribute("aria-expanded"),
          active: row.dataset.active === "true",
        })),
      );
    const first = await rows();
    assert.deepEqual(
      first.filter(({ level }) => level === 2).map(({ name }) => name),
      children(whole).map(({ name }) => name),
    );
    assert.equal(first[0].active, true);
    await page.getByRole("tree", { name: "Call tree" }).focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    const [heaviest] = children(whole);
    await page.waitForFunction(() => document.querySelector("[data-active=true]").ariaExpanded !== "false");
    const below = (await rows()).filter(({ level }) => level === 3).map(({ name }) => name);
    assert.deepEqual(
      below,
      children(heaviest)
        .map(({ name }) => name)
        .slice(0, below.length),
    );
    assert.ok(below.length > 0);
    const level = () => page.locator("[data-active=true]").getAttribute("aria-level");
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => document.querySelector("[data-active=true]").ariaLevel === "3");
    // Left closes, and then goes to the caller.
    while ((await level()) === "3") {
      await page.keyboard.press("ArrowLeft");
      await settled(page);
    }
    assert.equal(await level(), "2");
    await page.keyboard.press("ArrowLeft");
    await page.waitForFunction(() => document.querySelector("[data-active=true]").ariaExpanded === "false");
    // What is found elsewhere is opened up to.
    const name = middling();
    await goTo({ page, at }, name);
    await page.locator("[data-active=true]", { hasText: name.split("/").at(-1) }).waitFor();
    await page.keyboard.press("f");
    await at("step").waitFor();
    assert.match(await at("step").textContent(), /^focus /);
    // The new tree begins at its root again.
    await settled(page);
    await page.getByRole("tree", { name: "Call tree" }).focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => !url.searchParams.has("v") && url.searchParams.has("z"));
    await end();
  });

  test("the help lists the keys", async () => {
    const { page, at, end } = await opened();
    await drawnFrames(page, whole.total);
    await page.keyboard.press("?");
    await at("help").waitFor();
    const keys = await at("help").locator("kbd").allTextContents();
    for (const key of ["f", "i", "h", "r", "g", "b", "z", "Z", "4", "5"]) assert.ok(keys.includes(key), key);
    await end();
  });
});
