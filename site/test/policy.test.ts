import assert from "node:assert/strict";
import { test } from "node:test";
import { policy } from "../tools/policy.ts";

interface Hooks {
  buildStart(this: { error(message: string): never }): void;
  transformIndexHtml: { handler(html: string): { attrs: { content: string } }[] };
  generateBundle(this: { emitFile(file: { source: string }): void }): void;
}

/** The content security policy of a page that may fetch from these origins. */
function policyOf(origins: string): string {
  return made(origins, "").policy;
}

/** The policy of a page, and the headers of the site. */
function made(origins: string, frames: string): { policy: string; headers: string } {
  const plugin = policy(origins, frames) as unknown as Hooks;
  const error = (message: string) => {
    throw new Error(message);
  };
  plugin.buildStart.call({ error });
  const { content } = plugin.transformIndexHtml.handler("<script>1</script>")[0].attrs;
  let headers = "";
  plugin.generateBundle.call({ emitFile: ({ source }) => (headers = source) });
  return { policy: content, headers };
}

test("a page talks to its own origin, and to those that its operator names", () => {
  assert.match(policyOf(""), /; connect-src 'self';/);
  assert.match(
    policyOf("https://a.test  http://b.test:8080"),
    /; connect-src 'self' https:\/\/a\.test http:\/\/b\.test:8080;/,
  );
  for (const wrong of ["https://a.test/", "a.test", "*", "https://a.test;script-src", "https://a.test/path"])
    assert.throws(() => policyOf(wrong), /PROFILE_ORIGINS: .* is no origin/);
});

test("no page has this one in a frame, but those that its operator names", () => {
  const refused = made("", "").headers;
  assert.match(refused, /; frame-ancestors 'none'\n/);
  assert.match(refused, /X-Frame-Options: DENY\n/);
  const allowed = made("", "https://wiki.test").headers;
  assert.match(allowed, /; frame-ancestors 'self' https:\/\/wiki\.test\n/);
  assert.doesNotMatch(allowed, /X-Frame-Options/);
  assert.throws(() => made("", "wiki.test"), /FRAME_ORIGINS: wiki.test is no origin/);
});
