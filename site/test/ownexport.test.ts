import assert from "node:assert/strict";
import { test } from "node:test";
import { isOwnExport } from "../src/core/ownexport.ts";

const own = (text: string) => isOwnExport(new TextEncoder().encode(text));

test("an export is known by its exporter, also after a formatter", () => {
  assert.ok(own('{"profiles":[],"exporter":"Pilotlight"}'));
  assert.ok(own('{\n  "profiles": [],\n  "exporter": "Pilotlight"\n}\n'));
  assert.ok(own(`{"profiles":["${"é".repeat(200)}"],"exporter":"Pilotlight"}`));
});

test("files of others are not", () => {
  assert.ok(!own('{"profiles":[],"exporter":"speedscope@1.25.0"}'));
  assert.ok(!own('{"profiles":[{"name":"\\"exporter\\":\\"Pilotlight\\"}"}]}'));
  assert.ok(!own(""));
});
