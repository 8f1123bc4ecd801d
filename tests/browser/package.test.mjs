/** The npm package: packed, installed from its tarball into an empty folder, and started with files of this machine. */
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { install } from "./installed.mjs";
import { drawnFrames, launch, own } from "./page.mjs";
import { callTree, childrenOf, readPprof, together } from "./pprof.mjs";
import { serve } from "./statichost.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const FILES = [own("checkout-1.8.2.pb.gz"), own("checkout-1.9.0.pb.gz")];

let [folder, command, browser] = [];
before(async () => {
  ({ folder, command } = install("package"));
  browser = await launch();
});
const started = new Set();
after(async () => {
  for (const child of started) child.kill();
  await browser?.close();
});

/** Starts the command; `address` is what it prints. */
async function start(...words) {
  const child = spawn(command, ["--no-open", ...words], { stdio: ["ignore", "pipe", "inherit"] });
  started.add(child);
  const ended = new Promise((resolve) => child.on("exit", (code) => resolve(code)));
  let text = "";
  const address = await new Promise((resolve, reject) => {
    child.stdout.on("data", (chunk) => {
      text += chunk;
      const found = /http:\S+/.exec(text);
      if (found) resolve(found[0]);
    });
    ended.then((code) => reject(new Error(`it ended with ${code}: ${text}`)));
  });
  const end = () => {
    child.kill("SIGINT");
    return ended;
  };
  return { address, end };
}

test("the named files are opened, and it ends when asked", async () => {
  const { address, end } = await start(...FILES);
  const page = await browser.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  // There is no server, and the page finds out by asking for one.
  page.on("console", (message) => {
    const { url } = message.location();
    if (message.type() === "error" && !url.includes("/api/")) errors.push(`${message.text()} ${url}`);
  });
  await page.goto(address);
  const [first, second] = FILES.map(readPprof);
  await drawnFrames(page, callTree(together(first, second), 1).total);
  const names = await page.locator(".file-name").allTextContents();
  assert.deepEqual(names, ["checkout-1.8.2.pb.gz", "checkout-1.9.0.pb.gz"]);
  assert.match(page.url(), /#profileURL=/, "a reload shows the same");
  await page.reload();
  await drawnFrames(page, callTree(together(first, second), 1).total);
  assert.deepEqual(errors, []);
  assert.equal(await page.evaluate(() => navigator.serviceWorker.getRegistrations().then(({ length }) => length)), 0);
  await page.close();
  assert.equal(await end(), 0);
  await assert.rejects(fetch(address));
});

test("without a file it is the viewer", async () => {
  const { address, end } = await start();
  const page = await browser.newPage();
  await page.goto(address);
  await page.locator(".home.alone").waitFor();
  await page.close();
  assert.equal(await end(), 0);
});

test("it serves the site and the named files, and to this machine's own names alone", async () => {
  const { address, end } = await start(FILES[0]);
  const { origin, port } = new URL(address);
  const file = new URLSearchParams(new URL(address).hash.slice(1)).get("profileURL");
  const status = (path, headers = {}, method = "GET") =>
    new Promise((resolve, reject) => {
      // As it stands: fetch would tidy up the path.
      request({ host: "127.0.0.1", port, path, headers, method }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .on("error", reject)
        .end();
    });
  assert.equal(await status(file), 200);
  assert.equal(await status(file, {}, "HEAD"), 200);
  for (const path of ["/", "/explore", "/docs/", "/docs/push.html", "/docs/index.html", "/docs/pagefind/pagefind.js"])
    assert.equal(await status(path), 200, path);
  assert.equal(await status(file, {}, "POST"), 405);
  assert.equal(await status(file, { host: "evil.test" }), 403);
  assert.equal(await status(file.replace(/^\/[0-9a-f]+/, "/0")), 404);
  for (const path of [
    "/../package.json",
    "/%2e%2e/package.json",
    "/..%2fpackage.json",
    "/_headers",
    "/api/v1/services",
  ])
    assert.equal(await status(path), 404, path);
  const { headers } = await fetch(origin);
  assert.match(headers.get("content-security-policy"), /connect-src 'self'/);
  assert.equal(headers.get("access-control-allow-origin"), null);
  assert.equal(await end(), 0);
});

test("what it cannot do it says", () => {
  const run = (...words) => spawnSync(command, words, { encoding: "utf8" });
  const missing = run("no-such-file.pb");
  assert.deepEqual([missing.status, missing.stderr], [1, "pilotlight: cannot read no-such-file.pb: ENOENT\n"]);
  assert.match(run(folder).stderr, /is not a file/);
  assert.match(run("--port", "nine").stderr, /--port must be from 0 to 65535 \(got nine\)/);
  assert.match(run("--what").stderr, /--what[\s\S]*Usage: pilotlight/);
  assert.match(run("--help").stdout, /^Opens profiles in the browser, and runs/);
  assert.match(run("--version").stdout, /^\d+\.\d+\.\d+\n$/);
  assert.match(run("demo", "--help").stdout, /^Fills a Pilotlight server with an hour of made-up profiles/);
  assert.match(run("demo", "http://127.0.0.1:9").stderr, /does not answer .* Start a server there/);
  assert.ok(existsSync(join(folder, "node_modules/pilotlight/wasm/demo/pilotlight_bg.wasm")));
  assert.ok(!existsSync(join(folder, "node_modules/pilotlight/site/sw.js")));
});

/** A page of somebody's own, with the installed package beside it. */
async function embedding(body) {
  const page = `<!doctype html><meta charset="utf-8"><title>A page</title>
    <link rel="icon" href="node_modules/pilotlight/site/icon.svg">
    <meta http-equiv="Content-Security-Policy" content="default-src 'self'; frame-src 'self'; script-src 'self' 'unsafe-inline'">
    <script type="module">
      const heard = (window.heard = []);
      for (const name of ["profileopen", "profileerror", "frameselect"])
        document.addEventListener(name, ({ detail }) => heard.push([name, detail]));
      await import("./node_modules/pilotlight/element.mjs");
    </script>
    <h1>A page</h1>${body}`;
  writeFileSync(join(folder, "index.html"), page);
  copyFileSync(FILES[0], join(folder, "cpu.pb.gz"));
  const host = await serve(() => folder, "/docs/");
  const context = await browser.newContext({ viewport: { width: 900, height: 700 }, reducedMotion: "reduce" });
  const shown = await context.newPage();
  const errors = [];
  shown.on("pageerror", (error) => errors.push(String(error)));
  shown.on("console", (message) => {
    if (message.type() === "error") errors.push(`${message.text()} ${message.location().url}`);
  });
  await shown.goto(`http://127.0.0.1:${host.port}/docs/`);
  const heard = async (name) => {
    const found = (list, name) => list.filter(([told]) => told === name).map(([, detail]) => detail);
    await shown.waitForFunction((name) => window.heard.some(([told]) => told === name), name);
    return found(await shown.evaluate(() => window.heard), name);
  };
  const end = async () => {
    await context.close();
    await host.close();
  };
  return { shown, host, errors, heard, end, inside: shown.frameLocator("pilotlight-flame iframe") };
}

test("a page shows a profile with the element, and hears what is selected", async () => {
  const { shown, host, errors, heard, end, inside } = await embedding(
    '<pilotlight-flame src="cpu.pb.gz" view="both" type="cpu" theme="dark" aria-label="CPU of checkout"></pilotlight-flame>',
  );
  const [opened] = await heard("profileopen");
  const expected = callTree(readPprof(FILES[0]), 1);
  assert.deepEqual([opened.name, opened.format], ["cpu.pb.gz", "pprof"]);
  assert.equal(opened.types.find(({ type }) => type === "cpu").total, expected.total);

  // The accessible table of the picture, with the numbers of another reader.
  const first = inside.locator(`[data-testid=frames] tbody tr:first-child[data-total="${expected.total}"]`);
  await first.waitFor({ state: "attached" });
  assert.equal(await shown.locator("pilotlight-flame iframe").getAttribute("title"), "CPU of checkout");
  assert.equal(await inside.locator("header.header, footer").count(), 0, "neither head nor foot");
  assert.equal(await inside.locator("html").getAttribute("data-theme"), "dark");
  const box = await shown.locator("pilotlight-flame").boundingBox();
  assert.equal(box.height, 480);

  const entries = await shown.evaluate(() => history.length);
  await inside.getByTestId("flame").focus();
  await shown.keyboard.press("ArrowDown");
  await shown.keyboard.press(" ");
  const [frame] = await heard("frameselect");
  const largest = childrenOf(expected).sort((a, b) => b.total - a.total)[0];
  assert.deepEqual(
    [frame.name, frame.total, frame.unit, frame.path],
    [largest.name, largest.total, "nanoseconds", ["total", largest.name]],
  );
  await shown.screenshot({ path: join(process.env.PILOTLIGHT_SHOTS, "element.png") });
  assert.equal(await shown.evaluate(() => history.length), entries, "the page's history is its own");

  // Attributes and bytes, later.
  await shown.evaluate(() => document.querySelector("pilotlight-flame").setAttribute("view", "table"));
  await inside.getByTestId("row").first().waitFor();
  await inside.getByTestId("flame").waitFor({ state: "detached" });
  await shown.evaluate(() =>
    document.querySelector("pilotlight-flame").open(new Blob(["main;work 7"]), "bytes.folded"),
  );
  await inside.getByTestId("row").filter({ hasText: "work" }).waitFor();
  assert.equal((await heard("profileopen")).at(-1).name, "bytes.folded");
  assert.deepEqual(errors, []);
  assert.ok(!host.asked.some((path) => path.includes("/api/")), "it asks no server for services");
  await end();
});

test("the element says what it cannot open", async () => {
  const { errors, heard, end } = await embedding(
    '<pilotlight-flame src="missing.pb.gz"></pilotlight-flame><pilotlight-flame src="index.html"></pilotlight-flame>',
  );
  const find = async (pattern) => {
    for (let tries = 0; tries < 100; tries++) {
      const messages = (await heard("profileerror")).map(({ message }) => message);
      if (messages.some((message) => pattern.test(message))) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    assert.fail(`nothing said ${pattern}`);
  };
  await find(/missing\.pb\.gz returned status 404/);
  await find(/^index\.html: /);
  assert.ok(
    errors.every((error) => error.includes("missing.pb.gz")),
    errors.join(),
  );
  await end();
});

test("the package has types, and the licences of all that is inside", () => {
  const installed = join(folder, "node_modules/pilotlight");
  const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  for (const file of [manifest.types, manifest.exports["."].types, manifest.exports["."].default])
    assert.ok(existsSync(join(installed, file)), file);
  const text = readFileSync(join(installed, "THIRD_PARTY_NOTICES"), "utf8");
  const sections = new Map(
    text
      .split(`${"=".repeat(78)}\n`)
      .slice(1)
      .map((section) => [section.slice(0, section.indexOf(" (")), section]),
  );
  const words = ["--edges", "normal,no-proc-macro", "--target", "wasm32-unknown-unknown", "--prefix", "none"];
  const roots = ["--package", "pilotlight-viewer", "--package", "pilotlight-imports"];
  const tree = execFileSync("cargo", ["tree", "--locked", ...words, ...roots, "--format", "{p}"], { cwd: root });
  const crates = tree
    .toString()
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("pilotlight"))
    .map((line) => line.replace(/^(\S+) v(\S+).*$/, "$1 $2"));
  assert.ok(crates.length > 20, `${crates.length} crates`);
  const { packages } = JSON.parse(readFileSync(join(root, "site/package-lock.json"), "utf8"));
  const bundled = Object.entries(packages)
    // Programs that only build are optional, or of development.
    .filter(([path, { dev, optional }]) => path !== "" && !dev && !optional)
    .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, "")} ${version}`);
  assert.ok(bundled.some((name) => name.startsWith("preact ")));
  for (const name of [...crates, ...bundled])
    assert.ok((sections.get(name)?.length ?? 0) > 500, `${name} has no licence in THIRD_PARTY_NOTICES`);
});
