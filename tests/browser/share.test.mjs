/** A profile on the server as a link: made of a file and of a query, opened by somebody else, refused when its time is over. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { machineMillis } from "../local/ahead.mjs";
import { drawnFrames, drop, launch, openPage, own, settled, url } from "./page.mjs";
import { callTree, readPprof } from "./pprof.mjs";

const FILE = own("checkout-1.8.2.pb.gz");
const CPU = 1;
const CLIPBOARD = { permissions: ["clipboard-read", "clipboard-write"] };
const DAY = 86_400_000;
const shares = `${url}/api/v1/shares`;

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

/** Shares what is seen for some days, and gives the link. */
async function shared({ page, at }, days) {
  await at("share").click();
  await at("upload-days").selectOption(String(days));
  await at("upload-link").click();
  await at("notice").filter({ hasText: "Copied the link. It expires at the end of" }).waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  const [, day] = /[?&]share=(\d{5})-[0-9a-f]{32}(&|$)/.exec(link) ?? assert.fail(link);
  // A day may have begun meanwhile.
  const lived = Number(day) - Math.floor(Date.now() / DAY);
  assert.ok(lived === days || lived === days - 1, `${lived} of ${days} days`);
  return link.slice(url.length);
}

const keysOf = (rows) => rows.map(({ name, depth, total }) => `${depth} ${name} ${total}`).sort();

test("a file, as it is seen, opens for somebody else", async () => {
  const focused = readPprof(FILE).samples.filter(({ stack }) => stack.some((name) => name.includes("regexp")));
  const { total } = callTree({ samples: focused }, CPU);
  const page = await openPage(browser, "/file?f=focus:regexp&v=both", CLIPBOARD);
  await page.at("dropzone").waitFor({ state: "attached" });
  await drop(page.page, FILE);
  const rows = await drawnFrames(page.page, total);
  const link = await shared(page, 7);
  assert.match(link, /^\/file\?share=[^&]*&t=cpu&v=both$/);
  assert.equal(await shared(page, 7), link, "the same is stored once");
  for (const colorScheme of ["light", "dark"])
    for (const width of [1280, 390]) {
      await page.page.emulateMedia({ colorScheme });
      await page.page.setViewportSize({ width, height: 844 });
      await page.at("share").click();
      await page.at("upload-link").waitFor();
      await settled(page.page);
      await page.page.screenshot({ path: join(process.env.PILOTLIGHT_SHOTS, `share-${colorScheme}-${width}.png`) });
      await page.page.keyboard.press("Escape");
    }
  await page.end();

  const other = await openPage(browser, link);
  assert.deepEqual(keysOf(await drawnFrames(other.page, total)), keysOf(rows));
  await other.at("row").first().waitFor();
  assert.match(await other.at("files").textContent(), /checkout-1-8-2\.pb\.gz|checkout-1\.8\.2\.pb\.gz/);
  await other.at("view-table").click();
  await other.page.waitForURL(/share=.*v=table/);
  await other.page.reload();
  await other.at("row").first().waitFor();
  const whole = callTree(readPprof(FILE), CPU).total;
  await other.at("view-flame").click();
  await drop(other.page, FILE);
  await drawnFrames(other.page, whole);
  assert.doesNotMatch(other.page.url(), /share=/, "another file is not what the link names");
  await other.end();
});

test("the merged profile of a query opens for somebody else", async () => {
  const until = Math.floor(Date.now() / 60_000) * 60_000;
  const page = await openPage(browser, `/explore?s=checkout&from=${until - 3 * 3_600_000}&until=${until}`, CLIPBOARD);
  const first = page.at("frames").locator("tbody tr").first();
  await first.waitFor({ state: "attached" });
  const total = await first.getAttribute("data-total");
  const rows = await drawnFrames(page.page, total);
  const link = await shared(page, 1);
  await page.end();
  const other = await openPage(browser, link);
  assert.deepEqual(keysOf(await drawnFrames(other.page, total)), keysOf(rows));
  await other.end();
});

async function refused(path, expect) {
  const page = await openPage(browser, path);
  await page.at("problem").waitFor();
  assert.match(await page.at("problem").textContent(), expect);
  await page.end(/Failed to load resource/);
}

test("a link that leads nowhere says why", async () => {
  const id = (day) => `${day}-${"0".repeat(32)}`;
  await refused(
    `/file?share=${id("00001")}`,
    /This link has expired: it was valid until the end of 2 Jan 1970 \(UTC\)/,
  );
  await refused(`/file?share=${id(Math.floor(Date.now() / DAY) + 9)}`, /Profile not found/);
  await refused("/file?share=..%2Fadmin%2Ftokens", /This link is incomplete/);
});

test("with the token that the server asks for, the link opens", async () => {
  const made = await fetch(`${shares}?name=cpu.pb.gz`, { method: "POST", body: readFileSync(FILE) });
  const { id } = await made.json();
  const token = `plt_${"A".repeat(43)}`;
  const context = await browser.newContext({ serviceWorkers: "block", viewport: { width: 1400, height: 900 } });
  const page = await context.newPage();
  const refusal = {
    status: 401,
    headers: { "www-authenticate": 'Bearer realm="pilotlight"' },
    json: { code: "unauthenticated", message: "this needs a token" },
  };
  await page.route("**/api/v1/**", (route) =>
    route.request().headers().authorization === `Bearer ${token}` ? route.continue() : route.fulfill(refusal),
  );
  await page.goto(`${url}/file?share=${id}`);
  await page.getByTestId("problem").filter({ hasText: "The server needs a token." }).waitFor();
  await page.getByTestId("token-input").fill(token);
  await page.getByTestId("token-give").click();
  await drawnFrames(page, callTree(readPprof(FILE), CPU).total);
  await page.waitForFunction(() => !document.querySelector("[data-testid=problem]"));
  await context.close();
});

test("the calls: what comes back, what is listed, what is taken back", async () => {
  const content = readFileSync(FILE);
  const name = `Nächte ${Date.now()}.pb.gz`;
  const made = await fetch(`${shares}?days=1&${new URLSearchParams({ name })}`, { method: "POST", body: content });
  assert.equal(made.status, 201);
  const { id, expires, size } = await made.json();
  assert.deepEqual([size, expires], [content.length, (Number(id.slice(0, 5)) + 1) * DAY]);
  const found = await fetch(`${shares}/${id}`);
  assert.ok(content.equals(Buffer.from(await found.arrayBuffer())));
  const header = (name) => found.headers.get(name);
  assert.deepEqual(["content-type", "x-content-type-options", "vary", "content-disposition"].map(header), [
    "application/octet-stream",
    "nosniff",
    "authorization, x-scope-orgid",
    `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
  ]);
  assert.match(header("cache-control"), /^private, max-age=\d+, immutable$/);
  const listed = [];
  for (let next = ""; next !== null; ) {
    const page = await (await fetch(`${shares}?after=${next}`)).json();
    listed.push(...page.shares);
    next = page.next;
  }
  const { created, ...entry } = listed.find((share) => share.id === id);
  assert.deepEqual(entry, { id, name, size, expires });
  assert.ok(Math.abs(created - machineMillis()) < 3_600_000, `${created}`);
  const status = async (path, how) => (await fetch(shares + path, how)).status;
  assert.equal(await status(`/${id}`, { method: "DELETE" }), 204);
  assert.equal(await status(`/${id}`), 404);
  assert.equal(await status("/..%2Ftokens"), 400);
  assert.equal(await status("?days=91", { method: "POST", body: "x" }), 400);
  assert.equal(await status("", { method: "POST" }), 400);
  const large = await fetch(shares, { method: "POST", body: Buffer.alloc((16 << 20) + 1) });
  assert.equal(large.status, 413);
  assert.match((await large.json()).message, /larger than the 16777216 bytes allowed/);
});

test("what is shared is listed, compared and taken back", async () => {
  const names = ["1.8.2", "1.9.0"].map((version) => `list-${Date.now()}-${version}.pb.gz`);
  for (const [i, name] of names.entries()) {
    const body = readFileSync(own(`checkout-${["1.8.2", "1.9.0"][i]}.pb.gz`));
    const made = await fetch(`${shares}?days=1&${new URLSearchParams({ name })}`, { method: "POST", body });
    assert.equal(made.status, 201);
  }
  const { page, at, end } = await openPage(browser, "/");
  await at("share").first().waitFor();
  const item = (name) => at("share").filter({ hasText: name });
  const listed = async () => {
    while (await at("more-shares").isVisible()) {
      const before = await at("share").count();
      await at("more-shares").click();
      await page.waitForFunction((before) => document.querySelectorAll("[data-testid=share]").length > before, before);
    }
  };
  await listed();
  // In the order in which they are chosen: the first is the baseline.
  for (const name of [...names].reverse()) await item(name).getByRole("checkbox").check();
  await at("compare-shares").click();
  await page.waitForURL(/file\?share=[^&]+&share=[^&]+&m=compare/);
  await page.locator(".role.comparison").waitFor();
  const files = await at("files").locator("li").allTextContents();
  assert.deepEqual(
    files.map((text) => [names.findIndex((name) => text.includes(name)), /baseline|comparison/.exec(text)?.[0]]),
    [
      [1, "baseline"],
      [0, "comparison"],
    ],
  );
  await page.goBack();
  await at("share").first().waitFor();
  await listed();
  for (const name of names) {
    await item(name).getByTitle(`Delete ${name}`).click();
    await at("delete-share").click();
    await item(name).waitFor({ state: "detached" });
    await listed();
  }
  const left = await (await fetch(shares)).json();
  assert.ok(left.shares.every(({ name }) => !names.includes(name)));
  await end();
});
