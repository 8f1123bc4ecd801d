/** The npm package: packed, installed from its tarball into an empty folder, and started with files of this machine. */
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { drawnFrames, launch, own } from "./page.mjs";
import { callTree, readPprof, together } from "./pprof.mjs";

const FILES = [own("checkout-1.8.2.pb.gz"), own("checkout-1.9.0.pb.gz")];
const folder = own("installed");
const command = join(folder, "node_modules/.bin/pilotlight");

let browser;
before(async () => {
  const pack = fileURLToPath(new URL("../../site/tools/pack.mjs", import.meta.url));
  const tarball = execFileSync("node", [pack]).toString().trim();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }');
  execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball], { cwd: folder });
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
  assert.deepEqual([missing.status, missing.stderr], [2, "pilotlight: cannot read no-such-file.pb: ENOENT\n"]);
  assert.match(run(folder).stderr, /is not a file/);
  assert.match(run("--port", "nine").stderr, /--port nine: not a port/);
  assert.match(run("--what").stderr, /--what[\s\S]*Usage: pilotlight/);
  assert.match(run("--help").stdout, /^Opens profiles in the browser/);
  assert.match(run("--version").stdout, /^\d+\.\d+\.\d+\n$/);
  assert.ok(!existsSync(join(folder, "node_modules/pilotlight/site/sw.js")));
});
