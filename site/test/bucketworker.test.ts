import assert from "node:assert/strict";
import { test } from "node:test";
import { askBucket } from "../src/bucket/bucket.ts";
import type { Ask, Reply, Request } from "../src/bucket/protocol.ts";

test("after a fatal answer whatever else was asked fails, too, and the next question finds a fresh reader", async () => {
  let started = 0;
  class Reader {
    onmessage: ((event: { data: Reply }) => void) | null = null;
    constructor() {
      started++;
    }
    postMessage(request: Request) {
      if (request.id === 2) this.onmessage?.({ data: { id: 2, error: "unreachable", fatal: true } });
    }
    terminate() {}
  }
  Object.assign(globalThis, { Worker: Reader });
  const ask = () => askBucket("https://host.test/", { ask: "services" } as Ask, new AbortController().signal);
  const asked = await Promise.allSettled([ask(), ask()]);
  assert.deepEqual(
    asked.map(({ status }) => status),
    ["rejected", "rejected"],
  );
  void ask();
  assert.equal(started, 2);
});
