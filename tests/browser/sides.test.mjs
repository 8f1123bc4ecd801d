/** Both sides of a comparison side by side: each as wide as what it has, and looked at together. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { pushStacks } from "./answers.mjs";
import { barriers } from "./axe.mjs";
import { drop, exported, launch, offline, openPage, own, settled } from "./page.mjs";

/** A hundredth of a second each. Callees stand in the order of their names. */
const STACKS = {
  base: "main;idle 40\nmain;old 20\nmain;work;hash 30\nmain;work;sort 10\n",
  other: "main;idle 40\nmain;work;hash 120\nmain;work;zip 40\n",
};
/** Of each side, where its frames are: depth, and the edges as shares of the width. */
const FRAMES = {
  base: {
    main: [1, 0, 1],
    idle: [2, 0, 0.4],
    old: [2, 0.4, 0.6],
    work: [2, 0.6, 1],
    hash: [3, 0.6, 0.9],
    sort: [3, 0.9, 1],
  },
  other: { main: [1, 0, 1], idle: [2, 0, 0.2], work: [2, 0.2, 1], hash: [3, 0.2, 0.8], zip: [3, 0.8, 1] },
};
const ROW = 20;
const SIDES = ["base", "other"];

const service = `sides-${Date.now().toString(36)}`;
const second = Math.floor(Date.now() / 1000) - 600;
const range = (suffix, at) => `from${suffix}=${(at - 60) * 1000}&until${suffix}=${(at + 60) * 1000}`;
const diff = (more = "") =>
  `/diff?s=${service}&t=process_cpu:cpu:nanoseconds:cpu:nanoseconds&${range("", second - 300)}&${range("2", second)}&v=sides${more}`;

let browser;
before(async () => {
  browser = await launch();
  await pushStacks(service, STACKS.base, second - 300);
  await pushStacks(service, STACKS.other, second);
});
after(() => browser?.close());

async function opened(path = diff(), options = {}) {
  const page = await openPage(browser, path, options);
  await listed(page, "base", 1);
  await listed(page, "other", 1);
  return page;
}

/** The frames that a side lists, once there are as many. */
async function listed({ page }, side, atLeast) {
  const rows = `[data-testid=frames-${side}] tbody tr`;
  await page.waitForFunction(([rows, count]) => document.querySelectorAll(rows).length >= count, [rows, atLeast]);
  return page.$$eval(rows, (rows) => rows.map((row) => row.querySelector("th").textContent));
}

/** What stands at a point of a side's picture, as the pointer is told; null where there is nothing. */
async function nameAt({ page, at }, side, share, depth) {
  const box = await at(`flame-${side}`).boundingBox();
  await page.mouse.move(0, 0);
  await at("tooltip").waitFor({ state: "detached" });
  await page.mouse.move(box.x + share * box.width, box.y + (depth + 0.5) * ROW);
  const found = await at(`flame-${side}`).evaluate((canvas) => canvas.style.cursor === "pointer");
  return found ? at("tooltip").locator("b").first().textContent() : null;
}

/** The frames of a side begin and end where they should; `frames` are theirs. */
async function checkWidths(page, side, frames) {
  await settled(page.page);
  const { width } = await page.at(`flame-${side}`).boundingBox();
  const near = 2 / width;
  for (const [name, [depth, left, right]] of Object.entries(frames)) {
    assert.equal(await nameAt(page, side, left + near, depth), name, `${side}: left edge of ${name}`);
    assert.equal(await nameAt(page, side, right - near, depth), name, `${side}: right edge of ${name}`);
    if (left > 0) assert.notEqual(await nameAt(page, side, left - near, depth), name, `${side}: left of ${name}`);
    if (right < 1) assert.notEqual(await nameAt(page, side, right + near, depth), name, `${side}: right of ${name}`);
  }
}

/** The colour of the left edge of a frame, where its outline is. */
function edge({ at }, side, name, frames = FRAMES) {
  const [depth, left] = frames[side][name];
  return at(`flame-${side}`).evaluate(
    async (canvas, [left, y]) => {
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      const x = Math.floor(left * canvas.width) + 1;
      return [...canvas.getContext("2d").getImageData(x, y, 1, 1).data].join();
    },
    [left, depth * ROW + ROW / 2],
  );
}

const says = ({ page }, text) =>
  page.waitForFunction((text) => document.querySelector("[data-testid=current-frame]").textContent === text, text);

describe("side by side", () => {
  test("each side has its own widths, total and name", async () => {
    const page = await opened(diff("&norm=0"));
    await checkWidths(page, "base", FRAMES.base);
    await checkWidths(page, "other", FRAMES.other);
    assert.equal(await page.at("heading-base").textContent(), "Baseline 1 s");
    assert.equal(await page.at("heading-other").textContent(), "Comparison 2 s");
    assert.equal(await page.at("heading-other").getAttribute("title"), "2,000,000,000 nanoseconds");
    // Frames that only the other side has are not among those of this one.
    assert.deepEqual((await listed(page, "base", 7)).sort(), [...Object.keys(FRAMES.base), "total"].sort());
    assert.deepEqual((await listed(page, "other", 6)).sort(), [...Object.keys(FRAMES.other), "total"].sort());
    for (const name of ["baseline", "comparison"])
      await page.page.getByRole("application", { name: `Flame graph of the ${name}, cpu` }).waitFor();
    assert.deepEqual(await barriers(page.page), []);
    await page.end();
  });

  test("amounts and shares are drawn alike, for each side is drawn to its own total", async () => {
    for (const measure of ["0", "1"]) {
      const page = await opened(diff(`&norm=${measure}`));
      assert.equal(await nameAt(page, "base", 0.39, 2), "idle");
      assert.equal(await nameAt(page, "other", 0.21, 2), "work");
      assert.equal(await page.at("heading-other").textContent(), "Comparison 2 s");
      await page.end();
    }
  });

  test("a frame that is pointed at is outlined on both sides", async () => {
    const page = await opened();
    const edges = () => Promise.all(SIDES.map((side) => edge(page, side, "hash")));
    const plain = await edges();
    for (const side of SIDES) {
      assert.equal(await nameAt(page, side, 0.7, 3), "hash");
      const pointed = await edges();
      for (const [i, colour] of pointed.entries()) assert.notEqual(colour, plain[i], `${SIDES[i]}: outlined`);
      await page.page.mouse.move(0, 0);
      await page.at("tooltip").waitFor({ state: "detached" });
      assert.deepEqual(await edges(), plain, "no more");
    }
    await page.end();
  });

  test("both are zoomed, and one says that it lacks the frame; the link restores it", async () => {
    const page = await opened();
    const zoomAt = async (side, share, depth) => {
      const box = await page.at(`flame-${side}`).boundingBox();
      await page.page.mouse.dblclick(box.x + share * box.width, box.y + (depth + 0.5) * ROW, { delay: 60 });
      await page.page.waitForURL(/[?&]z=/);
    };
    await zoomAt("base", 0.7, 2);
    await page.at("crumbs").waitFor();
    const work = {
      base: { work: [2, 0, 1], hash: [3, 0, 0.75], sort: [3, 0.75, 1] },
      other: { work: [2, 0, 1], hash: [3, 0, 0.75], zip: [3, 0.75, 1] },
    };
    for (const side of SIDES) await checkWidths(page, side, work[side]);
    assert.equal(await page.at("nothing-base").count(), 0);

    await zoomAt("other", 0.9, 3);
    await page.page.getByText("This frame is not in the baseline.").waitFor();
    assert.equal(await page.at("nothing-other").count(), 0);
    await checkWidths(page, "other", { zip: [3, 0, 1] });
    assert.equal(await nameAt(page, "base", 0.5, 3), null);
    const link = page.page.url();
    assert.match(link, /[?&]v=sides/);
    await page.end();

    const again = await openPage(browser, link.replace(/^https?:\/\/[^/]+/, ""));
    await again.page.getByText("This frame is not in the baseline.").waitFor();
    assert.equal(await again.at("view-sides").getAttribute("aria-pressed"), "true");
    await checkWidths(again, "other", { zip: [3, 0, 1] });
    await again.page.keyboard.press("Escape");
    await again.at("nothing-base").waitFor({ state: "detached" });
    for (const side of SIDES) await checkWidths(again, side, work[side]);
    await again.end();
  });

  test("by keyboard, from either picture", async () => {
    const page = await opened();
    const { keyboard } = page.page;
    for (const side of SIDES) {
      const plain = await edge(page, "base", "hash");
      await page.at(`flame-${side}`).focus();
      await keyboard.press("ArrowDown");
      await says(page, "main, 100 % of the baseline, 100 % of the comparison, 3 children");
      await keyboard.press("ArrowDown");
      await says(page, "work, 40 % of the baseline, 80 % of the comparison, 3 children");
      await keyboard.press("ArrowDown");
      await says(page, "hash, 30 % of the baseline, 60 % of the comparison, 0 children");
      assert.notEqual(await edge(page, "base", "hash"), plain, "outlined, whichever picture has the keys");
      await keyboard.press("ArrowRight");
      await says(page, "sort, 10 % of the baseline, 0 % of the comparison, 0 children");
      await keyboard.press("Enter");
      await page.page.getByText("This frame is not in the comparison.").waitFor();
      await checkWidths(page, "base", { sort: [3, 0, 1] });
      await keyboard.press("0");
      await page.at("nothing-other").waitFor({ state: "detached" });
      for (let up = 0; up < 3; up++) await keyboard.press("ArrowUp");
      await says(page, "total, 100 % of the baseline, 100 % of the comparison, 1 child");
    }
    await keyboard.press("1");
    await page.at("flame").waitFor();
    await keyboard.press("9");
    await page.at("side-by-side").waitFor();
    await page.end();
  });

  test("search and filters are of both", async () => {
    const page = await opened(diff("&q=hash"));
    const dim = await Promise.all(SIDES.map((side) => edge(page, side, "idle")));
    await page.at("search").fill("idle");
    await page.page.waitForURL(/q=idle/);
    await page
      .at("search-result")
      .filter({ hasText: /^1 frame · \S+ % → \S+ %$/ })
      .waitFor();
    await settled(page.page);
    for (const [i, side] of SIDES.entries()) assert.notEqual(await edge(page, side, "idle"), dim[i], side);
    await page.end();

    const filtered = await opened(diff("&f=focus:^work$&norm=0"));
    assert.equal(await filtered.at("heading-base").textContent(), "Baseline 400 ms");
    assert.equal(await filtered.at("heading-other").textContent(), "Comparison 1.6 s");
    await checkWidths(filtered, "base", { work: [2, 0, 1], hash: [3, 0, 0.75], sort: [3, 0.75, 1] });
    await checkWidths(filtered, "other", { work: [2, 0, 1], hash: [3, 0, 0.75], zip: [3, 0.75, 1] });
    await filtered.end();

    // Shares are of what there was before the filter.
    const shares = await opened(diff("&f=focus:^work$&norm=1"));
    assert.equal(await shares.at("heading-base").textContent(), "Baseline 40 %");
    assert.equal(await shares.at("heading-other").textContent(), "Comparison 80 %");
    await shares.end();

    const gone = await openPage(browser, diff("&f=focus:^sort$"));
    await gone.page.getByText("No stacks of the comparison match the filters.").waitFor();
    await checkWidths(gone, "base", { sort: [3, 0, 1] });
    await gone.end();
  });

  test("pictures that are taller than their place scroll together", async () => {
    const stack = Array.from({ length: 80 }, (_, i) => `level_${String(i).padStart(2, "0")}`);
    writeFileSync(own("sides-deep.folded"), `${stack.join(";")} 10\n`);
    writeFileSync(own("sides-shallow.folded"), `${stack.slice(0, 3).join(";")} 10\n`);
    const page = await comparedFiles("sides-deep.folded", "sides-shallow.folded");
    await page.page.keyboard.press("9");
    await listed(page, "base", 10);
    assert.equal(await nameAt(page, "other", 0.5, 3), "level_02");
    const box = await page.at("flame-base").boundingBox();
    await page.page.mouse.move(box.x + 100, box.y + 100);
    await page.page.mouse.wheel(0, 2 * ROW);
    assert.equal(await nameAt(page, "base", 0.5, 1), "level_02");
    assert.equal(await nameAt(page, "other", 0.5, 1), "level_02");
    // Far down the shallow side has no rows; the frame is on it all the same.
    await page.page.mouse.move(box.x + 100, box.y + 100);
    await page.page.mouse.wheel(0, 2000);
    assert.match((await nameAt(page, "base", 0.5, 1)) ?? "", /^level_[4-7]/);
    assert.equal(await page.at("nothing-other").count(), 0);
    await page.end();
  });
});

async function comparedFiles(...names) {
  const page = await openPage(browser, "/file");
  await page.at("dropzone").waitFor({ state: "attached" });
  await drop(page.page, ...names.map(own));
  await page.at("compare").click();
  await page.at("legend").waitFor();
  return page;
}

test("a link to lines of a comparison shows the flame graph, as its tabs say", async () => {
  const page = await openPage(browser, diff().replace("v=sides", "v=lines"));
  await page.at("flame").waitFor();
  assert.equal(await page.at("view-flame").getAttribute("aria-pressed"), "true");
  assert.equal(await page.at("view-lines").count(), 0);
  assert.equal(await page.at("lines").count(), 0);
  await page.end();
});

test("is offered for comparisons alone, also on a page that works offline", async () => {
  for (const side of SIDES) writeFileSync(own(`sides-${side}.folded`), STACKS[side]);
  const page = await openPage(browser, "/file?v=sides");
  await page.at("dropzone").waitFor({ state: "attached" });
  await drop(page.page, own("sides-base.folded"));
  // A link may name it all the same: then there is the flame graph.
  await page.at("flame").waitFor();
  assert.equal(await page.at("view-sides").count(), 0);
  await page.page.keyboard.press("1");
  await page.page.waitForURL((url) => !url.searchParams.has("v"));
  await page.page.keyboard.press("9");
  await settled(page.page);
  assert.ok(!page.page.url().includes("v=sides"), "the key does nothing");
  await page.end();

  const files = await comparedFiles("sides-base.folded", "sides-other.folded");
  await files.at("view-sides").click();
  await listed(files, "base", 1);
  await checkWidths(files, "base", FRAMES.base);
  await checkWidths(files, "other", FRAMES.other);
  assert.equal(await files.at("heading-base").textContent(), "Baseline 100 samples");
  assert.equal(await files.at("heading-other").textContent(), "Comparison 200 samples");
  // Of shares, too, the heading says what the file has.
  assert.ok(await files.at("normalise").isChecked());
  const path = await exported(files, "html");
  await files.at("swap").click();
  await files.at("heading-base").filter({ hasText: "Baseline 200" }).waitFor();
  await checkWidths(files, "base", FRAMES.other);
  await files.at("swap").click();
  await files.at("heading-base").filter({ hasText: "Baseline 100" }).waitFor();
  await files.at("flame-other").focus();
  for (let i = 0; i < 2; i++) await files.page.keyboard.press("ArrowDown");
  await says(files, "work, 40 % of the baseline, 80 % of the comparison, 3 children");
  await files.page.keyboard.press("f");
  await files.at("heading-other").filter({ hasText: "Comparison 80 %" }).waitFor();
  await files.end();

  const alone = await offline(browser, path);
  await listed(alone, "base", 7);
  for (const side of SIDES) await checkWidths(alone, side, FRAMES[side]);
  assert.deepEqual(alone.errors, []);
  await alone.context.close();
});

test("table and sandwich begin with the largest decrease when the whole decreased", async () => {
  const swapped = diff("&norm=0").replace(/(from|until)(2?)=/g, (_, name, suffix) => `${name}${suffix ? "" : "2"}=`);
  const first = async ({ page, at }, path, direction) => {
    await page.goto(new URL(path.replace("v=sides", "v=table"), page.url()).href);
    await at("row").first().locator(".num").first().waitFor();
    const head = page.locator("[aria-sort]:has([data-testid=sort-delta])");
    assert.equal(await head.getAttribute("aria-sort"), direction);
    return at("row").first().locator(".name").textContent();
  };
  const page = await opened();
  assert.equal(await first(page, swapped, "ascending"), "work");
  assert.deepEqual(
    await page.page.locator("[role=columnheader]").evaluateAll((heads) => heads.map((head) => head.textContent)),
    ["Function", "Baseline total", "Comparison total", "Change ↑", "Self change"],
  );
  await page.page.keyboard.press("5");
  await page.page.waitForURL(/[?&]b=work(&|$)/);
  assert.equal(await first(page, `${swapped}&o=-delta`, "descending"), "old");
  assert.equal(await first(page, diff("&norm=0"), "descending"), "work");
  await page.end();
});

test("the details of a frame lie over the side that was not clicked, and nothing moves", async () => {
  const page = await opened(diff());
  const places = () => Promise.all(SIDES.map((side) => page.at(`flame-${side}`).boundingBox()));
  const before = await places();
  const box = await page.at("flame-other").boundingBox();
  await page.page.mouse.click(box.x + 0.9 * box.width, box.y + 3.5 * ROW);
  await page.at("drawer-name").filter({ hasText: "zip" }).waitFor();
  await page.page.getByText("Only in the comparison.").waitFor();
  assert.deepEqual(await places(), before);
  await page.page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/sides-drawer.png` });
  await page.page.keyboard.press("Escape");
  await page.at("drawer").waitFor({ state: "detached" });
  for (const side of SIDES) await checkWidths(page, side, FRAMES[side]);
  await page.end();
});

for (const [colorScheme, width] of [
  ["light", 390],
  ["dark", 390],
  ["light", 1400],
  ["dark", 1400],
])
  test(`fits ${width} pixels, ${colorScheme}`, async () => {
    const page = await opened(diff(), { colorScheme, viewport: { width, height: 844 } });
    assert.equal(await page.page.evaluate(() => document.documentElement.scrollWidth), width, "nothing is cut off");
    const [base, other] = await Promise.all(SIDES.map((side) => page.at(`flame-${side}`).boundingBox()));
    if (width === 390) {
      assert.ok(other.y >= base.y + base.height && other.width === width, "one above the other");
      await page.at("flame-other").scrollIntoViewIfNeeded();
    } else assert.ok(other.x >= base.x + base.width && other.y === base.y, "next to each other");
    assert.ok(Math.min(base.height, other.height) > 4 * ROW, "rows are seen");
    await nameAt(page, "base", 0.7, 2);
    await page.page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/sides-${colorScheme}-${width}.png` });
    await page.end();
  });
