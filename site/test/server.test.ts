import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
// @ts-expect-error: tools have no types.
import { rulesOf, tableOf, typeOf } from "../tools/pagetable.mjs";
// @ts-expect-error: tools have no types.
import { configurationOf } from "../tools/workerdconfig.mjs";

test("modules and variables are filled into workerd's configuration", () => {
  const wrangler = `name = "pilotlight"
compatibility_date = "2026-04-01"
[vars]
FLUSH_MS = "6000"
BUCKET_BACKEND = "r2"
# S3_BUCKET = "profiles"
fee = 5.0
`;
  const template = "@compatibility_date@\n@modules@\n@variables@";
  const [date, entry, core, ...variables] = configurationOf(template, wrangler, ["entry.js", "build/core.wasm"]).split(
    "\n",
  );
  assert.equal(date, "2026-04-01");
  assert.equal(entry, '    (name = "entry.js", esModule = embed "worker/entry.js"),');
  assert.equal(core, '    (name = "build/core.wasm", wasm = embed "worker/build/core.wasm"),');
  const names = variables.map((line: string) => /^ {4}\(name = "(\w+)", fromEnvironment = "\1"\),$/.exec(line)?.[1]);
  assert.deepEqual(names, [...names].sort());
  for (const name of ["FLUSH_MS", "S3_BUCKET", "ADMIN_TOKEN_SHA256"]) assert.ok(names.includes(name), name);
  for (const name of ["BUCKET_BACKEND", "fee", "name"]) assert.ok(!names.includes(name), name);
});

test("the template has nothing else to fill in", () => {
  const [template, wrangler] = ["../xtask/selfhost/pilotlight.capnp", "../wrangler.toml"].map((path) =>
    readFileSync(path, "utf8"),
  );
  const filled = configurationOf(template, wrangler, []);
  assert.doesNotMatch(filled, /@|undefined/);
  assert.match(filled, /fromEnvironment = "S3_ENDPOINT"/);
});

test("pages have no ending, and files have the headers of their rules", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pages-"));
  for (const inner of ["assets", "docs"]) mkdirSync(join(folder, inner));
  const files = {
    "index.html": "first",
    "diff.html": "second",
    "assets/a.js": "third",
    "docs/index.html": "fourth",
    _headers: "# all\n/*\n  X-Frame-Options: DENY\n/assets/*\n  Cache-Control: immutable\n",
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const table = tableOf(folder, Object.keys(files));
  rmSync(folder, { recursive: true });
  const { pages } = await import(`data:text/javascript,${encodeURIComponent(table)}`);
  assert.equal(pages.get("/").file, "index.html");
  assert.equal(pages.get("/index.html").location, "/");
  assert.equal(pages.get("/diff").headers["content-type"], "text/html; charset=utf-8");
  assert.equal(pages.get("/diff.html").location, "/diff");
  assert.equal(pages.get("/docs/").file, "docs/index.html");
  assert.equal(pages.get("/docs").location, "/docs/");
  const { headers } = pages.get("/assets/a.js");
  assert.equal(headers["cache-control"], "immutable");
  assert.equal(headers["x-frame-options"], "DENY");
  assert.match(headers.etag, /^"[0-9a-f]{16}"$/);
  assert.ok(!pages.has("/_headers"));
});

test("headers and types that are not understood are refused", () => {
  for (const text of ["/a/*/b\n", "/:name\n", "  X: y\n", "/*\nX: y\n", "/*\n  ! X\n"])
    assert.throws(() => rulesOf(text), /is not understood/, text);
  assert.throws(() => typeOf("a.exe"), /unknown type/);
});
