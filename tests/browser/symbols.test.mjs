/** Names for addresses: a profile of a stripped program, and the program as it was built, dropped on the page. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { drawnFrames, drop, launch, openPage, own } from "./page.mjs";
import { linesOf, writeAddresses } from "./pprof.mjs";
import { zip } from "./zip.mjs";

const SOURCE = new URL("../../wasm-viewer/symbols/tests/program/", import.meta.url).pathname;
/** Where the program is mapped: not where its file says. */
const BIAS = 0x555500000000;
const TOTAL = 7;

const folder = own("symbols");
const path = (name) => join(folder, name);
/** The program's tools speak English. */
const run = (tool, ...words) =>
  execFileSync(tool, words, { cwd: folder, encoding: "utf8", env: { ...process.env, LC_ALL: "C" } });

/** The frames of addresses, the innermost first, as the compiler's own tool finds them. */
function judged(addresses) {
  const frames = new Map();
  const lines = run("addr2line", "-e", "whole", "-aif", ...addresses.map((at) => `0x${at.toString(16)}`)).split("\n");
  let found = [];
  while (lines.length > 1) {
    const name = lines.shift();
    if (name.startsWith("0x")) {
      found = [];
      frames.set(Number(name), found);
      continue;
    }
    const [, file, line] = /([^/]*):(\d+|\?)/.exec(lines.shift());
    found.push({ name, file, line: Number(line) || 0 });
  }
  return frames;
}

/** Compiles the program, and makes a profile of two of its addresses: one calls the other. */
function make() {
  mkdirSync(folder, { recursive: true });
  const compile = (name, ...options) =>
    run("cc", "-g", "-fPIE", "-pie", "-Wl,--build-id", "-o", name, ...options, `${SOURCE}main.c`, `${SOURCE}work.c`);
  compile("whole", "-O2");
  compile("other", "-O1");
  run("strip", "--strip-all", "-o", "part", "whole");
  run("objcopy", "--only-keep-debug", "whole", "part.debug");
  writeFileSync(path("cut"), readFileSync(path("whole")).subarray(0, 900));
  const headers = run("readelf", "-SWln", "whole");
  const number = (digits) => Number.parseInt(digits, 16);
  const [, text, size] = /\.text\s+PROGBITS\s+(\w+) \w+ (\w+)/.exec(headers).map(number);
  const [, offset, start, bytes] = /LOAD\s+0x(\w+) 0x(\w+) 0x\w+ 0x(\w+) 0x\w+ R E/.exec(headers).map(number);
  const frames = judged(Array.from({ length: size }, (_, i) => text + i));
  const known = [...frames].filter(([, found]) => found.every(({ line }) => line > 0));
  const inlined = known.find(([, found]) => found.length > 2);
  const caller = known.find(([, found]) => found.length === 1 && found[0].name === "main");
  const [page, down] = [4096, (at) => at - (at % 4096)];
  const mapping = {
    file: "/usr/bin/part",
    buildId: /Build ID: (\w+)/.exec(headers)[1],
    start: BIAS + down(start),
    limit: BIAS + down(start + bytes + page - 1),
    offset: down(offset),
  };
  const at = [caller, inlined].map(([address]) => BIAS + address);
  const stacks = [
    { addresses: at, value: 5 },
    { addresses: at.slice(0, 1), value: 2 },
  ];
  writeFileSync(path("bare.pb"), writeAddresses(mapping, stacks));
  const tree = [...caller[1].toReversed(), ...inlined[1].toReversed()];
  return {
    id: mapping.buildId,
    otherId: /Build ID: (\w+)/.exec(run("readelf", "-n", "other"))[1],
    bare: at.map((address, depth) => `${depth + 1} 0x${address.toString(16)} [part] ${depth === 0 ? TOTAL : 5}`),
    named: tree.map(({ name }, depth) => `${depth + 1} ${name} ${depth < caller[1].length ? TOTAL : 5}`),
    leaf: inlined[1][0].name,
    lines: new Map([caller, inlined].map(([address, found]) => [BIAS + address, found])),
  };
}

let browser;
let program;
before(async () => {
  try {
    program = make();
  } catch (failure) {
    if (failure.code !== "ENOENT") throw failure;
    console.log(`skipped: ${failure.path} is not there, which makes the program`);
    return;
  }
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
  assert.match(await at("notice").textContent(), /^2 of 2 addresses named from whole$/);
  assert.deepEqual(await at("files").locator(".file-name").allTextContents(), ["bare.pb"]);
  assert.equal(await at("problem").count(), 0);
  const sent = requests.slice(first).filter(({ method, body }) => method !== "GET" || body);
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
  assert.ok(misfit.includes(`no part of the open profiles: its build id is ${program.otherId}.`), misfit);
  assert.ok(misfit.includes(`Addresses without names are in part (${program.id}).`), misfit);
  assert.equal(wasm(requests), before + 1, "the reader is fetched with the first program");
  assert.match(await said("part"), /Its symbols cannot be read: .* it was stripped\./);
  assert.match(await said("cut"), /Its symbols cannot be read: ELF: /);
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
  await at("notice").filter({ hasText: "The addresses of whole have names already" }).waitFor();
  await end();
});

test("in an archive, and alone", async (t) => {
  if (!program) return t.skip();
  const { page, at, end } = await openPage(browser, "/file");
  await drop(page, path("whole"));
  await at("problem").waitFor();
  assert.match(await at("problem").textContent(), /This is a program, not a profile\..*Open a profile/s);
  const files = ["bare.pb", "part.debug"].map((name) => ({ name, bytes: readFileSync(path(name)) }));
  writeFileSync(path("both.zip"), zip([...files, { name: "Contents/Info.plist", bytes: Buffer.from("<?xml?>") }]));
  await drop(page, path("both.zip"));
  await drawn(page, program.named);
  assert.equal(await at("problem").count(), 0);
  await end();
});
