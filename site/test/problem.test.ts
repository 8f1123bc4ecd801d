import assert from "node:assert/strict";
import { test } from "node:test";
import { CoreError, describeFailure, type FailureKind } from "../src/core/core.ts";

// The module asks where the page is mounted; a test has no page.
Object.assign(globalThis, { document: { baseURI: "http://localhost/" }, location: { href: "http://localhost/" } });
const { problemOf } = await import("../src/state/problem.ts");

const meaning = (message: string, kind: FailureKind) =>
  problemOf(new CoreError(message, false, kind), "read it").meaning;

test("a format that is not read is named in the first sentence", () => {
  const problem = problemOf(
    new CoreError(
      "this is a big-endian perf recording (perf.data), which Pilotlight can't open yet; Pilotlight reads pprof",
      false,
      "unread",
    ),
    "read it",
  );
  assert.equal(problem.meaning, "This is a big-endian perf recording (perf.data), which Pilotlight can't open yet.");
  assert.ok(
    problem.tries.some((text) => text.includes("perf script")),
    "it says how to convert it",
  );
  assert.ok(problem.tries.every((text) => !text.includes("cut off")));
  assert.equal(meaning("this is a web page (HTML); Pilotlight reads pprof", "unread"), "This is a web page (HTML).");
});

test("an empty file is empty, a damaged one is not whole, and profiles that differ are no damage", () => {
  assert.equal(meaning("the file is empty (0 bytes); expected a profile", "empty"), "This file is empty (0 bytes).");
  assert.equal(
    meaning("the file contains only white space (3 bytes); expected a profile", "empty"),
    "This file contains only white space (3 bytes).",
  );
  assert.match(meaning("pprof: not a valid protobuf message at byte 0", "damaged"), /^This file is incomplete/);
  // The kind says it, not a word that happens to be in the message.
  assert.match(meaning("pprof: sample 3 has 2 values for 1 sample types", "damaged"), /^This file is incomplete/);
  assert.match(meaning("Perfetto trace: there are no samples", "sampleless"), /^This file is complete/);
  assert.match(meaning("profiles measure different things", "different"), /^These profiles have different types/);
});

test("the kind of a failure is its error's name", () => {
  const named = (name: string) => describeFailure(Object.assign(new Error("x"), { name })).kind;
  assert.deepEqual(["empty", "unread", "damaged", "different", "Error", "TypeError"].map(named), [
    "empty",
    "unread",
    "damaged",
    "different",
    "other",
    "other",
  ]);
});
