/** A part of what the server stores, taken along: as a site, a zip and one page, from the pages, the API and the command. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { drawnFrames, exported, launch, offline, openPage, own, url } from "./page.mjs";
import { serve } from "./statichost.mjs";

const QUERY = '{service_name="checkout"}';
const packed = fileURLToPath(new URL("../../target/npm/package", import.meta.url));
/** The demo's hour: what is asked for again is the same, and both halves have profiles. */
let range;
let browser;
before(async () => {
  execFileSync("node", [fileURLToPath(new URL("../../site/tools/pack.mjs", import.meta.url))]);
  const until = Date.now();
  range = { from: until - 4 * 3_600_000, until };
  const query = `process_cpu:cpu:nanoseconds:cpu:nanoseconds${QUERY}`;
  const { start, step, points } = await (await ask("timeline", { query, points: 48 })).json();
  const used = points.flatMap((value, i) => (value > 0 ? [start + i * step] : []));
  range = { from: used[0], until: used.at(-1) + step };
  browser = await launch();
});
after(() => browser?.close());

function ask(route, more = {}) {
  return fetch(`${url}/api/v1/${route}?${new URLSearchParams({ query: QUERY, ...range, ...more })}`);
}

function pilotlight(...words) {
  const { status, stdout, stderr } = spawnSync("node", [join(packed, "pilotlight.mjs"), ...words], {
    encoding: "utf8",
  });
  return { status, said: stdout + stderr };
}

/** Opens the service of the demo; what is seen of it. */
async function seen() {
  const page = await openPage(browser, `/explore?s=checkout&from=${range.from}&until=${range.until}`);
  await page.at("frames").locator("tbody tr").first().waitFor({ state: "attached" });
  const total = await page.at("frames").locator("tbody tr").first().getAttribute("data-total");
  const rows = await drawnFrames(page.page, total);
  return { page, total, rows };
}

const keysOf = (rows) => rows.map(({ name, depth, total }) => `${depth} ${name} ${total}`).sort();

/** From the first page of a site to the frames of its only service. */
async function explored({ page, at }, total) {
  const card = at("service-card");
  await card.first().waitFor();
  assert.equal(await card.count(), 1, "no other service came along");
  await card.click();
  return keysOf(await drawnFrames(page, total));
}

test("the profiles of a service leave as one page, which answers from a disk without a network", async () => {
  const { page, total, rows } = await seen();
  const path = await exported(page, "bundle-html");
  assert.match(path, /pilotlight-[0-9a-f]{16}\.html$/);
  await page.end();
  const alone = await offline(browser, path);
  assert.deepEqual(await explored(alone, total), keysOf(rows));
  assert.match(alone.page.url(), /page=explore&s=checkout/);
  await alone.at("filters-add").first().waitFor();
  await alone.page.reload();
  assert.deepEqual(keysOf(await drawnFrames(alone.page, total)), keysOf(rows), "a link leads to the same");
  await alone.at("compare").click();
  await alone.at("diff-totals").waitFor();
  assert.deepEqual(alone.errors, []);
  const asked = alone.requests.filter((address) => !/^(file|data|blob):/.test(address));
  assert.deepEqual(asked, []);
  await alone.context.close();
});

test("they leave as a zip, which a static host serves below a path", async () => {
  const { page, total, rows } = await seen();
  const path = await exported(page, "bundle-zip");
  await page.end();
  const folder = own("sliced");
  rmSync(folder, { recursive: true, force: true });
  execFileSync("python3", ["-m", "zipfile", "-e", path, folder]);
  const [name] = /pilotlight-[0-9a-f]{16}/.exec(path);
  const host = await serve(() => folder, "/");
  const there = await browser.newContext({ reducedMotion: "reduce", viewport: { width: 1400, height: 900 } });
  const site = await there.newPage();
  await site.goto(`http://127.0.0.1:${host.port}/${name}/index.html`);
  assert.deepEqual(await explored({ page: site, at: (id) => site.getByTestId(id) }, total), keysOf(rows));
  await there.close();
  await host.close();
});

test("the API and the command give the same bundle each time", async () => {
  const [first, again] = await Promise.all([ask("export"), ask("export")]);
  assert.equal(first.headers.get("content-type"), "application/zip");
  const [name] = /pilotlight-[0-9a-f]{16}/.exec(first.headers.get("content-disposition"));
  const zip = Buffer.from(await first.arrayBuffer());
  assert.deepEqual(Buffer.from(await again.arrayBuffer()), zip);
  const words = ["--url", url, "--query", QUERY, "--from", String(range.from), "--until", String(range.until)];
  const made = [own("slice-a"), own("slice-b")];
  for (const out of made) {
    rmSync(out, { recursive: true, force: true });
    const { status, said } = pilotlight("export", ...words, "--commit", "abc", "--out", out);
    assert.equal(status, 0, said);
    assert.match(said, /profiles are in/);
  }
  const described = made.map((out) => readFileSync(join(out, "bundle.json"), "utf8"));
  assert.equal(described[0], described[1]);
  const { digest, made: of } = JSON.parse(described[0]);
  assert.equal(`pilotlight-${digest}`, name);
  assert.deepEqual(of, { selector: QUERY, ...range, commit: "abc" });
});

test("what cannot be exported is told of", async () => {
  const nothing = await ask("export", { query: '{service_name="nobody"}' });
  assert.equal(nothing.status, 204);
  const backwards = await ask("export", { from: range.until, until: range.from });
  assert.equal(backwards.status, 400);
  const words = (query, ...more) =>
    pilotlight("export", "--url", url, "--query", query, "--out", own("slice-none"), ...more);
  assert.match(words('{service_name="nobody"}').said, /no profiles match this selector in this range/);
  assert.match(words("{").said, /returned 400: /);
  assert.match(words(QUERY, "--from", "yesterday").said, /--from must be a time, .*\(got yesterday\)/);
  assert.match(pilotlight("export").said, /--url is missing/);
  assert.match(pilotlight("export", "--url", "http://127.0.0.1:9").said, /does not answer/);
});
