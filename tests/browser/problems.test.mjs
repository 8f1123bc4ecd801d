/** Files that are no profiles: a clear message in the page, and the page goes on. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { drawnFrames, drop, launch, openPage, own } from "./page.mjs";
import { callTree, readPprof } from "./pprof.mjs";

const GOOD = own("checkout-1.8.2.pb.gz");

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

function file(name, bytes) {
  const path = own(name);
  writeFileSync(path, bytes);
  return path;
}

function flipped(bytes) {
  const copy = Buffer.from(bytes);
  copy[copy.length >> 1] ^= 4;
  return copy;
}

const good = () => readFileSync(GOOD);
const BAD = [
  ["empty.pb", () => Buffer.alloc(0), /empty/],
  ["notes.txt", () => Buffer.from("buy milk\n"), /pprof/],
  ["truncated.pb.gz", () => good().subarray(0, 900), /gzip|cut short/],
  ["flipped.pb.gz", () => flipped(good()), /gzip|pprof/],
  ["claims.pb", () => Buffer.from([0x12, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10, 1, 2, 3]), /byte 0/],
  ["bomb.pb.gz", () => gzipSync(Buffer.alloc(300 << 20), { level: 9 }), /inflates to more than/],
];

for (const [name, make, says] of BAD) {
  test(`${name} is refused with the reason`, async () => {
    const { page, at, requests, end } = await openPage(browser, "/file");
    await drop(page, file(name, make()));
    await at("problem").waitFor();
    const text = await at("problem").textContent();
    assert.ok(text.includes(name), `the message names the file: ${text}`);
    assert.match(text, says);
    // And the page goes on: a good file opens.
    await drop(page, GOOD);
    await drawnFrames(page, callTree(readPprof(GOOD), 1).total);
    assert.ok(requests.every(({ method }) => method === "GET"));
    await end();
  });
}

const UNREAD = Buffer.from("Nettrace".padEnd(80, "\0"));

for (const [name, bytes, says] of [
  [
    "trace.nettrace",
    UNREAD,
    "This is a .NET trace (`dotnet-trace convert --format Speedscope` converts it), which Pilotlight can't open yet.",
  ],
  [
    "recording.pb.gz",
    gzipSync(UNREAD),
    "This is a .NET trace (`dotnet-trace convert --format Speedscope` converts it), which Pilotlight can't open yet.",
  ],
  ["profile.zip", Buffer.from("PK\x03\x04\x14\0\0\0"), "This archive is broken: the directory at its end is missing."],
  [
    "heap.json",
    Buffer.from('{"snapshot":{"meta":{"node_fields":[]},"node_count":0}}'),
    "This is a V8 heap snapshot (`node --heap-prof` writes a profile instead), which Pilotlight can't open yet.",
  ],
  ["nothing.pb", Buffer.alloc(0), "This file is empty (0 bytes)."],
]) {
  test(`${name} is called what it is, first of all`, async () => {
    const { page, at, end } = await openPage(browser, "/file");
    await drop(page, file(name, bytes));
    await at("problem").waitFor();
    assert.equal(await at("problem").locator("summary").textContent(), `${name} ${says}`);
    assert.doesNotMatch(await at("problem").textContent(), /cut off/);
    await end();
  });
}

test("an address without a page is a page that leads home", async () => {
  const { page, end } = await openPage(browser, "/nowhere");
  assert.equal(await page.locator("h1").textContent(), "Page not found");
  await page.getByRole("link").click();
  await page.getByTestId("service-card").first().waitFor();
  await end(/404/);
});

test("three bad files take little from the good one", async () => {
  const { page, at, end } = await openPage(browser, "/file");
  const bad = ["a.data", "b.data", "c.data"].map((name) => file(name, UNREAD));
  await drop(page, bad[0], GOOD, bad[1], bad[2]);
  await drawnFrames(page, callTree(readPprof(GOOD), 1).total);
  assert.equal(await at("problem").count(), 3);
  const { height } = await at("flame").boundingBox();
  assert.ok(height > 500, `the picture is ${height} pixels high`);
  await page.getByRole("button", { name: "Dismiss all 3" }).click();
  await at("problem").first().waitFor({ state: "detached" });
  await at("flame").waitFor();
  await end();
});

test("a bad file beside a good one is named, and the good one is drawn", async () => {
  const { page, at, end } = await openPage(browser, "/file");
  await drop(page, GOOD, file("notes.txt", Buffer.from("buy milk\n")));
  await drawnFrames(page, callTree(readPprof(GOOD), 1).total);
  assert.ok((await at("problem").textContent()).includes("notes.txt"));
  await end();
});
