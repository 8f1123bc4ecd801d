/** Symbols of stored profiles: a program that is dropped on a service names its addresses in every answer from then on. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { push, typesOf } from "./answers.mjs";
import { drawnFrames, drop, launch, openPage, own, url } from "./page.mjs";
import { makeLarge, makeStripped, TOTAL } from "./stripped.mjs";

const folder = own("storedsymbols");
const path = (name) => join(folder, name);
const minute = 60_000;
const start = Math.floor(Date.now() / minute) * minute - 20 * minute;
const range = { from: start, until: start + 10 * minute };
const service = `storedsymbols.${start}`;

let browser;
let program;
let type;
before(async () => {
  program = makeStripped(folder);
  browser = await launch();
  if (!program) return;
  await push(service, readFileSync(path("bare.pb")), start / 1000);
  [type] = await typesOf(service, range);
});
after(() => browser?.close());

const explore = () => `/explore?${new URLSearchParams({ s: service, t: type, ...range })}`;
const seen = async (page) =>
  (await drawnFrames(page, TOTAL)).map(({ name, depth, total }) => `${depth} ${name} ${total}`);
const drawn = async (page, frames) => assert.deepEqual(await seen(page), [`0 total ${TOTAL}`, ...frames]);
const listed = async () =>
  (await (await fetch(`${url}/api/v1/symbols`)).json()).tables.filter(({ build_ids: ids }) => ids.includes(program.id));
/** Names of the functions that the report for machines has, the callers too. */
const reported = async () => {
  const query = `${type}{service_name="${service}"}`;
  const answer = await fetch(`${url}/api/v1/functions?${new URLSearchParams({ query, ...range, limit: "100" })}`);
  assert.equal(answer.status, 200);
  return (await answer.json()).functions.map(({ name }) => name);
};

test("what is no part of these profiles is not stored, and says why", async (t) => {
  if (!program) return t.skip();
  const { page, at, end } = await openPage(browser, explore());
  await drawn(page, program.bare);
  const said = async (name, text) => {
    await drop(page, path(name));
    await at("notice").filter({ hasText: text }).waitFor();
  };
  await said("other", `This binary isn't part of the open profiles: its build ID is ${program.otherId}.`);
  await said("other", `Unresolved addresses are in part (${program.id}).`);
  await said("part", /binary's symbols can't be read: the binary was stripped/);
  await said("cut", "The binary's symbols can't be read: ELF: ");
  assert.deepEqual(await listed(), []);
  await page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/stored-symbols-refused.png` });
  await at("close-notice").click();
  assert.equal(await at("notice").textContent(), "");
  // Of two drops neither takes the other's failure away, and many fit the window.
  await Promise.all([
    drop(page, path("part"), ...Array.from({ length: 30 }, () => path("cut"))),
    drop(page, path("other")),
  ]);
  await at("notice")
    .filter({ hasText: `its build ID is ${program.otherId}` })
    .waitFor();
  assert.equal((await at("notice").textContent()).split("The binary's symbols can't be read: ").length, 32);
  const box = await at("notice").boundingBox();
  assert.ok(box.y > 0 && box.height < 450, JSON.stringify(box));
  await page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/stored-symbols-many.png` });
  await at("close-notice").click();
  await end();

  const nothing = await openPage(browser, `${explore()}&p=labels`);
  await nothing.at("labels-panel").waitFor();
  await drop(nothing.page, path("whole"));
  await nothing.at("notice").filter({ hasText: "Open a profile of this program first." }).waitFor();
  assert.deepEqual(await listed(), []);
  await nothing.end();
});

test("a failure stays until it is closed or there is another try; other notices pass over it", async (t) => {
  if (!program) return t.skip();
  const { page, at, end } = await openPage(browser, explore());
  await drawn(page, program.bare);
  let answers = (route) => route.fulfill({ status: 500, body: "broken" });
  await page.route("**/api/v1/symbols*", (route) => answers(route));
  await page.clock.install();
  await drop(page, path("whole"));
  const failure = at("notice").filter({ hasText: /^Could not store the symbols of whole/ });
  await failure.waitFor();
  await page.clock.fastForward(3_600_000);
  assert.equal(await failure.count(), 1);
  await page.evaluate(() => dispatchEvent(new ClipboardEvent("paste", { clipboardData: new DataTransfer() })));
  await at("notice").filter({ hasText: "The clipboard contains no file or text." }).waitFor();
  await page.clock.fastForward(10_000);
  await failure.waitFor();
  const held = new Promise((hold) => (answers = hold));
  await drop(page, path("whole"));
  await at("notice").filter({ hasText: "Reading the symbols of whole…" }).waitFor();
  await page.clock.fastForward(3_600_000);
  await failure.waitFor({ state: "detached" });
  // A request that is held when its page closes would go on to the server.
  await (await held).fulfill({ status: 500, body: "broken" });
  await failure.waitFor();
  assert.deepEqual(await listed(), []);
  await end(/500/);
});

test("where there is no profile of one service a program says where it is of use", async (t) => {
  if (!program) return t.skip();
  for (const [address, ready] of [
    ["/", "service-card"],
    [explore().replace("explore", "diff"), "side-base"],
  ]) {
    const { page, at, end } = await openPage(browser, address);
    await at(ready).first().waitFor();
    const before = page.url();
    const said = (text) => at("notice").filter({ hasText: text }).waitFor();
    await drop(page, path("whole"));
    await said("whole is a binary, not a profile. To symbolize profiles, drop binaries on a service or an open file.");
    await drop(page, path("whole"), path("other"));
    await said("These are binaries, not profiles.");
    assert.equal(page.url(), before);
    // Beside a profile they name its addresses.
    await drop(page, path("whole"), path("bare.pb"));
    await page.waitForURL(/\/file/);
    await page.waitForSelector(`[data-testid=frames] >> text=${program.leaf}`, { state: "attached" });
    await end();
  }
});

test("what is too large to be stored names the open page, and says what was not stored", async (t) => {
  if (!program) return t.skip();
  makeLarge(folder, program.id);
  const { page, at, end } = await openPage(browser, explore());
  await drawn(page, program.bare);
  await page.getByText("1 note").click();
  const before = await listed();
  await drop(page, path("large"));
  await at("notice")
    .filter({
      hasText:
        /^Symbols of large cannot be stored: the symbols need [\d.]+ MB; at most 4\.19 MB are allowed\. 2 of 2 addresses are resolved on this page only, until it is reloaded\./,
    })
    .waitFor();
  await page.waitForSelector(`[data-testid=frames] >> text=${program.leaf}`, { state: "attached" });
  assert.equal(await page.getByText("1 note").count(), 0);
  await page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/stored-symbols-large.png` });
  assert.deepEqual(await listed(), before);
  await at("view-table").click();
  await at("row").filter({ hasText: program.leaf }).first().waitFor();
  await at("refresh").click();
  await at("row").filter({ hasText: "0x" }).first().waitFor();
  await end();
});

test("a program that is dropped on a service names its addresses, for everyone", async (t) => {
  if (!program) return t.skip();
  assert.ok((await reported()).every((name) => name.startsWith("0x")));
  const { page, at, requests, end } = await openPage(browser, explore());
  await drawn(page, program.bare);
  await page.getByText("1 note").click();
  await page.getByText(`Addresses in part (${program.id}) are unresolved.`).waitFor();
  const first = requests.length;
  await drop(page, path("part.debug"));
  await at("notice")
    .filter({ hasText: /^Stored \d+ functions of part\.debug\. Its profiles are now symbolized/ })
    .waitFor();
  await page.waitForSelector(`[data-testid=frames] >> text=${program.leaf}`, { state: "attached" });
  await drawn(page, program.named);
  assert.equal(await page.getByText("1 note").count(), 0);
  assert.equal(new URL(page.url()).pathname, "/explore");
  const readers = requests.slice(first).filter(({ url }) => /symbolizer.*\.js$/.test(url));
  assert.equal(readers.length, 1, "the program is read once");
  const sent = requests.slice(first).filter(({ method }) => method === "POST");
  assert.deepEqual(
    sent.map(({ url }) => new URL(url).pathname),
    ["/api/v1/symbols"],
  );
  const [table, ...more] = await listed();
  assert.equal(more.length, 0);
  assert.equal(table.file, "part.debug");
  assert.ok(table.lines && table.functions > 2 && table.size < 20_000, JSON.stringify(table));
  assert.ok((await reported()).includes(program.leaf), "a report has the names, too");
  await page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/stored-symbols.png` });

  // The program itself takes the place of its debug file: it may know more.
  await drop(page, path("whole"));
  await at("notice")
    .filter({ hasText: /^Stored \d+ functions of whole\. / })
    .waitFor();
  assert.deepEqual(
    (await listed()).map(({ file }) => file),
    ["whole"],
  );
  await end();

  const other = await openPage(browser, explore());
  await drawn(other.page, program.named);
  await other.end();
});

test("the settings list what is stored, and delete it", async (t) => {
  if (!program) return t.skip();
  const { page, at, end } = await openPage(browser, "/");
  await at("settings-button").click();
  const row = at("symbol-table").filter({ hasText: "whole" });
  await row.first().waitFor();
  await page.screenshot({ path: `${process.env.PILOTLIGHT_SHOTS}/stored-symbols-list.png` });
  await row.first().getByTitle("Delete the symbols of whole").click();
  await at("symbol-table-delete").click();
  // Its text went when it asked.
  await at("symbol-table-delete").waitFor({ state: "detached" });
  await row.first().waitFor({ state: "detached" });
  assert.deepEqual(await listed(), []);
  await end();
  const again = await openPage(browser, explore());
  await drawn(again.page, program.bare);
  await again.end();
});

test("what is no symbol table is refused", async () => {
  const refused = async (body) => {
    const answer = await fetch(`${url}/api/v1/symbols`, { method: "POST", body });
    return [answer.status, (await answer.json()).message];
  };
  const [status, message] = await refused("nothing");
  assert.equal(status, 400);
  assert.match(message, /these bytes are not a symbol table/);
  assert.equal((await refused(new Uint8Array(7 << 20)))[0], 413);
  const gone = await fetch(`${url}/api/v1/symbols?id=00`, { method: "DELETE" });
  assert.equal(gone.status, 404);
});
