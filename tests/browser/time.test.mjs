/** What happened when: heatmap, its parts and their comparison, axes; and labels of samples. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { drawnFrames, drop, launch, openPage, own, settled } from "./page.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

const shot = (page, name) => page.screenshot({ path: join(process.env.PILOTLIGHT_SHOTS, `${name}.png`) });

/** A profile of V8: idle at first, then `load` and `render`, in turns of a tenth of a second each. */
function recorded() {
  const names = ["(root)", "(idle)", "load", "render", "paint"];
  const children = { 1: [2, 3, 4], 4: [5] };
  const nodes = names.map((functionName, i) => ({
    id: i + 1,
    callFrame: { functionName, scriptId: "0", url: i > 1 ? "file:///app.js" : "", lineNumber: i, columnNumber: 0 },
    children: children[i + 1],
  }));
  // 10 ms each: two seconds, with nothing to do in half of them.
  const samples = Array.from({ length: 200 }, (_, i) => (i % 10 < 5 ? 2 : i < 100 ? 3 : i % 2 ? 4 : 5));
  const timeDeltas = samples.map((_, i) => (i === 0 ? 0 : 10_000));
  return JSON.stringify({ nodes, samples, timeDeltas, startTime: 0, endTime: 2_000_000 });
}

async function openRecorded(path = "/file", options = {}) {
  writeFileSync(own("recorded.cpuprofile"), recorded());
  const window = await openPage(browser, path, options);
  await window.at("dropzone").waitFor({ state: "attached" });
  await drop(window.page, own("recorded.cpuprofile"));
  await window.at("heatmap").waitFor();
  return window;
}

/** Drags over the strip from one fraction of its width to another. */
async function brush({ page, at }, from, until) {
  await settled(page);
  const { x, y, width, height } = await at("heatmap").boundingBox();
  await page.mouse.move(x + width * from, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width * ((from + until) / 2), y + height / 2);
  await page.mouse.move(x + width * until, y + height / 2);
  await page.mouse.up();
}

const MS = 1_000_000;

test("what is idle is left out of the heat until it is asked for", async () => {
  const { page, at, end } = await openRecorded();
  await drawnFrames(page, 2000 * MS);
  const busy = () =>
    at("heatmap").evaluate((canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return data.filter((_, i) => i % 4 === 3 && data[i] > 0).length / (canvas.width * canvas.height);
    });
  assert.equal(await at("idle").getAttribute("aria-pressed"), "false");
  assert.equal(await at("idle").getAttribute("title"), "Include idle samples in the strip");
  const without = await busy();
  await at("idle").click();
  await page.waitForURL(/[?&]idle=1/);
  await page.waitForFunction(() => document.querySelector("[data-testid=idle]").ariaPressed === "true");
  await settled(page);
  const all = await busy();
  assert.ok(without > 0.3 && without < 0.7, `${without} of the strip is busy`);
  assert.ok(all > 0.9, `${all} of the strip is busy or idle`);
  // The profile itself is all of it either way.
  await drawnFrames(page, 2000 * MS);
  await page.goBack();
  await page.waitForFunction(() => document.querySelector("[data-testid=idle]").ariaPressed === "false");
  await end();
});

test("two parts of the time are a comparison, undone like any step", async () => {
  const window = await openRecorded();
  const { page, at, end } = window;
  await drawnFrames(page, 2000 * MS);
  assert.ok(await at("compare-time").isDisabled());
  await brush(window, 0.02, 0.48);
  await at("step").waitFor();
  assert.match(page.url(), /[?&]f=time:0\.0\d*-0\.9\d*/);
  await page.keyboard.down("Shift");
  await brush(window, 0.52, 0.98);
  await page.keyboard.up("Shift");
  await at("against").waitFor();
  await at("legend").waitFor();
  assert.match(page.url(), /[?&]vs=/);
  await page.waitForFunction(() =>
    [...document.querySelectorAll("[data-testid=frames] tbody th")].some((cell) => cell.textContent === "render"),
  );
  const names = () => at("frames").locator("tbody th").allTextContents();
  // Loading is gone, and rendering is new.
  for (const name of ["load", "render", "paint"]) assert.ok((await names()).includes(name), name);
  await shot(page, "parts-light");
  await page.emulateMedia({ colorScheme: "dark" });
  await shot(page, "parts-dark");
  await page.emulateMedia({ colorScheme: "light" });
  // They have no form of their own, and the whole recording is not what is seen.
  await at("export").click();
  for (const form of ["html", "pprof", "folded"]) assert.ok(await at(`export-${form}`).isDisabled(), form);
  assert.ok(await at("export-csv").isEnabled());
  await page.keyboard.press("Escape");
  await at("share").click();
  assert.match(await page.getByRole("dialog", { name: "Share" }).textContent(), /parts of a file can't be shared/);
  await page.keyboard.press("Escape");

  // A step counts on both sides.
  await at("step-add").click();
  await at("step-pattern").fill("^render$");
  await page.keyboard.press("Enter");
  await page.waitForFunction(
    () => ![...document.querySelectorAll("[data-testid=frames] tbody th")].some((cell) => cell.textContent === "load"),
  );
  await page.keyboard.press("z");
  await page.waitForFunction(() =>
    [...document.querySelectorAll("[data-testid=frames] tbody th")].some((cell) => cell.textContent === "load"),
  );
  const link = page.url();
  const totals = () => at("diff-totals").getAttribute("title");
  const before = await totals();
  await page.keyboard.press("x");
  await page.waitForFunction((link) => location.href !== link, link);
  await page.keyboard.press("z");
  await page.waitForURL(link);
  await page.waitForFunction((before) => document.querySelector("[data-testid=diff-totals]").title === before, before);

  const again = await openRecorded(link.slice(link.indexOf("/file")));
  await again.at("against").waitFor();
  await again.at("legend").waitFor();
  assert.equal(await again.at("diff-totals").getAttribute("title"), before);
  await again.at("view-chart").click();
  await again.at("axis").nth(1).waitFor();
  assert.match(await again.at("against").textContent(), /^against .*, not in Chart$/, "a chart is of the first part");
  await again.page.keyboard.press("1");
  await again.at("legend").waitFor();
  assert.equal(await again.at("diff-totals").getAttribute("title"), before);
  await again.at("explain-button").click();
  await again
    .at("explain")
    .filter({ hasText: /times .* and / })
    .waitFor();
  await again.end();

  await page.keyboard.press("z");
  await at("against").waitFor({ state: "detached" });
  await page.keyboard.press("z");
  await drawnFrames(page, 2000 * MS);
  await end();
});

test("the keyboard chooses both parts", async () => {
  const { page, at, end } = await openRecorded();
  await drawnFrames(page, 2000 * MS);
  const strip = at("heatmap");
  await strip.focus();
  await page.keyboard.press("End");
  assert.equal(await strip.getAttribute("aria-valuenow"), await strip.getAttribute("aria-valuemax"));
  await page.keyboard.press("Home");
  await page.keyboard.down("Shift");
  for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowRight");
  await page.keyboard.up("Shift");
  await at("step").waitFor();
  assert.match(await strip.getAttribute("aria-valuetext"), /selected 0 to 40 ms/);
  await at("compare-time").focus();
  await page.keyboard.press("Enter");
  assert.equal(await at("compare-time").getAttribute("aria-pressed"), "true");
  await page.keyboard.press("PageDown");
  await page.keyboard.down("Shift");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.up("Shift");
  await at("against").waitFor();
  assert.match(await strip.getAttribute("aria-valuetext"), /compared with 130 ms to 150 ms/);
  assert.equal(await at("compare-time").getAttribute("aria-pressed"), "false");
  await page.keyboard.press("Escape");
  await at("against").waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  await at("step").waitFor({ state: "detached" });
  await end();
});

test("the strip says that it is shown without the filters of the picture", async () => {
  const { page, at, end } = await openRecorded();
  await drawnFrames(page, 2000 * MS);
  const strip = at("heatmap");
  const caption = page.locator(".heatmap-tools > .soft");
  const noted = (display) =>
    page.waitForFunction(
      (display) => getComputedStyle(document.querySelector(".heatmap-map"), "::before").display === display,
      display,
    );
  const before = await strip.boundingBox();
  const tip = async () => {
    const { x, y, width } = await strip.boundingBox();
    await page.mouse.move(x + width / 2 + 2, y - 30);
    await page.mouse.move(x + width / 2 + 2, y + 10);
    return at("heat-tip").textContent();
  };
  assert.match(await caption.textContent(), /larger value\.$/);
  assert.match(await tip(), / %$/);
  await at("step-add").click();
  await at("step-pattern").fill("render");
  await page.keyboard.press("Enter");
  await at("step").waitFor();
  await caption.filter({ hasText: "Shown without filters." }).waitFor();
  const same = ({ y, height }) => assert.deepEqual({ y, height }, { y: before.y, height: before.height });
  same(await strip.boundingBox());
  assert.match(await tip(), / % without filters$/);
  assert.match(await strip.getAttribute("aria-label"), /^Profile over time without filters\./);
  await noted("none");
  await page.setViewportSize({ width: 390, height: 844 });
  await noted("block");
  await shot(page, "strip-unfiltered");
  await at("clear-steps").click();
  await page.waitForSelector(".heatmap-map:not(.unfiltered)");
  await end();
});

test("on a phone, filters that scroll leave Undo and Clear in view", async () => {
  const options = { viewport: { width: 390, height: 844 } };
  const { page, at, end } = await openRecorded("/file?f=time:0-0.4&vs=0.5-0.9&f=ignore:nothing", options);
  await at("legend").waitFor();
  const row = at("steps");
  const hidden = () => row.evaluate((row) => row.scrollWidth - row.clientWidth - row.scrollLeft);
  const inView = async () => {
    for (const id of ["undo", "clear-steps"]) {
      const { x, width } = await at(id).boundingBox();
      assert.ok(x >= 0 && x + width <= 390, `${id}: ${x} to ${x + width}`);
    }
  };
  assert.ok((await hidden()) > 0, "there is more than fits");
  await inView();
  await shot(page, "steps-phone");
  await page.emulateMedia({ colorScheme: "dark" });
  await shot(page, "steps-phone-dark");
  await at("clear-steps").click();
  await row.waitFor({ state: "detached" });
  await end();
});

test("axes say when, and follow the zoom", async () => {
  const window = await openRecorded();
  const { page, at, end } = window;
  await drawnFrames(page, 2000 * MS);
  const labels = (axis) => at("axis").nth(axis).locator("span").allTextContents();
  await page.waitForFunction(() => document.querySelectorAll("[data-testid=axis] span").length > 3);
  const ofStrip = await labels(0);
  assert.equal(ofStrip[0], "0");
  assert.ok(ofStrip.includes("1 s"), ofStrip.join());
  await at("view-chart").click();
  await at("axis").nth(1).waitFor();
  // It is empty until its width is known.
  await page.waitForFunction(
    () => document.querySelectorAll("[data-testid=axis]")[1].querySelector("span")?.textContent === "0",
  );
  // A render in the second half: what it says under the pointer, and its axis when it is zoomed to.
  await page.keyboard.press("/");
  await at("search").fill("/^render$/");
  await at("search-result").filter({ hasText: "frame" }).waitFor();
  await page.keyboard.press("Enter");
  await at("search-result")
    .filter({ hasText: /^1 of / })
    .waitFor();
  await page.keyboard.press("Escape");
  assert.match(await at("current-frame").textContent(), /^render, .* from 1\.05 s, /);
  await at("flame").focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(/[?&]z=/);
  await page.waitForFunction(() =>
    /^1\.0\d* s$/.test(document.querySelectorAll("[data-testid=axis]")[1].querySelector("span")?.textContent ?? ""),
  );
  assert.equal(await at("crumbs").getByRole("button").first().textContent(), "duration");
  const { x, y, width } = await at("flame").boundingBox();
  await page.mouse.move(x + width / 2, y + 30);
  await at("when").waitFor();
  assert.match(await at("when").textContent(), /^from 1\.05 s to 1\.1 s$/);
  await page.mouse.move(x + width / 2, y - 5);
  await shot(page, "chart-axis");
  const strip = await at("heatmap").boundingBox();
  await page.mouse.move(strip.x + strip.width / 2 + 2, strip.y + 10);
  assert.match(await at("heat-tip").textContent(), /^1 s to 1\.01 s: /);
  await end();
});

/** Three hundred threads, each with one call of a millisecond. */
function traced() {
  const events = [];
  for (let i = 0; i < 300; i++)
    events.push({ ph: "X", name: i % 3 ? "work" : "wait", pid: 1, tid: i, ts: i * 1000, dur: 1000 });
  return JSON.stringify({ traceEvents: events });
}

test("labels are found, kept, dropped, and made frames", async () => {
  writeFileSync(own("labels.json"), traced());
  const { page, at, end } = await openPage(browser, "/file");
  await drop(page, own("labels.json"));
  await drawnFrames(page, 300 * MS);
  await at("labels").click();
  await at("label-values").waitFor();
  await at("label-key").selectOption("thread");
  await page.waitForSelector("[data-testid=label-values][data-count='300']");
  const made = await at("keep-label").count();
  assert.ok(made < 40, `${made} of 300 rows are made`);
  // The last one is reached by scrolling.
  await at("label-values").evaluate((list) => list.parentElement.scrollTo(0, 1e6));
  await page.waitForSelector("[data-testid=label-values] [aria-posinset='300'] button");
  await at("label-filter").fill("29");
  await page.waitForSelector("[data-testid=label-values][data-count='13']");
  await shot(page, "labels");
  await at("keep-all").click();
  await drawnFrames(page, 13 * MS);
  await at("labels").click();
  await at("label-key").selectOption("thread");
  await at("label-filter").fill("129");
  await page.waitForSelector("[data-testid=label-values][data-count='1']");
  await at("drop-label").click();
  await drawnFrames(page, 12 * MS);
  assert.deepEqual(await at("step").count(), 2);
  assert.match(await at("step").nth(1).textContent(), /^thread ≠ 129/);
  await at("labels").click();
  await at("label-key").selectOption("thread");
  await at("tagroot").click();
  await page.waitForFunction(() => document.querySelectorAll("[data-testid=frames] tbody tr").length === 1 + 2 * 12);
  const rows = await drawnFrames(page, 12 * MS);
  assert.ok(rows.some(({ name, depth, total }) => name === "229" && depth === 1 && total === MS));
  assert.match(await at("step").first().textContent(), /^thread at the root/);
  await page.keyboard.press("z");
  await page.keyboard.press("z");
  await drawnFrames(page, 13 * MS);
  // By hand, and by keys.
  await at("step-add").click();
  await at("step-verb").selectOption("tagignore");
  await at("step-pattern").fill("thread=(");
  await page.keyboard.press("Enter");
  await at("step-pattern-problem").waitFor();
  await at("step-pattern").fill("thread=9$");
  await page.keyboard.press("Enter");
  await drawnFrames(page, 9 * MS);
  await at("clear-steps").click();
  await at("labels").focus();
  await page.keyboard.press("Enter");
  await at("label-key").selectOption("thread");
  await page.waitForSelector("[data-testid=label-values][data-count='300']");
  await at("label-filter").focus();
  await page.keyboard.press("Tab");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await at("step").waitFor();
  await drawnFrames(page, MS);
  await end();
});
