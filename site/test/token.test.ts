import assert from "node:assert/strict";
import { test } from "node:test";
import { asked, askForToken, authorization, giveToken, token } from "../src/state/page/token.ts";

test("a token is asked for once, and again when the server does not take it", () => {
  assert.deepEqual([token.value, asked.value], ["", "no"]);
  assert.deepEqual(authorization(token.value), {});
  askForToken("");
  assert.equal(asked.value, "missing");
  giveToken("plt_a");
  assert.deepEqual([token.value, asked.value], ["plt_a", "no"]);
  assert.deepEqual(authorization(token.value), { authorization: "Bearer plt_a" });
  askForToken("");
  assert.equal(asked.value, "no", "the answer to a question from before the token");
  askForToken("plt_a");
  assert.equal(asked.value, "wrong");
});
