/** The built site below a path of a static host: with the network off after one visit, and when a new version replaces it. */
import assert from "node:assert/strict";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { drawnFrames, drop, launch, own } from "./page.mjs";
import { callTree, readPprof } from "./pprof.mjs";
import { serve } from "./statichost.mjs";

const PREFIX = "/some/where/";
const PROFILE = own("checkout-1.8.2.pb.gz");
const DIST = new URL("../../site/dist", import.meta.url).pathname;
/** The same site with another script and another style, as after a change of both. */
const NEXT = own("next-version");

let browser;
before(async () => {
  browser = await launch();
  rmSync(NEXT, { recursive: true, force: true });
  cpSync(DIST, NEXT, { recursive: true });
  const assets = readdirSync(join(NEXT, "assets"));
  const old = assets.find((name) => /^index-.*\.css$/.test(name));
  cpSync(join(NEXT, "assets", old), join(NEXT, "assets/index-next.css"));
  rmSync(join(NEXT, "assets", old));
  for (const name of ["index.html", "explore.html", "diff.html", "file.html"]) {
    const text = readFileSync(join(NEXT, name), "utf8").replace(old, "index-next.css");
    writeFileSync(join(NEXT, name), text);
  }
  const worker = readFileSync(join(NEXT, "sw.js"), "utf8");
  assert.ok(worker.includes(old), "the service worker keeps the style");
  const next = worker.replace(old, "index-next.css").replace(/^const VERSION = ".*";/, 'const VERSION = "next";');
  writeFileSync(join(NEXT, "sw.js"), next);
});
after(() => browser?.close());

/** Opens a path below the prefix in a context that allows service workers. */
async function visit(context, port, path) {
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  await page.goto(`http://127.0.0.1:${port}${PREFIX}${path}`);
  return { page, errors };
}

const active = (page) => page.evaluate(() => navigator.serviceWorker.ready.then(({ active }) => active.scriptURL));
const caches = (page) => page.evaluate(() => caches.keys());
const style = (page) => page.locator("link[rel=stylesheet]").first().getAttribute("href");

/** A page that opened after the cache `old` was gone. One that opens while the browser ends the old service worker still has that one. */
async function afterChange(open, old) {
  for (const end = Date.now() + 30_000; ; ) {
    const opened = await open();
    if (!(await caches(opened.page)).includes(old)) return opened;
    assert.ok(Date.now() < end, "the new version takes the place of the old one");
    await opened.page.close();
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function opensFiles(page) {
  await page.getByTestId("dropzone").waitFor({ state: "attached" });
  await drop(page, PROFILE);
  await drawnFrames(page, callTree(readPprof(PROFILE), 1).total);
}

test("a sub-path of a static host serves every page, and with the network off they open after one visit", async () => {
  const host = await serve(() => DIST, PREFIX);
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
  const { page, errors } = await visit(context, host.port, "file");
  await opensFiles(page);
  assert.equal(await active(page), `http://127.0.0.1:${host.port}${PREFIX}sw.js`);
  for (const name of ["", "explore", "diff", "file", "rules", "alerts"]) {
    const other = await visit(context, host.port, name);
    await other.page.locator(".header").waitFor();
    assert.deepEqual(other.errors, []);
    await other.page.close();
  }
  assert.ok(
    host.asked.every((path) => path.startsWith(PREFIX)),
    "nothing is asked for beside the site's own path",
  );

  await host.close();
  for (const name of ["", "explore", "diff", "rules", "alerts", "file.html", "index.html", "file"]) {
    await page.goto(`http://127.0.0.1:${host.port}${PREFIX}${name}`);
    await page.locator(".header").waitFor();
  }
  await opensFiles(page);
  assert.deepEqual(errors, []);

  const kept = await page.evaluate(async () => {
    const [name] = await caches.keys();
    const cache = await caches.open(name);
    return (await cache.keys()).map(({ url }) => new URL(url).pathname);
  });
  assert.ok(kept.includes(PREFIX) && kept.some((path) => path.endsWith(".wasm")));
  assert.deepEqual(
    kept.filter((path) => path.includes("/api/") || path.endsWith(".html")),
    [],
    "answers of the API are not kept, and pages once",
  );
  await context.close();
});

test("a manifest that the browser takes makes it installable", async () => {
  const host = await serve(() => DIST, PREFIX);
  const context = await browser.newContext();
  const { page } = await visit(context, host.port, "");
  await active(page);
  const session = await context.newCDPSession(page);
  const { url, errors } = await session.send("Page.getAppManifest");
  assert.equal(url, `http://127.0.0.1:${host.port}${PREFIX}manifest.webmanifest`);
  assert.deepEqual(errors, []);
  const { installabilityErrors } = await session.send("Page.getInstallabilityErrors");
  // A context of a test is like a private window, where nothing is installed; that is no fault of the page.
  assert.deepEqual(
    installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== "in-incognito"),
    [],
  );
  await context.close();
  await host.close();
});

test("a new version shows at once, and takes the place of the old one in the cache", async () => {
  let folder = DIST;
  let host = await serve(() => folder, PREFIX);
  const { port } = host;
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
  const first = await visit(context, port, "file");
  await active(first.page);
  const [old] = await caches(first.page);
  assert.doesNotMatch(await style(first.page), /index-next/);

  folder = NEXT;
  await first.page.reload();
  await first.page.getByTestId("dropzone").waitFor({ state: "attached" });
  assert.match(await style(first.page), /index-next/, "the page is the new one at the first reload");
  await first.page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    await registration.update();
    while (!registration.waiting) await new Promise((resolve) => setTimeout(resolve, 50));
  });
  // Once no page is open, the new service worker has the place of the old one.
  await first.page.close();
  const second = await afterChange(() => visit(context, port, "file"), old);
  const kept = await caches(second.page);
  assert.equal(kept.length, 1);
  assert.match(kept[0], / next$/);

  await host.close();
  await second.page.reload();
  assert.match(await style(second.page), /index-next/, "with the network off it is the new one too");
  await opensFiles(second.page);
  assert.deepEqual([...first.errors, ...second.errors], []);
  host = null;
  await context.close();
});

test("the answers of a server come from the server, never from a cache", async () => {
  const host = await serve(() => DIST, PREFIX);
  const context = await browser.newContext();
  const { page } = await visit(context, host.port, "");
  await active(page);
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  const before = host.asked.length;
  const status = await page.evaluate(async () => (await fetch("api/v1/services?x=1")).status);
  assert.equal(status, 404);
  assert.ok(host.asked.slice(before).includes(`${PREFIX}api/v1/services`), "the host was asked");
  await host.close();
  assert.equal(await page.evaluate(() => fetch("api/v1/services?x=1").catch(() => "failed")), "failed");
  await context.close();
});
