import assert from "node:assert/strict";
import { test } from "node:test";
import { compareTypes, typeLabel, typeParts } from "../src/format/type.ts";
import {
  formatMatcher,
  type Matcher,
  matcherLabel,
  parseMatcher,
  selector,
  toggleMatcher,
  withMatcher,
} from "../src/state/query/selector.ts";

test("another value of a label replaces the one that was asked for", () => {
  const filters = ['region="eu"', 'region!="us"', 'version="1"'];
  const [name, value] = ["region", "ap"];
  assert.deepEqual(withMatcher(filters, { name, op: "=", value }), ['region!="us"', 'version="1"', 'region="ap"']);
  assert.deepEqual(withMatcher(filters, { name, op: "!=", value }), [...filters, 'region!="ap"']);
  assert.deepEqual(withMatcher(filters, { name, op: "!=", value: "us" }), [
    'region="eu"',
    'version="1"',
    'region!="us"',
  ]);
});

test("a filter that is set is removed where it is offered again", () => {
  const filters = ['region="eu"', 'version="1"'];
  const [name, op] = ["region", "="] as const;
  assert.deepEqual(toggleMatcher(filters, { name, op, value: "eu" }), ['version="1"']);
  assert.deepEqual(toggleMatcher(filters, { name, op, value: "ap" }), ['version="1"', 'region="ap"']);
});

test("matchers survive their text", () => {
  const matchers: Matcher[] = [
    { name: "region", op: "=", value: "eu" },
    { name: "path", op: "=~", value: 'a"b\\d+\n' },
    { name: "k8s.pod", op: "!~", value: "" },
    { name: "version", op: "!=", value: "1=2" },
    { name: "größe", op: "=", value: "é" },
    { name: 'odd "name"\\', op: "!=", value: "'`" },
    { name: "9a", op: "=", value: "\\" },
    { name: "a", op: "=~", value: "\\bgo\\b\\x62\\Q" },
    {
      name: "all",
      op: "=",
      value: String.fromCharCode(...Array(0x100).keys(), 0x2028, 0x2029, 0xfeff, 0xd83d, 0xde00),
    },
  ];
  for (const matcher of matchers) assert.deepEqual(parseMatcher(formatMatcher(matcher)), matcher);
});

test("a value is written as the server reads it", () => {
  const check = (value: string, expect: string) =>
    assert.equal(formatMatcher({ name: "a", op: "=", value }), `a="${expect}"`);
  check('a"b', 'a\\"b');
  check("\\n", "\\\\n");
  check("\n\r\t\0\x07\u2028é", "\\n\r\t\0\x07\u2028é");
  check("\\'\\\"", "\\\\'\\\\\\\"");
  assert.equal(formatMatcher({ name: "odd name", op: "!~", value: "\\d" }), '"odd name"!~"\\\\d"');
});

test("escapes are read as the server reads them", () => {
  const check = (text: string, value: string, op = "=") => assert.equal(parseMatcher(`a${op}"${text}"`)?.value, value);
  check("\\a\\b\\f\\n\\r\\t\\v\\\\\\\"\\'", "\x07\b\f\n\r\t\v\\\"'");
  check("a\\x62c\\101", "abcA");
  check("\\xc3\\xa9\\303\\251\\u00e9\\U0001F600", "ééé😀");
  check("\\\\x41", "\\x41");
  check("\\d\\N\\X41\\U00110000", "\\d\\N\\X41\\U00110000");
  check("\\d\\.\\bgo\\x2e", "\\d\\.\\bgo.", "=~");
});

test("what is no matcher is none", () => {
  for (const text of ["", "region", "region=eu", 'region="e"u"', '9a="b"', 'a=="b"'])
    assert.equal(parseMatcher(text), null);
});

test("the query names the service first and keeps every filter as it is written", () => {
  assert.equal(selector("checkout", ['region="eu"', "broken"]), '{service_name="checkout",region="eu",broken}');
  assert.equal(selector("checkout", ['größe="x"', "region=~`e.`"]), '{service_name="checkout",größe="x",region=~`e.`}');
  assert.equal(selector('a"b', []), '{service_name="a\\"b"}');
  assert.equal(
    selector("a", ['"odd name"="x"', formatMatcher({ name: "größe", op: "!=", value: "1" })]),
    '{service_name="a","odd name"="x","größe"!="1"}',
  );
  assert.equal(matcherLabel('region="eu"'), "region=eu");
  assert.equal(matcherLabel('"odd name"="a\\tb"'), "odd name=a\tb");
});

test("type ids in words", () => {
  assert.equal(typeLabel("process_cpu:cpu:nanoseconds:cpu:nanoseconds"), "cpu");
  assert.equal(typeLabel("memory:inuse_space:bytes:space:bytes"), "memory · inuse space");
  assert.equal(typeLabel("threadcreate:threads:count::"), "threadcreate · threads");
  const goroutines = ["goroutine:goroutine:count", "goroutine:goroutines:count", "goroutines:goroutine:count"];
  for (const type of goroutines) assert.equal(typeLabel(`${type}::`), "goroutines");
  assert.equal(typeParts("memory:inuse_space:bytes:space:bytes").unit, "bytes");
  const ids = [
    "wall:wall:nanoseconds::",
    "memory:a:b:c:d",
    "process_cpu:samples:count:cpu:nanoseconds",
    "process_cpu:cpu:nanoseconds:cpu:nanoseconds",
  ];
  assert.deepEqual([...ids].sort(compareTypes), [ids[3], ids[2], ids[1], ids[0]]);
});
