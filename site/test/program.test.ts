import assert from "node:assert/strict";
import { test } from "node:test";
import { isNoise } from "../src/files/folder.ts";
import { isProgram } from "../src/files/program.ts";

const blob = (...bytes: number[]) => new Blob([new Uint8Array(bytes)]);

test("programs and their symbols are told by their first bytes", async () => {
  const rest = [0, 0, 0, 2];
  for (const program of [
    blob(0x7f, 0x45, 0x4c, 0x46, ...rest),
    blob(0xcf, 0xfa, 0xed, 0xfe, ...rest),
    blob(0xfe, 0xed, 0xfa, 0xce, ...rest),
    blob(0xca, 0xfe, 0xba, 0xbe, ...rest),
    blob(0xca, 0xfe, 0xba, 0xbf, ...rest),
    new Blob(["MODULE Linux x86_64 0A1B2C0 foo\nFILE 0 a.c\n"]),
  ])
    assert.ok(await isProgram(program));
  for (const other of [
    blob(),
    blob(0x7f, 0x45, 0x4c, 0x46),
    blob(0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 65),
    new Blob(["MODULE;work 12\nMODULE 3\n"]),
  ])
    assert.ok(!(await isProgram(other)));
});

test("of a dSYM only the symbols are looked at", () => {
  const inside = ["Contents/Info.plist", "Contents/Resources/Relocations/aarch64/app.yml"];
  assert.deepEqual(inside.map(isNoise), [true, true]);
  assert.equal(isNoise("Contents/Resources/DWARF/app"), false);
});
