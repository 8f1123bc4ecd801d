/** Names for addresses: a profile of a stripped program, and the program as it was built, dropped on the page. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { drawnFrames, drop, launch, openPage, own, sending } from "./page.mjs";
import { linesOf } from "./pprof.mjs";
import { makeStripped, TOTAL } from "./stripped.mjs";
import { zip } from "./zip.mjs";

const folder = own("symbols");
const path = (name) => join(folder, name);

let browser;
let program;
before(async () => {
  program = makeStripped(folder);
  browser = await launch();
});
after(() => browser?.close());

const seen = async (page) =>
  (await drawnFrames(page, TOTAL)).map(({ name, depth, total }) => `${depth} ${name} ${total}`);
const drawn = async (page, frames) => assert.deepEqual(await seen(page), [`0 total ${TOTAL}`, ...frames]);
const leaf = (page) => page.waitForSelector(`[data-testid=frames] >> text=${program.leaf}`, { state: "attached" });
const wasm = (requests) => requests.filter(({ url }) => url.endsWith(".wasm")).length;

test("a program dropped with a profile names its addresses, with inlined calls and lines", async (t) => {
  if (!program) return t.skip();
  const { page, at, requests, end } = await openPage(browser, "/file");
  await at("dropzone").waitFor({ state: "attached" });
  const first = requests.length;
  await drop(page, path("whole"), path("bare.pb"));
  await drawn(page, program.named);
  assert.match(await at("notice").textContent(), /^2 of 2 addresses symbolized with whole$/);
  assert.deepEqual(await at("files").locator(".file-name").allTextContents(), ["bare.pb"]);
  assert.equal(await at("problem").count(), 0);
  const sent = sending(requests.slice(first));
  assert.deepEqual(sent, [], "something was sent");
  // What leaves the page has the names, and the lines that no view shows.
  await at("export").click();
  const [download] = await Promise.all([page.waitForEvent("download"), at("export-pprof").click()]);
  await download.saveAs(path("named.pb.gz"));
  assert.deepEqual(linesOf(path("named.pb.gz")), program.lines);
  await end();
});

test("beside an open profile: what does not fit says both build ids, what cannot be read says why", async (t) => {
  if (!program) return t.skip();
  const { page, at, requests, end } = await openPage(browser, "/file");
  await drop(page, path("bare.pb"));
  await drawn(page, program.bare);
  const before = wasm(requests);
  const said = async (name) => {
    await drop(page, path(name));
    await page.locator("summary b", { hasText: new RegExp(`^${name}$`) }).waitFor();
    return at("problem").textContent();
  };
  const misfit = await said("other");
  assert.ok(misfit.includes(`isn't part of the open profiles: its build ID is ${program.otherId}.`), misfit);
  assert.ok(misfit.includes(`Unresolved addresses are in part (${program.id}).`), misfit);
  assert.equal(wasm(requests), before + 1, "the reader is fetched with the first program");
  assert.match(await said("part"), /binary's symbols can't be read: the binary was stripped/);
  assert.match(await said("cut"), /binary's symbols can't be read: ELF: /);
  await drawn(page, program.bare);

  await drop(page, path("part.debug"));
  await leaf(page);
  await drawn(page, program.named);
  assert.equal(await at("problem").count(), 0);
  await at("flame").focus();
  for (const key of ["ArrowDown", "ArrowDown", "Space"]) await page.keyboard.press(key);
  await at("drawer").waitFor();
  assert.match(await at("drawer").textContent(), /\.[ch]/, "its file");
  await drop(page, path("whole"));
  await at("notice").filter({ hasText: "whole is already symbolized" }).waitFor();
  await end();
});

test("in an archive, and alone", async (t) => {
  if (!program) return t.skip();
  const { page, at, end } = await openPage(browser, "/file");
  await drop(page, path("whole"));
  await at("problem").waitFor();
  assert.match(await at("problem").textContent(), /This is a binary, not a profile\..*Open a profile/s);
  const files = ["bare.pb", "part.debug"].map((name) => ({ name, bytes: readFileSync(path(name)) }));
  writeFileSync(path("both.zip"), zip([...files, { name: "Contents/Info.plist", bytes: Buffer.from("<?xml?>") }]));
  await drop(page, path("both.zip"));
  await drawn(page, program.named);
  assert.equal(await at("problem").count(), 0);
  await end();
});
