/** Fingers on the picture, and what a person has told the system: more contrast, colours of its own, less motion. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { barriers } from "./axe.mjs";
import { drawnFrames, drop, launch, openPage, own, settled } from "./page.mjs";

const DEPTH = 200;

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

/** A page with a deep profile. */
async function opened(path, options) {
  const frames = Array.from({ length: DEPTH }, (_, i) => `level_${i}`);
  const lines = [`${frames.join(";")} 600`, "level_0;left 300", "level_0;level_1;right 100"];
  writeFileSync(own("deep.folded"), lines.join("\n"));
  const page = await openPage(browser, path, options);
  await drop(page.page, own("deep.folded"));
  await drawnFrames(page.page, 1000);
  return page;
}

test("a finger taps, drags and scrolls, two pinch, and the page around them stays", async () => {
  const { page, at, end } = await opened("/file", { hasTouch: true, viewport: { width: 900, height: 700 } });
  const session = await page.context().newCDPSession(page);
  const box = await at("flame").boundingBox();
  const point = ([x, y], id) => ({ x: box.x + x * box.width, y: box.y + y, id });
  /** Fingers that go through places, each a list with one of each finger: a share of the width, and pixels from above. */
  const fingers = async (...places) => {
    for (const [i, place] of places.entries()) {
      const type = i === 0 ? "touchStart" : "touchMove";
      await session.send("Input.dispatchTouchEvent", { type, touchPoints: place.map(point) });
    }
    await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  };
  const extent = () => new URL(page.url()).searchParams.get("x");

  await fingers([[0.5, 50]]);
  await at("drawer").waitFor();
  assert.equal(await at("drawer-name").textContent(), "level_1");
  await page.getByTitle("Close (Esc)").click();
  await at("drawer").waitFor({ state: "detached" });

  const pause = () => page.waitForTimeout(600);
  await pause();
  await fingers(
    [
      [0.45, 200],
      [0.55, 200],
    ],
    [
      [0.35, 200],
      [0.65, 200],
    ],
    [
      [0.25, 200],
      [0.75, 200],
    ],
  );
  await at("crumbs").filter({ hasText: "Zoomed in" }).waitFor();
  await page.waitForURL(/[?&]x=/);
  const pinched = extent();
  const [left, right] = pinched.split("-").map(Number);
  assert.ok(right - left < 0.5, `${pinched} is seen`);

  await fingers([[0.5, 200]], [[0.4, 200]], [[0.3, 200]]);
  await page.waitForFunction((before) => new URL(location.href).searchParams.get("x") !== before, pinched);
  const [dragged] = extent().split("-").map(Number);
  assert.ok(dragged > left, `dragged from ${pinched} to ${extent()}`);

  // Above the minimap, which a zoom brings.
  const low = box.height - 100;
  for (let i = 0; i < 20; i++) await fingers([[0.5, low]], [[0.5, 200]], [[0.5, 20]]);
  await page.waitForFunction(
    (depth) =>
      [...document.querySelectorAll("[data-testid=frames] tbody tr")].some((row) => row.cells[1].textContent === depth),
    String(DEPTH),
  );
  await page.getByTitle("Show everything again").click();
  await at("crumbs").waitFor({ state: "detached" });

  await pause();
  await fingers([[0.5, 300]]);
  await fingers([[0.5, 300]]);
  await at("crumbs").waitFor();
  assert.equal(await page.evaluate(() => visualViewport.scale), 1);
  assert.equal(await page.evaluate(() => scrollY + document.querySelector(".page").scrollTop), 0);
  await end();
});

/** How many different colours the picture has near its top. */
const colours = ({ at }) =>
  at("flame").evaluate((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, 60);
    const found = new Set();
    for (let i = 0; i < data.length; i += 4) found.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
    return found.size;
  });

for (const colorScheme of ["light", "dark"]) {
  test(`more contrast is given to who asks for it, ${colorScheme}`, async () => {
    const page = await opened("/file?v=both", { contrast: "more", colorScheme });
    await page.at("row").first().click();
    await page.at("drawer").waitFor();
    assert.ok((await colours(page)) > 5);
    // Seven to one, where otherwise it is four and a half.
    assert.deepEqual(await barriers(page.page, { rules: { "color-contrast-enhanced": { enabled: true } } }), []);
    await page.end();
  });

  test(`the system's own colours are used where it forces them, ${colorScheme}`, async () => {
    const page = await opened("/file?v=both", { forcedColors: "active", colorScheme });
    await page.at("row").first().click();
    await page.at("drawer").waitFor();
    assert.ok((await colours(page)) > 5);
    const outlines = await page.page
      .locator('[data-testid=row][aria-selected="true"], [data-testid=view-both]')
      .evaluateAll((all) => all.map((one) => getComputedStyle(one).outlineStyle));
    assert.deepEqual(outlines, ["solid", "solid"], "what is chosen can be told");
    assert.deepEqual(await barriers(page.page), []);
    await page.end();
  });
}

test("where less motion is wanted, a zoom jumps", async () => {
  const { page, at, end } = await opened("/file", { reducedMotion: "reduce" });
  await at("flame").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await settled(page);
  await page.evaluate(() => {
    const canvas = document.querySelector("[data-testid=flame]");
    window.pictures = new Set();
    const look = () => {
      window.pictures.add(canvas.getContext("2d").getImageData(0, 50, canvas.width, 1).data.join());
      requestAnimationFrame(look);
    };
    look();
  });
  await page.keyboard.press("Enter");
  await at("crumbs").waitFor();
  await settled(page);
  const pictures = await page.evaluate(() => window.pictures.size);
  assert.ok(pictures === 2 || pictures === 3, `${pictures} pictures between where it was and where it is`);
  const bar = await page.evaluate(() => {
    const bar = document.createElement("div");
    bar.className = "loading-bar";
    document.body.append(bar);
    const { animationName } = getComputedStyle(bar);
    bar.remove();
    return animationName;
  });
  assert.equal(bar, "none");
  await end();
});
