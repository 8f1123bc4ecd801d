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
  assert.match(
    meaning(answer(413, json("resource_exhausted", "a body of 9 MB"))),
    /too large for the server: a body of 9 MB\./,
  );
  const busy = problemOf(answer(429, json("resource_exhausted", "later"), { "retry-after": "7" }), "read the profile");
  assert.match(busy.meaning, /too busy/);
  assert.match(busy.tries.join(), /in 7 seconds/);
  assert.equal(
    meaning(answer(400, json("invalid_argument", 'the query "x" is short.'))),
    'The server rejected the query: the query "x" is short.',
  );
  const asked = answer(400, json("invalid_argument", "selector, column 21: expected a quoted value, found '1'"));
  const query = 'a:b:c{x="1",version=1.8.2,y="2"}';
  assert.equal(
    meaning(new ApiError("refused", "", { status: 400, reason: asked.reason, query })),
    "The filter version=1.8.2 can't be read: expected a quoted value, found '1'.",
  );
  assert.match(meaning(answer(503, "")), /internal error/);
  assert.match(meaning(new ApiError("network", "Failed to fetch")), /did not answer/);
});

test("who is not let in hears what to do", () => {
  const shown = (status: number, text: string, headers: Record<string, string> = {}, sent = "") => {
    const error = responseError(new Response(null, { status, headers }), text, sent);
    const { meaning, tries } = problemOf(error, "read the profile");
    return [meaning, tries.join(" ")] as const;
  };
  const bearer = { "www-authenticate": 'Bearer realm="pilotlight"' };
  const refusal = json("unauthenticated", "this needs a token: send it as `Authorization: Bearer TOKEN`");
  for (const [sent, expected] of [
    ["", /^The server needs a token\.$/],
    ["plt_x", /^The server does not accept this token: it is unknown, expired or revoked\.$/],
  ] as const) {
    const [meaning, tries] = shown(401, refusal, bearer, sent);
    assert.match(meaning, expected);
    assert.match(tries, /enter a token with the read scope.*ask an administrator/);
  }
  // No token helps where the server takes none.
  const [tenant, noToken] = shown(401, json("unauthenticated", "the X-Scope-OrgID header is missing"));
  assert.equal(tenant, "The server does not allow this: the X-Scope-OrgID header is missing.");
  assert.ok(!noToken.includes("token"), noToken);
  // What stands in front of the server has a sign-in of its own.
  const page = { "content-type": "text/html", "www-authenticate": "Basic" };
  const [signIn, reload] = shown(401, "<html>Sign in", page);
  assert.match(signIn, /not signed in/);
  assert.match(reload, /sign in.*[Aa]sk an administrator/);
  const [scope, another] = shown(403, json("permission_denied", "this token lacks the read scope"));
  assert.equal(scope, "The server does not allow this: this token lacks the read scope.");
  assert.match(another, /administrator.*token with the read scope.*Sign out/);
  const [forbidden, access] = shown(403, "<html>Forbidden", page);
  assert.equal(forbidden, "The server does not allow this.");
  assert.match(access, /administrator/);
});

test("a page in place of data is not shown as text", () => {
  const error = answer(502, "<!doctype html><h1>Bad gateway</h1>", { "content-type": "text/html; charset=utf-8" });
  assert.ok(!error.message.includes("<"), error.message);
});
