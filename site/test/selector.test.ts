import { test } from "node:test";
import assert from "node:assert/strict";
import { formatMatcher, matcherLabel, parseMatcher, selector, type Matcher } from "../src/state/selector.ts";
import { compareTypes, typeLabel, typeParts } from "../src/format/type.ts";

test("matchers survive their text", () => {
  const matchers: Matcher[] = [
    { name: "region", op: "=", value: "eu" },
    { name: "path", op: "=~", value: 'a"b\\d+\n' },
    { name: "k8s.pod", op: "!~", value: "" },
    { name: "version", op: "!=", value: "1=2" },
  ];
  for (const matcher of matchers) assert.deepEqual(parseMatcher(formatMatcher(matcher)), matcher);
});

test("what is no matcher is none", () => {
  for (const text of ["", "region", "region=eu", 'region="e"u"', '9a="b"', 'a=="b"']) assert.equal(parseMatcher(text), null);
});

test("the query names the service first and leaves out what cannot be read", () => {
  assert.equal(selector("checkout", ['region="eu"', "broken"]), '{service_name="checkout",region="eu"}');
  assert.equal(selector('a"b', []), '{service_name="a\\"b"}');
  assert.equal(matcherLabel('region="eu"'), "region=eu");
});

test("type ids in words", () => {
  assert.equal(typeLabel("process_cpu:cpu:nanoseconds:cpu:nanoseconds"), "cpu");
  assert.equal(typeLabel("memory:inuse_space:bytes:space:bytes"), "memory · inuse space");
  assert.equal(typeParts("memory:inuse_space:bytes:space:bytes").unit, "bytes");
  const ids = ["wall:wall:nanoseconds::", "memory:a:b:c:d", "process_cpu:samples:count:cpu:nanoseconds", "process_cpu:cpu:nanoseconds:cpu:nanoseconds"];
  assert.deepEqual([...ids].sort(compareTypes), [ids[3], ids[2], ids[1], ids[0]]);
});
