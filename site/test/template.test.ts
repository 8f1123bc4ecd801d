import assert from "node:assert/strict";
import { test } from "node:test";
import { filled } from "../src/state/query/template.ts";

test("names of a template are filled in, encoded", () => {
  const values = { trace: "0af7", service: "a b/ü" };
  assert.equal(
    filled(" https://t.example/{trace}?s={service}&u={trace}", values),
    "https://t.example/0af7?s=a%20b%2F%C3%BC&u=0af7",
  );
});

test("an unknown name, and what is no address of the web, give none", () => {
  for (const template of [
    "https://t.example/{tracer}",
    "javascript:alert(1)//{trace}",
    "/{trace}",
    "https://",
    "{trace}",
  ])
    assert.equal(filled(template, { trace: "https://evil" }), null, template);
});
