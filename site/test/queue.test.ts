import assert from "node:assert/strict";
import { test } from "node:test";
import { queue } from "../src/state/queue.ts";

/** Work that ends when it is told to, and notes when it begins. */
function job(name: string, begun: string[]) {
  let end = () => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  const work = async () => {
    begun.push(name);
    await ended;
    return name;
  };
  return { work, end };
}

const task = () => new Promise((resolve) => setTimeout(resolve));

test("work runs in the order in which it is asked for, one at a time", async () => {
  const begun: string[] = [];
  const { run, isIdle } = queue();
  const [a, b, c] = ["a", "b", "c"].map((name) => job(name, begun));
  assert.ok(isIdle());
  const answers = Promise.all([a, b, c].map(({ work }) => run(work)));
  c.end();
  await task();
  assert.deepEqual(begun, ["a"]);
  a.end();
  await task();
  assert.deepEqual(begun, ["a", "b"]);
  assert.ok(!isIdle());
  b.end();
  assert.deepEqual(await answers, ["a", "b", "c"]);
  assert.ok(isIdle());
});

test("several run at a time, and one that ends makes room for the next", async () => {
  const begun: string[] = [];
  const { run } = queue(2);
  const [a, b, c] = ["a", "b", "c"].map((name) => job(name, begun));
  const answers = Promise.all([a, b, c].map(({ work }) => run(work)));
  assert.deepEqual(begun, ["a", "b"]);
  b.end();
  await task();
  assert.deepEqual(begun, ["a", "b", "c"]);
  a.end();
  c.end();
  assert.deepEqual(await answers, ["a", "b", "c"]);
});

test("a failure is its caller's, and the next one runs", async () => {
  const { run, isIdle } = queue();
  const failing = run(() => Promise.reject(new Error("no")));
  const next = run(() => Promise.resolve("next"));
  await assert.rejects(failing, /no/);
  assert.equal(await next, "next");
  assert.ok(isIdle());
});
