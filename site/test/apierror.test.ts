import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, responseError } from "../src/apierror.ts";
import { problemOf } from "../src/state/problem.ts";

function answer(status: number, text: string, headers: Record<string, string> = {}): ApiError {
  return responseError(new Response(null, { status, headers }), text);
}

const json = (code: string, message: string) => JSON.stringify({ code, message });
const meaning = (error: ApiError) => problemOf(error, "read the profile").meaning;

test("only a path that is not there means that there is no server", () => {
  assert.equal(answer(404, "Not Found").kind, "absent");
  assert.equal(answer(404, "<html>", { "content-type": "text/html" }).kind, "absent");
  assert.equal(answer(404, json("not_found", "no such series")).kind, "refused");
  for (const status of [400, 401, 403, 405, 413, 429, 500, 502, 503])
    assert.equal(answer(status, "<html>").kind, "refused", `${status}`);
});

test("what the server refuses is said in its own sentence", () => {
  const unknown = problemOf(
    answer(401, json("unauthenticated", "the header X-Scope-OrgID is missing")),
    "read the profile",
  );
  assert.equal(unknown.meaning, "You are not signed in, or your session has ended.");
  assert.deepEqual(unknown.tries, ["Reload the page and sign in."]);
  assert.equal(
    meaning(answer(403, "<html>Forbidden", { "content-type": "text/html" })),
    "The server does not let you see this.",
  );
  assert.match(
    meaning(answer(413, json("resource_exhausted", "a body of 9 MB"))),
    /too large for the server: a body of 9 MB\./,
  );
  const busy = problemOf(answer(429, json("resource_exhausted", "later"), { "retry-after": "7" }), "read the profile");
  assert.match(busy.meaning, /too much to do/);
  assert.match(busy.tries.join(), /in 7 seconds/);
  assert.equal(
    meaning(answer(400, json("invalid_argument", 'the query "x" is short.'))),
    'The server rejected the query: the query "x" is short.',
  );
  assert.match(meaning(answer(503, "")), /failed while it worked/);
  assert.match(meaning(new ApiError("network", "Failed to fetch")), /did not answer/);
});

test("a page in place of data is not shown as text", () => {
  const error = answer(502, "<!doctype html><h1>Bad gateway</h1>", { "content-type": "text/html; charset=utf-8" });
  assert.ok(!error.message.includes("<"), error.message);
});
