import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { test } from "node:test";

/** Each is the entrance of its folder; what it is called follows from there. */
const INDEX = "index";

test("no two files of the site have the same name, so that a name says which is meant", () => {
  const paths = readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path) && !/^wasm\b/.test(path))
    .sort();
  assert.ok(paths.length > 100, "the files of the site are there");
  const named = (path: string) =>
    basename(path)
      .replace(/(\.d)?\.tsx?$/, "")
      .toLowerCase();
  const first = new Map(paths.map((path) => [named(path), path]));
  const twins = paths
    .filter((path) => named(path) !== INDEX && first.get(named(path)) !== path)
    .map((path) => `${path} and ${first.get(named(path))}`);
  assert.deepEqual(twins, []);
});
