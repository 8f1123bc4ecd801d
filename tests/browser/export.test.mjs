/** What is seen, handed on: pictures, tables, profiles, a page that works offline, a link. Each is read back. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { amount, close, drawnFrames, drop, exported, launch, offline, openPage, own, settled, url } from "./page.mjs";
import { callTree, functionsOf, nodesOf, readPprof, writePprof } from "./pprof.mjs";

const FILES = { before: own("checkout-1.8.2.pb.gz"), after: own("checkout-1.9.0.pb.gz") };
/** CPU nanoseconds, in Go's profiles the second column and the one shown first. */
const CPU = 1;

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

async function opened(...paths) {
  const page = await openPage(browser, "/file", { permissions: ["clipboard-read", "clipboard-write"] });
  await page.at("dropzone").waitFor({ state: "attached" });
  await drop(page.page, ...paths);
  return page;
}

const rootOf = (path) => callTree(readPprof(path), CPU);
const asText = (root) => nodesOf(root).map(({ name, depth, total, self }) => `${depth} ${name} ${total} ${self}`);

test("a profile leaves as it came: pprof and folded stacks", async () => {
  const page = await opened(FILES.before);
  const profile = readPprof(FILES.before);
  await drawnFrames(page.page, rootOf(FILES.before).total);
  const pprof = await exported(page, "pprof");
  assert.match(pprof, /exported-checkout-1\.8\.2\.pb\.gz$/);
  const again = readPprof(pprof);
  assert.deepEqual(again.types, profile.types);
  for (const column of profile.types.keys())
    assert.deepEqual(asText(callTree(again, column)), asText(callTree(profile, column)));

  const lines = readFileSync(await exported(page, "folded"), "utf8")
    .trimEnd()
    .split("\n");
  const samples = lines.map((line) => {
    const at = line.lastIndexOf(" ");
    return { stack: line.slice(0, at).split(";"), values: [Number(line.slice(at + 1))] };
  });
  assert.deepEqual(asText(callTree({ samples }, 0)), asText(callTree(profile, CPU)), "the type that is shown");
  await page.end();
});

/** A profile with the filters of an address, and what they leave of it. */
async function filtered() {
  const whole = readPprof(FILES.before);
  const samples = whole.samples.filter(({ stack }) => stack.some((name) => name.includes("regexp")));
  const root = callTree({ samples }, CPU);
  assert.ok(root.total > 0 && root.total < callTree(whole, CPU).total, "something is left, and something is not");
  const page = await openPage(browser, "/file?f=focus:regexp");
  await page.at("dropzone").waitFor({ state: "attached" });
  await drop(page.page, FILES.before);
  return { page, root, rows: await drawnFrames(page.page, root.total) };
}

const keysOf = (rows) => rows.map(({ name, depth, total }) => `${depth} ${name} ${total}`).sort();

test("a filtered profile leaves as it is seen, in each format, and opens again", async () => {
  const { page, root, rows } = await filtered();
  assert.deepEqual(asText(rootOf(await exported(page, "pprof"))), asText(root));
  for (const form of ["pprof", "folded", "speedscope", "flamebearer"]) {
    const path = await exported(page, form);
    const again = await opened(path);
    assert.deepEqual(keysOf(await drawnFrames(again.page, root.total)), keysOf(rows), form);
    assert.equal(await again.at("heatmap").count(), 0, `${form} has no times`);
    await again.end();
  }
  const alone = await offline(browser, await exported(page, "html"));
  assert.deepEqual(keysOf(await drawnFrames(alone.page, root.total)), keysOf(rows));
  assert.equal(await alone.at("step").count(), 0, "the profile has it behind it");
  await alone.context.close();
  await page.end();
});

test("a filtered profile leaves whole when that is wanted, and its page has the filter", async () => {
  const { page, root, rows } = await filtered();
  await page.at("export").click();
  // The box stands with what it changes: pictures and the table are of what is seen.
  const [seen, whole] = (await page.page.locator(".menu-panel").textContent()).split("Profile");
  assert.match(seen, /^With the filters.*PNG.*SVG.*CSV/);
  assert.match(whole, /^Ignore the filters/);
  await page.at("export-whole").check();
  await page.page.keyboard.press("Escape");
  assert.deepEqual(asText(rootOf(await exported(page, "pprof"))), asText(rootOf(FILES.before)));
  const alone = await offline(browser, await exported(page, "html"));
  assert.deepEqual(keysOf(await drawnFrames(alone.page, root.total)), keysOf(rows));
  await alone.at("step").click();
  await drawnFrames(alone.page, rootOf(FILES.before).total);
  await alone.context.close();
  await page.end();
});

test("a filtered comparison keeps its filter in the page that works offline", async () => {
  const page = await openPage(browser, "/file?m=compare&norm=0&f=focus:regexp&i=1");
  await page.at("dropzone").waitFor({ state: "attached" });
  await drop(page.page, FILES.before, FILES.after);
  await page.at("compare").click();
  await page.at("legend").waitFor();
  const total = (path) =>
    readPprof(path)
      .samples.filter(({ stack }) => stack.some((name) => name.includes("regexp")))
      .reduce((sum, { values }) => sum + values[CPU], 0);
  const exact = [FILES.before, FILES.after].map(total);
  const said = (title) => title.match(/\d[\d,]*/g).map((number) => Number(number.replaceAll(",", "")));
  assert.deepEqual(said(await page.at("diff-totals").getAttribute("title")), exact);
  assert.match(await page.at("steps-share").textContent(), /^[\d.]+ % → [\d.]+ % of each side$/);
  assert.equal(await page.at("invert").getAttribute("aria-pressed"), "true");
  const alone = await offline(browser, await exported(page, "html"));
  await alone.at("legend").waitFor();
  assert.deepEqual(said(await alone.at("diff-totals").getAttribute("title")), exact);
  assert.equal(await alone.at("step").count(), 1);
  await alone.context.close();
  await page.end();
});

test("the table as CSV has every function, in the order that is seen", async () => {
  const page = await opened(FILES.before);
  await drawnFrames(page.page, rootOf(FILES.before).total);
  const expected = functionsOf(readPprof(FILES.before), CPU);
  const read = async () => {
    const [head, ...lines] = readFileSync(await exported(page, "csv"), "utf8")
      .trimEnd()
      .split("\r\n");
    assert.equal(head, "function,file,self (nanoseconds),total (nanoseconds)");
    return lines.map((line) => {
      const [, quoted, plain, rest] = /^(?:"((?:[^"]|"")*)"|([^,]*)),(.*)$/.exec(line);
      const [self, total] = rest.split(",").slice(-2).map(Number);
      return { name: (plain ?? quoted.replaceAll('""', '"')).replace(/^'(?=[=+\-@])/, ""), self, total };
    });
  };
  const byName = (a, b) => (a.name < b.name ? -1 : 1);
  const rows = await read();
  assert.deepEqual(
    rows.map(({ self }) => self),
    rows.map(({ self }) => self).sort((a, b) => b - a),
  );
  assert.deepEqual(rows.sort(byName), expected.sort(byName));
  await page.page.keyboard.press("/");
  await page.at("search").fill("regexp");
  await page.at("search-result").filter({ hasText: "frame" }).waitFor();
  const found = expected.filter(({ name }) => name.toLowerCase().includes("regexp"));
  assert.deepEqual((await read()).sort(byName), found, "the functions that the search finds");
  await page.end();
});

test("the file name of a chart's picture and table has the thread that they are of", async () => {
  const path = own("threads.speedscope.json");
  const frames = ["work", "wait"].map((name) => ({ name }));
  const profiles = [10, 7].map((end, frame) => ({
    type: "evented",
    name: `T${frame + 1}`,
    unit: "milliseconds",
    startValue: 0,
    endValue: end,
    events: [
      { type: "O", frame, at: 0 },
      { type: "C", frame, at: end },
    ],
  }));
  writeFileSync(path, JSON.stringify({ shared: { frames }, profiles }));
  const page = await opened(path);
  const fileOf = async (form) => (await exported(page, form)).replace(/.*exported-/, "");
  await page.at("flame").waitFor();
  assert.equal(await fileOf("csv"), "threads.speedscope.csv");
  await page.at("view-chart").click();
  await page.at("thread").selectOption("T2");
  await settled(page.page);
  for (const form of ["csv", "png", "svg"]) assert.equal(await fileOf(form), `threads.speedscope-T2.${form}`);
  assert.equal(await fileOf("folded"), "threads.speedscope.folded.txt", "the profile has both threads");
  await page.end();
});

test("the picture as PNG and SVG shows the boxes that are seen", async () => {
  const page = await opened(FILES.before);
  const rows = await drawnFrames(page.page, rootOf(FILES.before).total);
  const width = await page.at("flame").evaluate((canvas) => canvas.clientWidth);
  const png = readFileSync(await exported(page, "png"));
  assert.equal(png.toString("latin1", 1, 4), "PNG");
  assert.equal(png.readUInt32BE(16), 2 * width, "two pixels for each of the screen's");
  const height = png.readUInt32BE(20) / 2;
  const colours = await page.page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, 200);
    const found = new Set();
    for (let i = 0; i < data.length; i += 4) found.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
    return found.size;
  }, png.toString("base64"));
  assert.ok(colours > 20, `${colours} colours`);

  const svg = readFileSync(await exported(page, "svg"), "utf8");
  const drawn = await page.page.evaluate((svg) => {
    const root = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
    const boxes = [...root.querySelectorAll("g")].map((group) => ({
      title: group.querySelector("title").textContent,
      text: group.querySelector("text")?.textContent ?? "",
      depth: Number(group.querySelector("rect").getAttribute("y")) / 20,
    }));
    return { tag: root.tagName, width: root.getAttribute("width"), height: root.getAttribute("height"), boxes };
  }, svg);
  assert.deepEqual([drawn.tag, Number(drawn.width), Number(drawn.height)], ["svg", width, height]);
  for (const { name, depth, total } of rows) {
    const same = drawn.boxes.filter((box) => box.depth === depth && (depth === 0 || box.title.startsWith(`${name}\n`)));
    const costs = same.map(({ title }) => amount(title.split("\n")[1].split(" · ")[0]));
    assert.ok(
      costs.some((cost) => Math.abs(cost - total) <= total * 0.01),
      `${depth} ${name} ${total} is not in the drawing`,
    );
  }
  assert.ok(drawn.boxes.filter(({ text }) => text !== "").length > 20, "text that can be selected");
  assert.match(drawn.boxes[0].text, /^total /);

  // Zoomed, the frame fills the width.
  const { name } = rows.find(({ depth }) => depth === 3);
  await page.at("flame").focus();
  for (let i = 0; i < 3; i++) await page.page.keyboard.press("ArrowDown");
  await page.page.keyboard.press("Enter");
  await page.at("crumbs").waitFor();
  const zoomed = readFileSync(await exported(page, "svg"), "utf8");
  const wide = [...zoomed.matchAll(/<title>([^\n]*)\n[^<]*<\/title><rect x="0" y="60" width="(\d+)"/g)];
  assert.deepEqual(
    wide.map(([, title, wide]) => [title, Number(wide)]),
    [[name, width - 1]],
  );
  await page.end();
});

test("the page that works offline shows the same, and connects to nothing", async () => {
  const page = await opened(FILES.before);
  const root = rootOf(FILES.before);
  const seen = await drawnFrames(page.page, root.total);
  const path = await exported(page, "html");
  await page.end();
  const alone = await offline(browser, path);
  const { at, requests, errors, context } = alone;
  const key = ({ name, depth, total }) => `${depth} ${name} ${total}`;
  const drawn = (await drawnFrames(alone.page, root.total)).map(key);
  // Windows of one size: the same boxes.
  assert.deepEqual(drawn.sort(), seen.map(key).sort());

  await alone.page.keyboard.press("2");
  await at("row").first().waitFor();
  const [first] = functionsOf(readPprof(FILES.before), CPU).sort((a, b) => b.self - a.self);
  const [name, self, total] = await at("row").first().locator("[role=cell]").allTextContents();
  assert.equal(name, first.name);
  close(amount(self), first.self, "self");
  close(amount(total), first.total, "total");
  await alone.page.keyboard.press("3");
  await alone.page.keyboard.press("/");
  await at("search").fill("regexp");
  await at("search-result").filter({ hasText: "frame" }).waitFor();
  await at("row").first().click();
  await at("drawer").waitFor();
  assert.equal(asText(callTree(readPprof(await exported(alone, "pprof")), CPU)).length, asText(root).length);
  assert.equal(await at("share").count(), 0, "there is no address to share");
  await at("export").click();
  assert.equal(await at("export-html").count(), 0);
  await alone.page.keyboard.press("Escape");
  await alone.page.reload();
  await at("search-result").filter({ hasText: "frame" }).waitFor();
  assert.equal(await at("search").inputValue(), "regexp", "the view is in the address");

  await at("open-file").setInputFiles(FILES.after);
  await drawnFrames(alone.page, rootOf(FILES.after).total);
  const foreign = requests.filter((request) => !/^(file|data|blob):/.test(request));
  assert.deepEqual(foreign, [], "something was asked for");
  assert.deepEqual(errors, []);
  await context.setOffline(false);
  const refused = await alone.page.evaluate(async (address) => {
    const violation = new Promise((resolve) => addEventListener("securitypolicyviolation", resolve, { once: true }));
    const answer = await fetch(address).then(
      () => "an answer",
      () => "refused",
    );
    return [answer, (await violation).effectiveDirective];
  }, `${url}/healthz`);
  assert.deepEqual(refused, ["refused", "connect-src"]);
  await context.close();
});

test("the page that works offline keeps a comparison and what is seen of it", async () => {
  const page = await opened(FILES.before, FILES.after);
  await page.at("compare").click();
  await page.at("legend").waitFor();
  await page.at("view-both").click();
  const totals = await page.at("diff-totals").getAttribute("title");
  assert.equal(await (await menu(page)).at("export-pprof").isDisabled(), true);
  await page.page.keyboard.press("Escape");
  const path = await exported(page, "html");
  await page.end();
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [1400, 390]) {
      const alone = await offline(browser, path, { colorScheme, viewport: { width, height: 844 } });
      await alone.at("legend").waitFor();
      assert.equal(await alone.at("diff-totals").getAttribute("title"), totals);
      await alone.at("row").first().waitFor();
      await settled(alone.page);
      const picture = join(process.env.PILOTLIGHT_SHOTS, `standalone-${colorScheme}-${width}.png`);
      await alone.page.screenshot({ path: picture });
      assert.deepEqual(alone.errors, []);
      await alone.context.close();
    }
  }
});

async function menu(page) {
  await page.at("export").click();
  await page.at("export-png").waitFor();
  return page;
}

test("a small profile is a link, and nothing of it is sent", async () => {
  const path = own("linked.pb.gz");
  writeFileSync(
    path,
    writePprof("cpu", "nanoseconds", ["main;work;hash 6000000000", "main;work 1000000", "main;idle 25"]),
  );
  const root = callTree(readPprof(path), 0);
  const page = await opened(path);
  await drawnFrames(page.page, root.total);
  await page.at("view-both").click();
  await page.at("share").click();
  await page.at("copy-link").click();
  await page.at("notice").filter({ hasText: "Copied the link" }).waitFor();
  const link = await page.page.evaluate(() => navigator.clipboard.readText());
  assert.ok(link.startsWith(`${url}/file?t=cpu&v=both#p=`), link);
  await page.end();

  const other = await openPage(browser, link.slice(url.length));
  const rows = await drawnFrames(other.page, root.total);
  assert.deepEqual(
    rows.map(({ name, depth, total }) => `${depth} ${name} ${total}`).sort(),
    nodesOf(root)
      .map(({ name, depth, total }) => `${depth} ${name} ${total}`)
      .filter((text) => rows.some(({ name, depth, total }) => text === `${depth} ${name} ${total}`))
      .sort(),
  );
  await other.at("row").first().waitFor();
  assert.match(await other.at("files").textContent(), /linked\.pb\.gz/);
  await other.at("view-flame").click();
  assert.match(other.page.url(), /\/file\?t=cpu#p=/, "the profile stays in the address");
  const profile = /#p=([\w-]+)/.exec(link)[1];
  for (const { url: asked, body } of other.requests) {
    assert.ok(!asked.split("#")[0].includes(profile) && !body, `${asked.slice(0, 100)} was sent`);
  }
  await other.page.reload();
  await drawnFrames(other.page, root.total);
  await other.end();

  const cut = await openPage(browser, link.slice(url.length, link.indexOf("#p=") + 30));
  await cut.at("problem").waitFor();
  await cut.end();
});

test("a profile that is too large for a link says so", async () => {
  const path = own("too-large.pb.gz");
  const random = (i) => Math.abs(Math.sin(i + 1) * 1e16).toString(36);
  const lines = Array.from({ length: 4000 }, (_, i) => `main;${random(i)}${random(i + 0.5)} ${i + 1}`);
  writeFileSync(path, writePprof("cpu", "nanoseconds", lines));
  const page = await opened(path);
  await page.at("share").click();
  await page.page.getByText(/too large for a link/).waitFor();
  assert.equal(await page.at("copy-link").count(), 0);
  await page.end();
});

test("a comparison of a service leaves as one page with both sides, as shares", async () => {
  const type = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
  const sides = `l=${encodeURIComponent('version="1.8.2"')}&l2=${encodeURIComponent('version="1.9.0"')}`;
  const page = await openPage(
    browser,
    `/diff?s=checkout&t=${type}&from=now-3h&from2=now-3h&until2=now&norm=1&${sides}`,
  );
  await page.at("legend").waitFor();
  await page.at("view-table").click();
  const shares = (of) => of.at("row").evaluateAll((rows) => rows.slice(0, 20).map((row) => row.innerText));
  await page.at("row").first().waitFor();
  await settled(page.page);
  const expected = await shares(page);
  assert.ok(expected.length > 10 && expected.some((text) => / %/.test(text)));
  const path = await exported(page, "html");
  await page.end();
  const alone = await offline(browser, path);
  await alone.at("legend").waitFor();
  await alone.at("row").first().waitFor();
  await settled(alone.page);
  assert.deepEqual(await shares(alone), expected);
  await alone.context.close();
});

test("of what exists at an instant, the page of a comparison has the averages", async () => {
  const sides = `l=${encodeURIComponent('version="1.8.2"')}&l2=${encodeURIComponent('version="1.9.0"')}`;
  const page = await openPage(
    browser,
    `/diff?s=checkout&t=memory:inuse_space:bytes:space:bytes&from=now-3h&from2=now-3h&${sides}`,
  );
  await page.at("diff-totals").waitFor();
  const amounts = (text) => text.match(/[\d.]+ MiB/g);
  const expected = amounts(await page.at("diff-totals").textContent());
  assert.equal(expected?.length, 2);
  const path = await exported(page, "html");
  await page.end();
  const alone = await offline(browser, path);
  await alone.at("diff-totals").waitFor();
  assert.deepEqual(amounts(await alone.at("diff-totals").textContent()), expected);
  assert.match(await alone.page.title(), /checkout/);
  await alone.context.close();
});
