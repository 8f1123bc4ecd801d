import assert from "node:assert/strict";
import { test } from "node:test";
import { importProfile } from "../src/core/imports.ts";

const workers: FakeWorker[] = [];
class FakeWorker {
  onmessage: ((event: { data: unknown }) => void) | null = null;
  ended = false;
  constructor() {
    workers.push(this);
  }
  postMessage() {}
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
