import assert from "node:assert/strict";
import { test } from "node:test";
import { batch, effect, signal } from "@preact/signals";
import { beginWork, showSettled, trackWork } from "../src/settled.ts";

const frames: (() => void)[] = [];
Object.assign(globalThis, { requestAnimationFrame: (draw: () => void) => frames.push(draw) });

const attributes = new Set<string>();
const top = {
  setAttribute: (name: string) => attributes.add(name),
  removeAttribute: (name: string) => attributes.delete(name),
} as unknown as HTMLElement;

const isSettled = () => attributes.has("data-settled");
const task = () => new Promise((resolve) => setTimeout(resolve));

async function frame() {
  for (const draw of frames.splice(0)) draw();
  await task();
}

test("a page is settled two frames after its work ends, unless more has begun", async () => {
  const first = beginWork();
  showSettled(top);
  const second = beginWork();
  first();
  assert.equal(frames.length, 0, "some work is pending");
  second();
  await frame();
  assert.ok(!isSettled());
  await frame();
  assert.ok(isSettled());
  const third = beginWork();
  assert.ok(!isSettled());
  third();
  await frame();
  const fourth = beginWork();
  await frame();
  assert.ok(!isSettled(), "work has begun since");
  fourth();
  await frame();
  await frame();
  assert.ok(isSettled());
});

test("work that an effect begins counts, and does not run it again", async () => {
  const question = signal(1);
  let asked = 0;
  effect(() => {
    question.value;
    asked++;
    void trackWork(Promise.resolve());
  });
  assert.ok(!isSettled());
  await task();
  await frame();
  await frame();
  assert.ok(isSettled());
  batch(() => (question.value = 2));
  assert.ok(!isSettled());
  assert.equal(asked, 2);
});
