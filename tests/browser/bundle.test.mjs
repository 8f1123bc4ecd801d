/** A folder of profiles as a bundle: the pages answer from its files alone, on static hosts of several kinds. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { drawnFrames, launch, own } from "./page.mjs";
import { callTree, readPprof, together } from "./pprof.mjs";

const FILES = ["checkout-1.8.2.pb.gz", "checkout-1.9.0.pb.gz"];
const PREFIX = "/archive/run-17/";
const TYPES = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};
const profiles = own("bundled-profiles");
const bundle = own("bundle");
/** The package as it is packed, without being installed. */
const packed = fileURLToPath(new URL("../../target/npm/package", import.meta.url));

let browser;
before(async () => {
  execFileSync("node", [fileURLToPath(new URL("../../site/tools/pack.mjs", import.meta.url))]);
  for (const folder of [profiles, bundle]) rmSync(folder, { recursive: true, force: true });
  for (const file of FILES) {
    const version = `version=${/\d.*\d/.exec(file)[0]}`;
    mkdirSync(join(profiles, "checkout", version), { recursive: true });
    copyFileSync(own(file), join(profiles, "checkout", version, "cpu.pb.gz"));
  }
  make(bundle);
  browser = await launch();
});
after(() => browser?.close());

function make(out) {
  execFileSync("node", [join(packed, "pilotlight.mjs"), "bundle", "--out", out, profiles], { stdio: "pipe" });
}

/** All files below a folder, by name. */
function contents(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(folder.length)).sort();
  return new Map(paths.map((path) => [path, readFileSync(join(folder, path))]));
}

/** A static host of the bundle's files below a path; `answer` may change what it says of a file. */
async function host(answer) {
  const files = contents(bundle);
  const asked = [];
  const server = createServer((request, response) => {
    const path = new URL(request.url, "http://localhost").pathname;
    const name = `/${decodeURIComponent(path.slice(PREFIX.length)) || "index.html"}`;
    asked.push(name);
    const found = path.startsWith(PREFIX) ? files.get(name) : undefined;
    const { bytes, ranges = false } = found ? answer({ name }, found) : {};
    if (!bytes) return response.writeHead(404).end();
    const headers = { "content-type": TYPES[extname(name)] ?? "application/octet-stream" };
    const range = ranges && /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
    if (!range) return response.writeHead(200, headers).end(bytes);
    const [first, last] = [Number(range[1]), Math.min(Number(range[2]), bytes.length - 1)];
    response.writeHead(206, { ...headers, "content-range": `bytes ${first}-${last}/${bytes.length}` });
    response.end(bytes.subarray(first, last + 1));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${server.address().port}${PREFIX}`;
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { address, asked, close };
}

async function open(address) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce" });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  await page.goto(address);
  return { page, at: (name) => page.getByTestId(name), errors, close: () => context.close() };
}

const isObject = (name) => name.endsWith(".blk");
const both = () => together(...FILES.map((file) => readPprof(own(file))));
const cpu = ({ types }) => types.findIndex(({ type }) => type === "cpu");

test("the same profiles give the same bundle, byte for byte", () => {
  const again = own("bundle-again");
  rmSync(again, { recursive: true, force: true });
  make(again);
  assert.deepEqual(contents(again), contents(bundle));
  const { version, made, catalog } = JSON.parse(readFileSync(join(bundle, "bundle.json"), "utf8"));
  assert.deepEqual([version, made.files, catalog.length], [1, 2, 1]);
});

for (const ranges of [true, false]) {
  test(`the pages answer from a host ${ranges ? "with" : "without"} ranges, below a path`, async () => {
    const { address, asked, close } = await host((_, bytes) => ({ bytes, ranges }));
    const { page, at, errors, ...end } = await open(address);
    const card = at("service-card").filter({ hasText: "checkout" });
    await card.waitFor();
    await card.click();
    const profile = both();
    const total = callTree(profile, cpu(profile)).total;
    const frames = await drawnFrames(page, total);
    assert.ok(frames.length > 3);
    assert.match(page.url(), /explore\.html\?s=checkout/);
    assert.ok(asked.some(isObject), "objects were read");
    assert.deepEqual(errors, []);
    await end.close();
    await close();
  });
}

test("an object that is cut off, changed or gone is told of, and never drawn", async () => {
  const flipped = (bytes) => {
    const changed = Buffer.from(bytes);
    for (let at = 100; at < changed.length; at += 50) changed[at] ^= 0xff;
    return changed;
  };
  const cases = [
    [
      (bytes) => ({ bytes: bytes.subarray(0, bytes.length - 9), ranges: true }),
      "is not the one that its catalog names",
    ],
    [(bytes) => ({ bytes: flipped(bytes), ranges: true }), "is damaged"],
    [() => ({}), "lacks an object that its catalog names"],
  ];
  for (const [answer, says] of cases) {
    const { address, close } = await host(({ name }, bytes) =>
      isObject(name) ? answer(bytes) : { bytes, ranges: true },
    );
    const { page, ...end } = await open(address);
    await page.getByText(says).first().waitFor();
    await end.close();
    await close();
  }
});

test("what is no folder of profiles is refused, and nothing is left behind", () => {
  const bad = own("bundled-nothing");
  rmSync(bad, { recursive: true, force: true });
  mkdirSync(bad);
  const run = (...words) => {
    try {
      execFileSync("node", [join(packed, "pilotlight.mjs"), "bundle", ...words], { stdio: "pipe" });
      return "made";
    } catch (error) {
      return error.stderr.toString();
    }
  };
  assert.match(run("--out", own("none"), bad), /there is no file/);
  writeFileSync(join(bad, "notes.txt"), "buy milk\n");
  assert.match(run("--out", own("none"), bad), /notes\.txt: the body is text of no known profiler/);
  assert.match(run("--out", bundle, profiles), /is there already/);
  assert.match(run(), /name one folder/);
});
