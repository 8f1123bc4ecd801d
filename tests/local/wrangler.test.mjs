/** `wrangler dev` as `cargo xtask run` starts it: pages, pushes, queries and the schedule on one port. */
import assert from "node:assert/strict";
import { test } from "node:test";

const { PILOTLIGHT_URL: url } = process.env;
const NAME = "behind.wrangler";

test("pages come from the built site", async () => {
  const page = await fetch(`${url}/`);
  assert.equal(page.status, 200);
  assert.match(page.headers.get("content-type"), /^text\/html/);
  assert.match(page.headers.get("content-security-policy"), /default-src/, "_headers is applied");
});

test("a path without a file reaches the worker", async () => {
  const answer = await fetch(`${url}/api/v1/nothing`);
  assert.equal(answer.status, 404);
  assert.equal((await answer.json()).code, "not_found");
});

test("a push is stored and found, before and after the schedule ran", async () => {
  const pushed = await fetch(`${url}/ingest?name=${NAME}&format=groups`, {
    method: "POST",
    body: "main;work 7\nmain 5\n",
  });
  assert.equal(pushed.status, 200, await pushed.text());
  const total = async () => {
    const listed = await fetch(`${url}/api/v1/services`);
    assert.equal(listed.status, 200);
    const { services } = await listed.json();
    return services.find(({ name }) => name === NAME)?.types[0].total;
  };
  const before = await total();
  assert.equal(before, String(12 * 10_000_000), "12 samples at 100 Hz, in nanoseconds");
  const ran = await fetch(`${url}/__scheduled?cron=*+*+*+*+*`);
  assert.equal(ran.status, 200);
  assert.equal(await total(), before);
});
