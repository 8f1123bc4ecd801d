import assert from "node:assert/strict";
import { test } from "node:test";
import { importProfile, writeProfile } from "../src/core/imports.ts";
import { readSymbols } from "../src/core/symbols.ts";

const workers: FakeWorker[] = [];
class FakeWorker {
  onmessage: ((event: { data: unknown }) => void) | null = null;
  ended = false;
  constructor() {
    workers.push(this);
  }
  asked: unknown;
  postMessage(request: unknown) {
    this.asked = request;
  }
  terminate() {
    this.ended = true;
  }
}
Object.assign(globalThis, { Worker: FakeWorker });

test("a reader ends with its file, and with a cancel", async () => {
  const stop = new AbortController();
  const read = importProfile(new Uint8Array(1), stop.signal);
  workers[0].onmessage?.({ data: { imported: { format: "a Chrome trace" } } });
  assert.equal((await read).format, "a Chrome trace");
  assert.ok(workers[0].ended);

  const cancelled = importProfile(new Uint8Array(1), stop.signal);
  assert.ok(!workers[1].ended);
  stop.abort();
  await assert.rejects(cancelled, { name: "AbortError" });
  assert.ok(workers[1].ended);
});

test("a writer ends with its file, and says what is wrong", async () => {
  const pprof = new Uint8Array([1, 2]);
  const written = writeProfile(pprof, "speedscope", 1);
  assert.deepEqual(workers[2].asked, { write: "speedscope", pprof, type: 1 });
  workers[2].onmessage?.({ data: { written: new Uint8Array([3]) } });
  assert.deepEqual(await written, new Uint8Array([3]));
  assert.ok(workers[2].ended);

  const refused = writeProfile(pprof, "flamebearer", 9);
  workers[3].onmessage?.({ data: { error: "there is no sample type 9", name: "Error" } });
  await assert.rejects(refused, { message: "there is no sample type 9" });
});

test("so does a reader of a program, which takes the profiles along", async () => {
  const request = () => ({ name: "a", program: new Blob(), profiles: [new Uint8Array(1)], tables: false });
  const started = workers.length;
  const stop = new AbortController();
  const read = readSymbols(request(), stop.signal);
  workers[started].onmessage?.({ data: { named: [], tables: [] } });
  assert.deepEqual(await read, { named: [], tables: [] });
  assert.ok(workers[started].ended);
  const refused = readSymbols(request(), stop.signal);
  workers[started + 1].onmessage?.({ data: { error: "it was stripped" } });
  await assert.rejects(refused, /it was stripped/);
  const cancelled = readSymbols(request(), stop.signal);
  stop.abort();
  await assert.rejects(cancelled, { name: "AbortError" });
  assert.ok(workers.every(({ ended }) => ended));
});
