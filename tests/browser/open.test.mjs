/** Ways into the page for files: folders, archives and addresses; what goes on meanwhile, and how it is stopped. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { drawnFrames, drop, launch, openPage, own, sending, url } from "./page.mjs";
import { callTree, readPprof, together } from "./pprof.mjs";
import { zip } from "./zip.mjs";

const [BEFORE, AFTER] = [own("checkout-1.8.2.pb.gz"), own("checkout-1.9.0.pb.gz")];
const CPU = 1;
const total = (...paths) => callTree(together(...paths.map(readPprof)), CPU).total;
const bytes = (text) => Buffer.from(text);
const names = (at) => at("files").locator(".file-name").allTextContents();
const problems = (page) =>
  page.getByTestId("problem").evaluateAll((all) => all.map((one) => one.querySelector("summary").textContent));

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

function archive(name, files) {
  const path = own(name);
  writeFileSync(path, zip(files));
  return path;
}

/** A folder with two profiles, one of them further down, a note, and what systems leave. */
function folder() {
  const path = own("results");
  rmSync(path, { recursive: true, force: true });
  mkdirSync(join(path, "night/.git"), { recursive: true });
  for (const [name, content] of [
    ["a.pb.gz", readFileSync(BEFORE)],
    ["night/b.pb.gz", readFileSync(AFTER)],
    ["night/.DS_Store", "x"],
    ["night/.git/config", "x"],
    ["read me.md", "# Results"],
  ])
    writeFileSync(join(path, name), content);
  return path;
}

const NOTE = /^read me\.md This is text in an unknown format\.$/;

test("an archive: every profile inside, each with its format, and what is none with the reason", async () => {
  const { page, at, requests, end } = await openPage(browser, "/");
  await at("dropzone").waitFor({ state: "attached" });
  const first = requests.length;
  const inside = [
    { name: "results/", bytes: bytes(""), method: 0 },
    { name: "results/a.pb.gz", bytes: readFileSync(BEFORE) },
    { name: "results/b.pb.gz", bytes: readFileSync(AFTER), method: 0 },
    { name: "results/stacks.txt", bytes: bytes("main;work 7\nmain 1\n") },
    { name: "results/.DS_Store", bytes: bytes("x") },
    { name: "__MACOSX/results/._a.pb.gz", bytes: bytes("x") },
    { name: "read me.md", bytes: bytes("# Results") },
    { name: "secret.pb", bytes: bytes("x"), flags: 1 },
    { name: "inner.zip", bytes: zip([{ name: "a", bytes: bytes("main 1") }]) },
  ];
  await drop(page, archive("results.zip", inside));
  await drawnFrames(page, total(BEFORE, AFTER));
  assert.deepEqual(await names(at), ["results/a.pb.gz", "results/b.pb.gz", "results/stacks.txt"]);
  assert.deepEqual(await at("format").allTextContents(), ["pprof", "pprof", "folded stacks"]);
  // What measures something else is in the list, and not added up with the rest.
  const boxes = at("files").locator("input");
  assert.deepEqual(await boxes.evaluateAll((all) => all.map(({ checked }) => checked)), [true, true, false]);
  assert.equal(
    await at("file-hint").textContent(),
    "Showing 2 of 3 files. These files can't all be merged: they have only some profile types in common.",
  );
  const said = await problems(page);
  assert.equal(said.length, 3, said.join("\n"));
  assert.match(said[0], NOTE);
  assert.match(said[1], /^secret\.pb This file is encrypted in its archive\.$/);
  assert.match(said[2], /^inner\.zip This is a zip archive/);
  const sent = sending(requests.slice(first));
  assert.deepEqual(sent, [], "something was sent");
  await end();
});

test("archives that cannot be opened say why, and a hundred files are enough", async () => {
  const { page, at, end } = await openPage(browser, "/file");
  const one = { name: "a.pb", bytes: bytes("main 1") };
  const whole = zip([one]);
  writeFileSync(own("cut.zip"), whole.subarray(0, whole.length - 30));
  await drop(page, own("cut.zip"), archive("locked.zip", [{ ...one, flags: 1 }]));
  await at("problem").nth(1).waitFor();
  const [cut, locked] = await problems(page);
  assert.match(cut, /^cut\.zip This archive is broken: the directory at its end is missing\.$/);
  assert.match(locked, /^locked\.zip This archive is encrypted\.$/);
  const many = Array.from({ length: 104 }, (_, i) => ({ name: `${i}.txt`, bytes: bytes(`main;f${i} 1\n`) }));
  await drop(page, archive("many.zip", many));
  await drawnFrames(page, 100);
  assert.deepEqual(await problems(page), ["More files Only 100 files can be opened at once; 4 more were skipped."]);
  await end();
});

test("a folder that is chosen", async () => {
  const { page, at, end } = await openPage(browser, "/file");
  await at("open-folder").setInputFiles(folder());
  await drawnFrames(page, total(BEFORE, AFTER));
  assert.deepEqual((await names(at)).sort(), ["a.pb.gz", "night/b.pb.gz"]);
  const said = await problems(page);
  assert.equal(said.length, 1, said.join("\n"));
  assert.match(said[0], NOTE);
  await end();
});

test("a folder that is dropped, beside a file", async () => {
  const { page, at, end } = await openPage(browser, "/file");
  const session = await page.context().newCDPSession(page);
  writeFileSync(own("beside.txt"), "main 1\n");
  const data = { items: [], files: [folder(), own("beside.txt")], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"])
    await session.send("Input.dispatchDragEvent", { type, x: 500, y: 400, data });
  await drawnFrames(page, total(BEFORE, AFTER));
  assert.deepEqual(await names(at), ["a.pb.gz", "night/b.pb.gz", "beside.txt"]);
  assert.match((await problems(page)).join("\n"), NOTE);
  await end();
});

/** A page for files whose addresses below /made/ are answered by the test. */
async function fetching(link, answer) {
  const opened = await openPage(browser, "/file");
  await opened.at("dropzone").waitFor({ state: "attached" });
  await opened.page.route("**/made/**", answer);
  await opened.page.evaluate((hash) => (location.hash = hash), link);
  return opened;
}

test("a link names a profile: it is fetched, drawn, and the same after a reload", async () => {
  const link = `profileURL=${encodeURIComponent("/made/night%20a.pb.gz")}`;
  const { page, at, end } = await fetching(link, (route) => route.fulfill({ path: BEFORE }));
  await drawnFrames(page, total(BEFORE));
  assert.deepEqual(await names(at), ["night a.pb.gz"]);
  assert.match(await page.locator("footer").textContent(), /Fetched and drawn in this tab/);
  await page.getByTestId("view-table").click();
  await page.reload();
  await at("row").first().waitFor();
  assert.ok(page.url().endsWith(`/file?v=table#${link}`), page.url());
  await at("share").click();
  await page.getByRole("button", { name: "Copy link" }).waitFor();
  await page.keyboard.press("Escape");
  // What is opened from the disk is in no link.
  await drop(page, AFTER);
  await page.waitForURL((found) => found.hash === "");
  await end();
});

test("a link names two profiles with their titles, and compares them", async () => {
  const link = `profileURL=/made/a&title=before&profileURL=${encodeURIComponent(`${url}/made/b`)}&title=after`;
  const { page, at, end } = await fetching(link, (route) =>
    route.fulfill({ path: route.request().url().endsWith("/a") ? BEFORE : AFTER }),
  );
  await drawnFrames(page, total(BEFORE, AFTER));
  assert.deepEqual(await names(at), ["before", "after"]);
  await at("compare").click();
  await at("legend").waitFor();
  assert.match(page.url(), /m=compare#profileURL=/);
  await end();
});

test("an address that cannot be fetched says whether it was the status, the network or the policy", async () => {
  for (const [address, answer, says] of [
    ["/made/gone.pb", { status: 404, body: "" }, /returned status 404/],
    ["/made/closed.pb", { status: 403, body: "" }, /returned status 403/],
    ["/made/page.pb", { contentType: "text/html", body: "<!doctype html><p>Hello" }, /This is a web page \(HTML\)/],
    ["/made/down.pb", null, /did not answer/],
    ["https://there.test/a.pb", null, /can only fetch from .* content security policy blocks there\.test/],
    ["ftp://there.test/a.pb", null, /not a web address/],
  ]) {
    const { page, at, end } = await fetching(`profileURL=${encodeURIComponent(address)}`, (route) =>
      answer ? route.fulfill(answer) : route.abort(),
    );
    await at("problem").waitFor();
    assert.match((await problems(page)).join("\n"), says);
    // And the page goes on.
    await drop(page, BEFORE);
    await drawnFrames(page, total(BEFORE));
    await end(/status of \d+|ERR_FAILED|Content Security Policy|violates/);
  }
});

test("fetching says how far it is, and a cancel stops it", async () => {
  const { page, at, end } = await fetching("profileURL=/made/slow.pb.gz", () => {});
  await at("loading").filter({ hasText: "Fetching slow.pb.gz" }).waitFor();
  const stopped = page.waitForEvent("requestfailed", (request) => request.url().includes("/made/"));
  await at("cancel").click();
  await stopped;
  await at("loading").waitFor({ state: "detached" });
  assert.equal(await at("problem").count(), 0);
  await drop(page, BEFORE);
  await drawnFrames(page, total(BEFORE));
  await end(/ERR_/);
});

test("a cancel among many files leaves none behind", async () => {
  const { page, at, end } = await openPage(browser, "/file");
  const many = Array.from({ length: 60 }, (_, i) => ({ name: `${i}.pb.gz`, bytes: readFileSync(BEFORE) }));
  // Sixty small files are read in less time than a hand needs.
  await page.evaluate(() => {
    const watch = new MutationObserver(() => {
      const text = document.querySelector("[data-testid=loading]")?.textContent;
      if (!/\(7 of 60\)/.test(text)) return;
      watch.disconnect();
      document.body.dataset.cancelled = "yes";
      document.querySelector("[data-testid=cancel]").click();
    });
    watch.observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  await drop(page, archive("sixty.zip", many));
  await page.waitForFunction(() => document.body.dataset.cancelled === "yes");
  await at("loading").waitFor({ state: "detached" });
  assert.equal(await at("files").count(), 0);
  await drop(page, AFTER);
  await drawnFrames(page, total(AFTER));
  assert.deepEqual(await names(at), ["checkout-1.9.0.pb.gz"]);
  await end();
});

test("where totals differ by more than a tenth shares are compared, and sides can have several files", async () => {
  const { page, at, end } = await openPage(browser, "/file");
  for (const [name, text] of [
    ["short.txt", "main;a 50\nmain;b 50\n"],
    ["long.txt", "main;a 150\nmain;b 50\n"],
    ["more.txt", "main;a 60\nmain;b 40\n"],
  ])
    writeFileSync(own(name), text);
  await drop(page, own("short.txt"), own("long.txt"));
  await drawnFrames(page, 300);
  await at("compare").click();
  // 100 % on either side.
  await drawnFrames(page, 200);
  assert.ok(await at("normalise").isChecked());
  assert.doesNotMatch(page.url(), /norm=/, "nobody has chosen yet");
  await at("normalise").uncheck();
  await drawnFrames(page, 300);
  assert.match(page.url(), /norm=0/);
  await page.reload();
  assert.match(page.url(), /norm=0/);

  await drop(page, own("short.txt"), own("more.txt"), own("long.txt"));
  await at("compare").click();
  await at("normalise").uncheck();
  const roles = () => at("role").allTextContents();
  await at("role").nth(2).waitFor();
  assert.deepEqual(await roles(), ["baseline", "comparison", "comparison"]);
  await drawnFrames(page, 400);
  assert.match(await at("diff-totals").getAttribute("title"), /^100.* → 300/);
  await at("role").nth(1).click();
  assert.deepEqual(await roles(), ["baseline", "baseline", "comparison"]);
  await page.waitForFunction(() => /^200.* → 200/.test(document.querySelector("[data-testid=diff-totals]").title));
  await page.keyboard.press("x");
  assert.deepEqual(await roles(), ["comparison", "comparison", "baseline"]);
  await end();
});

test("a format that few have: the second reader opens it, and its times are a heatmap and a chart", async () => {
  const { page, at, end } = await openPage(browser, "/file");
  const event = (name, ts, dur) => ({ ph: "X", name, pid: 1, tid: 2, ts, dur });
  const trace = {
    traceEvents: [event("main", 0, 900_000), event("work", 100_000, 200_000), event("work", 500_000, 200_000)],
  };
  writeFileSync(own("trace.json"), JSON.stringify(trace));
  await drop(page, own("trace.json"));
  await drawnFrames(page, 900_000_000);
  assert.match(await at("format").textContent(), /Chrome trace/);
  await at("heatmap").waitFor();
  assert.equal(await at("frames").locator("tr", { hasText: "work" }).count(), 1);
  await at("view-chart").click();
  await page.waitForFunction(() => document.querySelectorAll('[data-testid="frames"] tr[data-node]').length === 4);
  assert.equal(await at("frames").locator("tr", { hasText: "work" }).count(), 2);
  // The first half of the strip holds the first call alone.
  const { x, y, width, height } = await at("heatmap").boundingBox();
  await page.mouse.move(x + 1, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width * 0.45, y + height / 2, { steps: 5 });
  await page.mouse.up();
  await at("step").waitFor();
  assert.match(page.url(), /f=time:0-0\.4/);
  await page.waitForFunction(() => document.querySelectorAll('[data-testid="frames"] tr[data-node]').length === 3);
  await end();
});
