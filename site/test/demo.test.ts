import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterEach, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { deleteDemo, pushDemo, ServerFailure } from "../package/pushdemo.mjs";
import init, { Demo } from "../src/wasm/demo/pilotlight.js";

await init({ module_or_path: readFileSync("src/wasm/demo/pilotlight_bg.wasm") });

const { fetch } = globalThis;
afterEach(() => {
  globalThis.fetch = fetch;
});

/** What was sent: each request's method, address and inflated body. */
function answering(answer: (sent: number) => Response | Error) {
  const sent: { method: string; url: string; body: string; headers: Headers }[] = [];
  globalThis.fetch = async (url, init) => {
    const bytes = init?.body ? gunzipSync(init.body as Uint8Array) : Buffer.alloc(0);
    const headers = new Headers(init?.headers);
    sent.push({ method: init?.method ?? "GET", url: String(url), body: bytes.toString(), headers });
    const given = answer(sent.length);
    if (given instanceof Error) throw given;
    return given;
  };
  return sent;
}

const ok = () => new Response("{}");
const refused = (status: number) => new Response(JSON.stringify({ code: "x", message: "not now" }), { status });

/** Requests that are their own numbers. */
const numbers = (requests: number) => ({
  profiles: 10 * requests,
  requests,
  request: (index: number) => new TextEncoder().encode(String(index)),
});

test("the hour is the same natively and in WASM", () => {
  // tests/tests/native/demo.rs computes the same.
  const kept = readFileSync("../wasm-viewer/demo/digest.txt", "utf8").trim();
  const demo = new Demo(1_790_000_000);
  assert.equal(demo.profiles, 1680);
  const hash = createHash("sha256");
  for (let index = 0; index < demo.requests; index++) hash.update(demo.request(index) ?? "");
  assert.equal(demo.request(demo.requests), undefined);
  assert.equal(hash.digest("hex"), kept);
});

test("every request is pushed once, with the token, and those that a busy server refuses again", async () => {
  const sent = answering((n) => (n === 3 ? refused(503) : n === 5 ? new TypeError("fetch failed") : ok()));
  const heard: number[] = [];
  const headers = { authorization: "Bearer plt_x" };
  await pushDemo(numbers(20), "https://example.com/at/", headers, (done) => heard.push(done));
  assert.equal(sent.length, 22);
  assert.deepEqual(
    [...new Set(sent.map(({ body }) => Number(body)))].sort((a, b) => a - b),
    [...Array(20).keys()],
  );
  assert.ok(sent.every(({ url }) => url === "https://example.com/at/push.v1.PusherService/Push"));
  assert.ok(sent.every(({ headers }) => headers.get("authorization") === "Bearer plt_x"));
  assert.deepEqual(
    heard,
    Array.from({ length: 20 }, (_, i) => 10 * (i + 1)),
  );
});

test("a refusal ends the push, and says why", async () => {
  const sent = answering(() => refused(401));
  await assert.rejects(
    pushDemo(numbers(100), "https://example.com/", {}, () => {}),
    (failure) => failure instanceof ServerFailure && failure.status === 401 && failure.message === "not now",
  );
  assert.ok(sent.length <= 6, `${sent.length} requests`);
});

test("a deletion names the label and all times until now", async () => {
  const sent = answering(ok);
  await deleteDemo("https://example.com/", {});
  const [{ method, url }] = sent;
  const { pathname, searchParams } = new URL(url);
  assert.deepEqual(
    [method, pathname, searchParams.get("query"), searchParams.get("from")],
    ["DELETE", "/api/v1/admin/profiles", '{demo="true"}', "0"],
  );
});
