import assert from "node:assert/strict";
import { test } from "node:test";
import { type Packed, zip } from "../../tests/browser/zip.mjs";
import { FileError } from "../src/files/source.ts";
import { zipSources } from "../src/files/zip.ts";

const text = (words: string) => new TextEncoder().encode(words);
const LINES = text("main;work 1\n".repeat(400));
const going = () => new AbortController().signal;

async function read(archive: Uint8Array<ArrayBuffer>): Promise<[string, string][]> {
  const sources = await zipSources(new Blob([archive]));
  const all: [string, string][] = [];
  for (const { name, read } of sources) all.push([name, new TextDecoder().decode(await read(going(), () => {}))]);
  return all;
}

/** What the person is told of an archive that cannot be read. */
async function refusal(archive: Uint8Array<ArrayBuffer>): Promise<string> {
  const failure = await read(archive).then(
    () => assert.fail("it was read"),
    (failure) => failure,
  );
  assert.ok(failure instanceof FileError, String(failure));
  return failure.message;
}

const one = (more: Partial<Packed> = {}) => zip([{ name: "a.txt", bytes: LINES, ...more }]);

test("files are read as they were, stored and deflated, and noise is left out", async () => {
  const archive = zip([
    { name: "cpu/", bytes: text(""), method: 0 },
    { name: "cpu/é.txt", bytes: LINES },
    { name: "__MACOSX/cpu/._é.txt", bytes: text("x") },
    { name: "cpu/.DS_Store", bytes: text("x") },
    { name: "b.txt", bytes: text("main 2"), method: 0 },
    { name: "empty", bytes: text("") },
  ]);
  assert.deepEqual(await read(archive), [
    ["cpu/é.txt", new TextDecoder().decode(LINES)],
    ["b.txt", "main 2"],
    ["empty", ""],
  ]);
});

test("what cannot be read says why", async () => {
  assert.match(await refusal(one({ flags: 1 })), /^This archive is encrypted\./);
  const half = zip([
    { name: "a", bytes: LINES },
    { name: "b", bytes: LINES, flags: 1 },
  ]);
  assert.match(await refusal(half), /^This file is encrypted in its archive\./);
  assert.match(await refusal(one({ method: 12 })), /method 12/);
  assert.match(await refusal(one({ crc: 7 })), /a\.txt fails its checksum/);
  assert.match(await refusal(one({ size: 10 })), /a\.txt does not inflate to 10 bytes/);
  assert.match(await refusal(one({ size: LINES.length + 1 })), /checksum/);
  assert.match(await refusal(one({ size: 300 << 20 })), /^This file is 315 MB; the limit is 268 MB\./);
  assert.match(await refusal(one({ size: 0xffffffff })), /^This file is 4.29 GB/);
  assert.match(await refusal(zip([])), /contains no files/);
  assert.match(await refusal(Buffer.from("PK\x03\x04\x14\0\0\0")), /the directory at its end is missing/);
  const large = one();
  large.writeUInt16LE(0xffff, large.length - 12);
  assert.match(await refusal(large), /zip64/);
});

test("all files of an archive together inflate to a gibibyte at most", async () => {
  const part = { name: "a", bytes: LINES, size: 250 << 20 };
  const sources = await zipSources(new Blob([zip([part, part, part, part, part])]));
  const failures: string[] = [];
  for (const { read } of sources) {
    const reading = async () => read(going(), () => {});
    await reading().catch((failure: Error) => failures.push(failure.message));
  }
  assert.match(failures[3], /checksum/);
  assert.match(failures[4], /^This archive unpacks to more than 1.07 GB/);
});

test("each byte cut off or flipped gives the file as it was, or a reason", async () => {
  const archive = zip([{ name: "a.txt", bytes: text("main;work 1\nmain;rest 2\n") }]);
  const attempt = async (bytes: Uint8Array<ArrayBuffer>) => {
    try {
      for (const [, content] of await read(bytes)) assert.equal(content, "main;work 1\nmain;rest 2\n");
    } catch (failure) {
      assert.ok(failure instanceof FileError, String(failure));
    }
  };
  for (let at = 0; at < archive.length; at++) {
    await attempt(archive.subarray(0, at));
    const flipped = Uint8Array.from(archive);
    flipped[at] ^= 0x11;
    await attempt(flipped);
  }
});

test("a cancel ends the reading", async () => {
  const [source] = await zipSources(new Blob([one()]));
  const stop = new AbortController();
  stop.abort();
  await assert.rejects(
    source.read(stop.signal, () => {}),
    { name: "AbortError" },
  );
});
