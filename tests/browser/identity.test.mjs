/**
 * One core: in the browser it gives the same bytes as natively, on every profile of the corpus. The module is the one that
 * wasmtime is held to; what it must answer is written by the native core (`tests/src/bin/identity.rs`).
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, url } from "./page.mjs";

const { PILOTLIGHT_CORE_WASM: wasm, PILOTLIGHT_IDENTITY: folder } = process.env;

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

/** Runs in the page: the SHA-256 of what each verb answers to an input. */
async function answersInPage({ input, verbs }) {
  const bytes = async (path) => new Uint8Array(await (await fetch(path)).arrayBuffer());
  window.core ??= await WebAssembly.compile(await bytes("core.wasm"));
  const list = await bytes(`${input}.bin`);
  // Nothing is freed inside, so each input has an instance of its own.
  const { exports } = await WebAssembly.instantiate(window.core, {});
  const found = [];
  for (const verb of verbs) {
    const at = exports.alloc(list.length);
    new Uint8Array(exports.memory.buffer, at, list.length).set(list);
    const answer = exports[verb](at, list.length);
    const length = new DataView(exports.memory.buffer).getUint32(answer, true);
    const digest = await crypto.subtle.digest("SHA-256", new Uint8Array(exports.memory.buffer, answer + 4, length));
    found.push({
      verb,
      length,
      sha256: Array.from(new Uint8Array(digest), (b) => b.toString(16).padStart(2, "0")).join(""),
    });
  }
  return found;
}

test("the browser's core answers with the same bytes as the native one", async () => {
  assert.ok(wasm, "PILOTLIGHT_CORE_WASM names the core's WASM module: cargo xtask test builds it and sets it");
  const answers = JSON.parse(readFileSync(join(folder, "answers.json"), "utf8"));
  assert.ok(answers.length >= 10, `${answers.length} answers`);
  const page = await (await browser.newContext()).newPage();
  await page.route("**/identity/*", (route) => {
    const name = new URL(route.request().url()).pathname.split("/").at(-1);
    if (name === "page.html")
      return route.fulfill({ contentType: "text/html", body: "<!doctype html><title>core</title>" });
    return route.fulfill({
      contentType: "application/octet-stream",
      path: name === "core.wasm" ? wasm : join(folder, name),
    });
  });
  await page.goto(`${url}/identity/page.html`);
  for (const [input, expected] of byInput(answers)) {
    const verbs = expected.map(({ verb }) => verb);
    const found = await page.evaluate(answersInPage, { input, verbs });
    const native = expected.map(({ verb, length, sha256 }) => ({ verb, length, sha256 }));
    assert.deepEqual(found, native, `answers for ${expected[0].of}`);
  }
});

/** Answers by input; Node 20 has no `Map.groupBy`. */
function byInput(answers) {
  const groups = new Map();
  for (const answer of answers) groups.set(answer.input, [...(groups.get(answer.input) ?? []), answer]);
  return groups;
}
