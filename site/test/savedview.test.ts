import assert from "node:assert/strict";
import { test } from "node:test";
import "./page.ts";

const { shortLink, viewsOf } = await import("../src/state/url/savedview.ts");
const { formatRoute } = await import("../src/state/url/route.ts");

const view = (fields: object) =>
  JSON.stringify({ name: "checkout", path: "explore?s=checkout&v=table", saved: 5, ...fields });

test("saved views lead to pages of ours alone, the newest first", () => {
  const found = viewsOf({
    "view.aaaaa1": view({}),
    "view.aaaaa2": view({ name: "both", path: "diff?s=checkout&from2=now-5m", saved: 9 }),
    "view.aaaaa3": view({ path: "https://evil.example/explore?s=x" }),
    "view.aaaaa4": view({ path: "javascript:alert(1)" }),
    "view.aaaaa5": view({ path: "file?share=1" }),
    "view.aaaaa6": view({ name: "" }),
    "view.aaaaa7": view({ name: 7 }),
    "view.aaaaa8": "[",
    "view.aaaaa9": "null",
    "view.../..": view({}),
    "trace-url": view({}),
  });
  assert.deepEqual(
    found.map(({ id, name }) => [id, name]),
    [
      ["aaaaa2", "both"],
      ["aaaaa1", "checkout"],
    ],
  );
  assert.equal(formatRoute(found[1].target), "explore?s=checkout&v=table");
  // A bucket that somebody else has chosen does not come along.
  const [bucket] = viewsOf({ "view.aaaaa1": view({ path: "explore?s=a&bucket=https://evil.example" }) });
  assert.equal(formatRoute(bucket.target), "explore?s=a");
});

test("a short link is the front page with an id", () => {
  assert.equal(formatRoute(shortLink("abc123")), "?view=abc123");
});
