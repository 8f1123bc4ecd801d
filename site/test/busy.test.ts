import assert from "node:assert/strict";
import { test } from "node:test";
import { server } from "./page.ts";

const { json, posted } = await import("../src/api.ts");

const { signal } = new AbortController();

/** A server that turns away so many requests before it answers. */
function busy(times: number, retryAfter: string | null): { asked: number } {
  const seen = { asked: 0 };
  server.answer = () => {
    if (seen.asked++ >= times) return Response.json({ fine: true });
    return Response.json(
      { message: "busy" },
      { status: 503, headers: retryAfter ? { "retry-after": retryAfter } : {} },
    );
  };
  return seen;
}

test("a busy server is asked again when it says when", async () => {
  const seen = busy(3, "0.01");
  assert.deepEqual(await json("labels", {}, signal), { fine: true });
  assert.equal(seen.asked, 4);
});

test("one that stays busy, says nothing or means minutes is not", async () => {
  for (const [retryAfter, asked] of [
    ["0.01", 4],
    [null, 1],
    ["60", 1],
  ] as const) {
    const seen = busy(99, retryAfter);
    await assert.rejects(json("labels", {}, signal), { status: 503 });
    assert.equal(seen.asked, asked, `${retryAfter}`);
  }
});

test("what writes is sent once, and who stops waiting is not kept", async () => {
  const seen = busy(1, "0.01");
  await assert.rejects(json("annotations", {}, signal, posted({})), { status: 503 });
  assert.equal(seen.asked, 1);
  busy(99, "1");
  const stop = new AbortController();
  const asked = json("labels", {}, stop.signal);
  stop.abort();
  await assert.rejects(asked, { name: "AbortError" });
});
