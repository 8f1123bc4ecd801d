import assert from "node:assert/strict";
import { test } from "node:test";
import { comparisonLabel, labelComparisons, labelOrder } from "../src/state/query/labels.ts";

const LABELS = {
  __session_id__: ["a", "b"],
  pyroscope_spy: ["gospy"],
  region: ["eu", "us"],
  service_name: ["checkout"],
  version: ["1.10.0", "1.8.2", "1.9.0"],
  zone: ["", "a"],
};

test("labels with several values come first, versions before all", () => {
  assert.deepEqual(labelOrder(LABELS), ["version", "region", "zone", "pyroscope_spy"]);
});

test("a name is a version's by one of its words, not by some letters in it", () => {
  const several = (...names: string[]) => Object.fromEntries(names.map((name) => [name, ["1", "2"]]));
  const labels = several(
    "stage",
    "shard",
    "share",
    "app_version",
    "build",
    "deploy.sha",
    "git-commit",
    "service_git_tag",
    "service_git_ref",
    "imageTag",
    "TAG",
  );
  assert.deepEqual(labelOrder(labels), [
    "app_version",
    "build",
    "deploy.sha",
    "git-commit",
    "imageTag",
    "service_git_ref",
    "service_git_tag",
    "TAG",
    "shard",
    "share",
    "stage",
  ]);
});

test("the last two values of a label are one step away from a comparison", () => {
  assert.deepEqual(labelComparisons(LABELS).map(comparisonLabel), [
    "version: 1.9.0 ↔ 1.10.0",
    "region: eu ↔ us",
    "zone: empty ↔ a",
  ]);
  assert.deepEqual(labelComparisons({ pyroscope_spy: ["gospy"] }), []);
});

test("of versions those are offered that are known to have come last", () => {
  assert.deepEqual(
    labelComparisons(LABELS, "version", { name: "version", values: ["1.10.0", "1.9.0"] }).map(comparisonLabel),
    ["version: 1.10.0 ↔ 1.9.0", "region: eu ↔ us", "zone: empty ↔ a"],
  );
  assert.deepEqual(labelComparisons(LABELS, "version").map(comparisonLabel), ["region: eu ↔ us", "zone: empty ↔ a"]);
});
