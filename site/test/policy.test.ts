import assert from "node:assert/strict";
import { test } from "node:test";
import { policy } from "../tools/policy.ts";

interface Hooks {
  buildStart(this: { error(message: string): never }): void;
  transformIndexHtml: { handler(html: string): { attrs: { content: string } }[] };
}

/** The content security policy of a page that may fetch from these origins. */
function policyOf(origins: string): string {
  const plugin = policy(origins) as unknown as Hooks;
  const error = (message: string) => {
    throw new Error(message);
  };
  plugin.buildStart.call({ error });
  return plugin.transformIndexHtml.handler("<script>1</script>")[0].attrs.content;
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
