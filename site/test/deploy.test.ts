import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
// @ts-expect-error: the package's own scripts have no types.
import { configure, replace } from "../package/deploy/configuration.mjs";
// @ts-expect-error: the package's own scripts have no types.
import { parseRecord, readRecord, remember, settingsOf } from "../package/deploy/settings.mjs";

const WRANGLER = readFileSync("../wrangler.toml", "utf8");
const PLACES = { main: "/package/serve/worker/shim.js", pages: "/package/site" };

/** The configuration, and its lines that differ from `wrangler.toml`. */
function configured(name: string, given: Record<string, string>) {
  const text: string = configure(WRANGLER, PLACES, name, settingsOf(given));
  const lines = new Set(WRANGLER.split("\n"));
  return { text, changed: text.split("\n").filter((line) => !lines.has(line)) };
}

test("the paid plan has wrangler.toml as it is, the free plan values of its own", () => {
  const places = ['main = "/package/serve/worker/shim.js"', 'directory = "/package/site"'];
  assert.deepEqual(configured("pilotlight", {}).changed, places);
  assert.deepEqual(configured("pilotlight", { preset: "free" }).changed, [
    ...places,
    'SUBQUERY_BYTES = "131072"',
    'RETENTION_RAW_DAYS = "14"',
    'RETENTION_SUMS_DAYS = "90"',
    "fee = 0.0",
  ]);
});

test("a name is also that of the binding to itself, and a domain stands before the tables", () => {
  const { text } = configured("other", { bucket: "files", domain: "p.example.com" });
  for (const line of ['name = "other"', 'service = "other"', 'bucket_name = "files"'])
    assert.ok(text.includes(`\n${line}\n`), line);
  assert.ok(!text.includes('= "pilotlight"'));
  const tables = text.indexOf("\n[");
  const route = text.indexOf('\nworkers_dev = false\nroutes = [{ pattern = "p.example.com", custom_domain = true }]\n');
  assert.ok(route > 0 && route < tables);
});

test("a line that is not there once is noticed", () => {
  assert.throws(
    () => replace("a = 1\n", "b = ", "b = 2"),
    /must contain exactly one line that begins with `b = ` \(found 0\)/,
  );
  assert.throws(() => replace("a = 1\na = 2\n", "a = ", "a = 3"), /found 2/);
});

test("an upgrade without options changes nothing", () => {
  const folder = mkdtempSync(join(tmpdir(), "deployed-"));
  const path = join(folder, "deploy.toml");
  const settings = (name: string, given: Record<string, string> = {}) => settingsOf(given, readRecord(path)[name]);
  const deploy = (name: string, given: Record<string, string>) => {
    remember(path, readRecord(path), name, settings(name, given));
    return settings(name);
  };
  const first = deploy("pilotlight", { preset: "free", bucket: "files", domain: "p.example.com" });
  assert.deepEqual(first, { preset: "free", bucket: "files", domain: "p.example.com" });
  deploy("other", { bucket: "more-files" });
  assert.deepEqual(settings("pilotlight"), first);
  assert.equal(settings("other").bucket, "more-files");
  assert.deepEqual(settings("third"), { preset: "paid", bucket: "pilotlight" });
  const text = readFileSync(path, "utf8");
  assert.match(text, /^# /);
  assert.ok(
    text.endsWith(
      '\n[other]\npreset = "paid"\nbucket = "more-files"\n\n[pilotlight]\npreset = "free"\nbucket = "files"\ndomain = "p.example.com"\n',
    ),
    text,
  );
  assert.equal(settings("pilotlight", { preset: "paid" }).bucket, "files");
  assert.equal(deploy("pilotlight", { domain: "none" }).domain, undefined);
  rmSync(folder, { recursive: true });
});

test("a line of deploy.toml that does not read is named", () => {
  const wrong = (text: string, pattern: RegExp) => assert.throws(() => parseRecord(text, "deploy.toml"), pattern);
  wrong("[a]\nbucket = files\n", /^Error: deploy\.toml, line 2: /);
  wrong('bucket = "files"\n', /^Error: deploy\.toml, line 1: /);
  wrong('[a]\n\nbucket = "F"\n', /line 3: bucket must be 3 to 54/);
  wrong('[a]\npreset = "huge"\n', /preset must be free or paid \(got huge\)/);
  wrong('[a]\nregion = "eu"\n', /unknown setting region/);
  assert.deepEqual(parseRecord("# nothing\n", "deploy.toml"), {});
});
