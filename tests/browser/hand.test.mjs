/** What a hand does: clicks, double-clicks, the wheel, pasting; and that nothing moves under it. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { drawnFrames, drop, launch, openPage, own, redrawn, sending, settled } from "./page.mjs";

const STACKS = [
  "main;alloc;next 235",
  "main;alloc;scan 500",
  "main;alloc;zero 165",
  "main;next 100",
  "main;work;next;next 60",
  "main;work;sort 940",
  "main;work;next 40",
];
const TOTAL = 2040;

let browser;
before(async () => {
  writeFileSync(own("hand.txt"), STACKS.join("\n"));
  browser = await launch();
});
after(() => browser?.close());

/** A page that is ready for files. */
async function ready(path, options) {
  const found = await openPage(browser, path, options);
  await found.at("dropzone").waitFor({ state: "attached" });
  return found;
}

async function dropStacks(page) {
  await drop(page, own("hand.txt"));
  await drawnFrames(page, TOTAL);
}

async function opened(options) {
  const found = await ready("/", options);
  await dropStacks(found.page);
  return found;
}

const facts = (page) => page.getByTestId("drawer").locator(".facts th").allTextContents();
const size = (page) => page.getByTestId("flame").boundingBox();
/** A point of the picture: a share of its width, and a row. */
async function point(page, share, depth) {
  const { x, y, width } = await size(page);
  return [x + width * share, y + (depth + 0.5) * 20];
}

/** Selects a frame by its name, without the mouse. */
async function select(page, name) {
  await page.keyboard.press("/");
  await page.getByTestId("search").fill(`/^${name}$/`);
  await page.getByTestId("search").press("Enter");
  await page.getByTestId("search-result").filter({ hasText: "1 of" }).waitFor();
  await page.getByTestId("search").press("Escape");
  await page.getByTestId("flame").focus();
  await page.keyboard.press(" ");
  await page.getByTestId("drawer").waitFor();
}

/** What must not move when the minimap appears below the picture. */
const corner = ({ x, y, width }) => ({ x, y, width });

describe("the mouse", () => {
  for (const [where, options] of [
    ["in the right quarter", {}],
    ["on a narrow screen", { viewport: { width: 800, height: 700 } }],
  ]) {
    test(`double-clicks 300 ms apart zoom, ${where}`, async () => {
      // On a busy machine the second click may come too late for a double-click.
      while (!(await zoomsByClickingTwice(options)));
    });
  }

  /** Whether the clicks were a double-click, which then has zoomed. */
  async function zoomsByClickingTwice(options) {
    const { page, at, end } = await opened(options);
    const before = await size(page);
    // sort, from 54 % to 100 % of the width.
    const [x, y] = await point(page, 0.93, 3);
    await page.evaluate(() => {
      window.clicks = [];
      addEventListener("pointerup", ({ timeStamp }) => window.clicks.push(timeStamp), { capture: true });
    });
    await page.mouse.click(x, y);
    await page.waitForTimeout(300);
    const between = [await at("drawer").count(), await size(page)];
    await page.mouse.click(x, y);
    const [first, second] = await page.evaluate(() => window.clicks);
    const inTime = second - first < 500;
    if (inTime) {
      assert.deepEqual(between, [0, before], "nothing has come under the pointer or moved");
      await at("crumbs").waitFor();
      assert.equal(await at("crumbs").locator("b").textContent(), "sort");
      await page.waitForTimeout(700);
      assert.equal(await at("drawer").count(), 0, "a double-click zooms and no more");
      assert.deepEqual(corner(await size(page)), corner(before));
    }
    await end();
    return inTime;
  }

  test("a click opens the drawer once the hand rests, and another click says another frame", async () => {
    const { page, at, end } = await opened();
    const before = await size(page);
    await page.mouse.click(...(await point(page, 0.93, 3)));
    await at("drawer").waitFor();
    assert.equal(await at("drawer-name").textContent(), "sort");
    assert.equal(await at("crumbs").count(), 0, "one click does not zoom");
    assert.deepEqual(await size(page), before, "the picture stays where it is");
    const drawer = await at("drawer").boundingBox();
    assert.ok(drawer.x + drawer.width < before.width * 0.93, "and the frame is still in sight");
    // The drawer is there, so the next click has no need to wait; two slow ones are no double-click.
    for (const [share, depth, name] of [
      [0.3, 2, "alloc"],
      [0.3, 2, "alloc"],
      [0.3, 3, "scan"],
    ]) {
      await page.mouse.click(...(await point(page, share, depth)));
      await page.waitForFunction(
        (name) => document.querySelector("[data-testid=drawer-name]")?.textContent === name,
        name,
      );
      await page.waitForTimeout(600);
    }
    assert.equal(await at("crumbs").count(), 0);
    await end();
  });

  test("zooming with Ctrl and the wheel leaves the picture where it is", async () => {
    const { page, at, end } = await opened();
    const before = await size(page);
    await page.mouse.move(...(await point(page, 0.5, 2)));
    await page.keyboard.down("Control");
    for (let i = 0; i < 3; i++) {
      await page.mouse.wheel(0, -60);
      await redrawn(page);
      assert.deepEqual(corner(await size(page)), corner(before));
    }
    await settled(page);
    await page.keyboard.up("Control");
    assert.equal((await at("crumbs").textContent()).trim(), "Zoomed in · Reset (0)");
    await at("crumbs").getByRole("button", { name: "Reset (0)" }).click();
    await at("crumbs").waitFor({ state: "detached" });
    assert.deepEqual(await size(page), before);
    await end();
  });
});

test("views of one function begin with the heaviest", async () => {
  const { page, at, end } = await opened();
  await page.keyboard.press("5");
  await page.waitForURL(/[?&]b=sort/);
  await at("sandwich").waitFor();
  await page.keyboard.press("z");
  await drawnFrames(page, TOTAL);
  assert.equal(await at("sandwich").count(), 0, "one step back is where one came from");
  await end();
});

test("who uses keys sees where they are, and the hint goes when it is no longer needed", async () => {
  const { page, at, end } = await opened();
  const line = page.locator(".current-line");
  assert.match(await page.locator(".crumbs").textContent(), /Double-click a frame to zoom/);
  assert.equal(await line.isVisible(), false);
  await at("flame").focus();
  await page.keyboard.press("ArrowDown");
  await line.filter({ hasText: "main, 2,040, 100 %" }).waitFor();
  await page.mouse.dblclick(...(await point(page, 0.93, 3)));
  await at("crumbs").waitFor();
  await page.keyboard.press("0");
  await at("crumbs").waitFor({ state: "detached" });
  assert.doesNotMatch(await page.locator(".crumbs").textContent(), /Double-click/);
  await end();
});

describe("the menu of a frame", () => {
  const items = (at) => at("frame-menu").getByRole("menuitem");

  test("a right click opens it at the frame, and each entry does what its key does", async () => {
    const { page, at, end } = await opened();
    const before = await size(page);
    const rightClick = async (share, depth) => {
      await page.mouse.click(...(await point(page, share, depth)), { button: "right" });
      await at("frame-menu").waitFor();
    };
    await rightClick(0.93, 3);
    assert.equal(await at("frame-menu").locator("p").textContent(), "sort");
    assert.deepEqual(await size(page), before, "nothing moves");
    const box = await at("frame-menu").boundingBox();
    assert.ok(box.x + box.width <= 1400 && box.y + box.height <= 900, "all of it is in the window");
    await page.keyboard.press("Escape");
    await at("frame-menu").waitFor({ state: "detached" });
    assert.equal(await at("drawer").count(), 0, "nothing was selected");
    for (const [label, found] of [
      ["Focus", /f=focus:%5Esort%24/],
      ["Hide", /f=hide:%5Esort%24/],
      ["Sandwich", /b=sort/],
      ["Search", /q=sort/],
      ["Source lines", /v=lines/],
      ["Zoom", /z=/],
    ]) {
      await rightClick(0.93, 3);
      await items(at).filter({ hasText: label }).click();
      await page.waitForURL(found);
      assert.equal(await at("frame-menu").count(), 0);
      await page.goBack();
      await drawnFrames(page, TOTAL);
      await settled(page);
    }
    await end();
  });

  test("the menu key opens that of the current frame, arrows move in it, and a click elsewhere closes it", async () => {
    const { page, at, end } = await opened();
    await at("flame").focus();
    for (const key of ["ArrowDown", "ArrowDown", "ArrowLeft"]) await page.keyboard.press(key);
    await page.keyboard.press("Shift+F10");
    await at("frame-menu").waitFor();
    assert.equal(await at("frame-menu").locator("p").textContent(), "next");
    assert.equal(
      await items(at)
        .filter({ hasText: "Zoom" })
        .evaluate((item) => item === document.activeElement),
      true,
    );
    await page.keyboard.press("End");
    assert.match(await page.evaluate(() => document.activeElement.textContent), /Copy the stack/);
    await page.keyboard.press("ArrowDown");
    assert.match(await page.evaluate(() => document.activeElement.textContent), /Zoom/);
    await page.keyboard.press("Escape");
    await at("frame-menu").waitFor({ state: "detached" });
    assert.equal(await page.evaluate(() => document.activeElement.dataset.testid), "flame", "the focus goes back");
    await page.keyboard.press("Shift+F10");
    await at("frame-menu").waitFor();
    await page.mouse.click(...(await point(page, 0.3, 7)));
    await at("frame-menu").waitFor({ state: "detached" });
    await end();
  });

  test("a finger that rests opens it, and one that moves or leaves does not", async () => {
    const { page, at, end } = await opened({ hasTouch: true, viewport: { width: 390, height: 844 } });
    const [x, y] = await point(page, 0.8, 3);
    const session = await page.context().newCDPSession(page);
    const touch = (type, ...points) => session.send("Input.dispatchTouchEvent", { type, touchPoints: points });
    await touch("touchStart", { x, y });
    await touch("touchMove", { x: x - 40, y });
    await touch("touchEnd");
    await page.waitForTimeout(700);
    assert.equal(await at("frame-menu").count(), 0);
    await touch("touchStart", { x, y });
    await at("frame-menu").waitFor();
    await touch("touchEnd");
    await settled(page);
    assert.equal(await at("frame-menu").locator("p").textContent(), "sort");
    assert.equal(await at("frame-menu").locator("kbd").filter({ visible: true }).count(), 0, "a finger has no keys");
    assert.equal(await at("drawer").count(), 0, "lifting the finger is not a click");
    await end();
  });
});

test("Enter in the search goes on from match to match, with the drawer open, too", async () => {
  const { page, at, end } = await opened();
  await page.mouse.click(...(await point(page, 0.93, 3)));
  await at("drawer").waitFor();
  await page.keyboard.press("/");
  await at("search").fill("next");
  for (const n of [1, 2, 3, 4, 1]) {
    // No pause: Enter may come before the search has ended.
    await at("search").press("Enter");
    await at("search-result")
      .filter({ hasText: `${n} of 4 frames` })
      .waitFor();
  }
  await end();
});

test("quick keys are taken one after the other", async () => {
  const { page, at, end } = await opened();
  await at("flame").focus();
  for (const key of ["ArrowDown", "ArrowDown", "ArrowLeft", "ArrowLeft", "ArrowDown", " "])
    await page.keyboard.press(key);
  await at("drawer").waitFor();
  assert.equal(await at("drawer-name").textContent(), "scan");
  await end();
});

describe("the drawer", () => {
  test("lists the callees left of the largest, too", async () => {
    const { page, at, end } = await opened();
    await select(page, "alloc");
    const callees = at("drawer").locator(".callees li");
    assert.deepEqual(await callees.allTextContents(), ["scan55.6 %", "next26.1 %", "zero18.3 %"]);
    await at("drawer").getByRole("button", { name: "total", exact: true }).click();
    await page.waitForFunction(() => document.querySelector("[data-testid=drawer-name]")?.textContent === "total");
    assert.deepEqual(await callees.allTextContents(), ["main100 %"]);
    assert.equal(await at("drawer-total").textContent(), "2,040 samples");
    await page.reload();
    await at("dropzone").waitFor({ state: "attached" });
    await dropStacks(page);
    await select(page, "sort");
    assert.deepEqual(await callees.allTextContents(), ["No callees."]);
    await end();
  });

  test("says which of the occurrences it shows, and steps through them", async () => {
    const { page, at, end } = await opened();
    await select(page, "next");
    const total = async (position, value) => {
      await at("occurrence")
        .filter({ hasText: `${position} of 4` })
        .waitFor();
      assert.equal(await at("drawer-name").textContent(), "next");
      assert.equal(await at("drawer-total").textContent(), `${value} samples`);
    };
    // The search went to the first in the picture, which is the largest.
    await total(1, "235");
    assert.deepEqual(await facts(page), ["total", "self", "All 4 occurrences", "total", "self"]);
    assert.match(await at("drawer-all").textContent(), /435.*435/, "a recursive call is counted once");
    await at("occurrence-next").click();
    await total(2, "100");
    await page.keyboard.press("o");
    await total(3, "100");
    await page.keyboard.press("Shift+O");
    await total(2, "100");
    await at("occurrence-previous").click();
    await at("occurrence-previous").click();
    await total(4, "60");
    await at("occurrence-next").press("Enter");
    await total(1, "235");
    await end();
  });
});

test("half a regular expression is called what it is", async () => {
  const { page, at, end } = await opened();
  await page.keyboard.press("/");
  await at("search").fill("/(/");
  await at("search-result").filter({ hasText: "Invalid regular expression" }).waitFor();
  // Of the table, too, whose rows stay.
  await at("search").fill("");
  await at("view-table").click();
  await at("row").first().waitFor();
  await at("search").fill("/(unclosed/");
  await at("search-result").filter({ hasText: "Invalid regular expression" }).waitFor();
  await settled(page);
  assert.equal(await at("notice").textContent(), "");
  assert.ok((await at("row").count()) > 0);
  await end();
});

test("the bars of the table lie behind its figures", async () => {
  const { page, at, end } = await opened();
  await page.keyboard.press("2");
  const cell = at("row").first().locator(".num").first();
  await cell.waitFor();
  const [bar, dash] = await cell.evaluate((cell) => [
    getComputedStyle(cell).backgroundImage,
    getComputedStyle(cell, "::before").content,
  ]);
  assert.match(bar, /^linear-gradient\(to right, /);
  assert.equal(dash, "none");
  await end();
});

describe("the page for files", () => {
  test("says nothing of files before there are any", async () => {
    const { page, end } = await ready("/file");
    assert.equal((await page.locator("footer").textContent()).trim(), "");
    await end();
  });

  /** What the browser does on Ctrl+V. */
  const paste = (page, text, into = "body") =>
    page.locator(into).evaluate((target, text) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", text);
      target.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    }, text);

  for (const path of ["/", "/file"]) {
    test(`takes stacks pasted as text, on ${path}`, async () => {
      const { page, at, requests, end } = await ready(path);
      const first = requests.length;
      await paste(page, STACKS.join("\n"));
      await drawnFrames(page, TOTAL);
      assert.match(await at("files").textContent(), /pasted text/);
      assert.deepEqual(sending(requests.slice(first)), [], "nothing was sent");
      await end();
    });
  }

  test("says why pasted text is no profile", async () => {
    const { page, at, end } = await ready("/file");
    await paste(page, '{"snapshot":{"meta":{"node_fields":[]},"node_count":0}}');
    await at("problem").waitFor();
    assert.match(await at("problem").textContent(), /^pasted text This is a V8 heap snapshot/);
    await paste(page, " \n");
    assert.equal(await at("notice").textContent(), "The clipboard contains no file or text.");
    await end();
  });

  test("leaves text alone that is pasted into a field, and a page of services that is given no profile", async () => {
    const { page, at, end } = await opened();
    await page.keyboard.press("/");
    await paste(page, "main;other 5", "#search");
    await settled(page);
    assert.doesNotMatch(await at("files").textContent(), /pasted text/);
    await page.goto(new URL("/explore", page.url()).href);
    await at("service").waitFor();
    await paste(page, "buy milk");
    await at("notice")
      .filter({ hasText: "The pasted text can't be opened. This is text in an unknown format." })
      .waitFor();
    assert.match(page.url(), /\/explore/);
    await end();
  });
});
