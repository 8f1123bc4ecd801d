import assert from "node:assert/strict";
import { test } from "node:test";
import { askInTurn } from "../src/state/query/askinturn.ts";

const going = new AbortController().signal;

test("a few questions at a time, of all panels together, and answers in order", async () => {
  let [open, most] = [0, 0];
  const ask = async (n: number) => {
    most = Math.max(most, ++open);
    await new Promise((resolve) => setTimeout(resolve, (n * 7) % 5));
    open--;
    return n * 2;
  };
  const questions = [...new Array(20).keys()];
  const found = await Promise.all([askInTurn(questions, ask, going), askInTurn(questions, ask, going)]);
  for (const answers of found)
    assert.deepEqual(
      answers,
      questions.map((n) => n * 2),
    );
  assert.equal(most, 4);
  assert.deepEqual(await askInTurn([], () => Promise.resolve(1), going), []);
});

test("the first failure ends it, and so does who asked", async () => {
  let asked = 0;
  const failing = () => {
    asked++;
    return Promise.reject(new Error("no"));
  };
  await assert.rejects(askInTurn([...new Array(20).keys()], failing, going), /no/);
  await new Promise((resolve) => setTimeout(resolve));
  assert.ok(asked <= 4, `${asked} were asked`);
  const stop = new AbortController();
  stop.abort();
  await assert.rejects(
    askInTurn([1], () => Promise.resolve(1), stop.signal),
    { name: "AbortError" },
  );
});
