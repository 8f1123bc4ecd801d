import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
// @ts-expect-error: the package's own scripts have no types.
import { readRules, rulesAsYaml } from "../package/rulefile.mjs";

const folder = mkdtempSync(join(tmpdir(), "pilotlight-rules-"));
after(() => rmSync(folder, { recursive: true }));

/** The rules in a file, or what is said of it, where FILE is its path. */
async function read(name: string, content: unknown): Promise<unknown> {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  try {
    const found: { rule: unknown; where: string }[] = await readRules(path);
    return found.map(({ rule }) => rule);
  } catch (error) {
    return (error as Error).message.replaceAll(path, "FILE");
  }
}

const CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
const cart = { metric_name: "profiles_recorded_cart", query: `${CPU}{service_name="cart"}` };
const shop = { ...cart, metric_name: "profiles_recorded_shop", external_labels: { team: "a" }, self: true };

test("rules are read from YAML and JSON: one, a list, or what the list prints", async () => {
  for (const [content, expected] of [
    [cart, [cart]],
    [
      [cart, shop],
      [cart, shop],
    ],
    [{ rules: [cart, shop] }, [cart, shop]],
  ]) {
    assert.deepEqual(await read("rules.json", content), expected);
    assert.deepEqual(await read("rules", content), expected, "by its content");
    assert.deepEqual(await read("rules.yaml", content), expected, "JSON is YAML, too");
  }
  const yaml = `# Of the shop
- metric_name: profiles_recorded_cart
  query: ${cart.query}
  function:
---
rules:
  - metric_name: profiles_recorded_shop
    query: >-
      ${cart.query}
    external_labels: {team: a}
    self: true
---
`;
  assert.deepEqual(await read("rules.yml", yaml), [cart, shop]);
  assert.deepEqual(await read("no-ending", yaml), [cart, shop]);
});

test("what is printed as YAML has what is set, and is read again", async () => {
  const empty = { group_by: [], external_labels: {}, function: "", self: false, provisioned: false };
  const stored = [
    { id: "a", ...empty, ...cart, generation: 7 },
    { id: "b", ...empty, ...shop, function_regex: "^main\\.", external_labels: { team: "5", on: "yes" } },
  ];
  const yaml: string = await rulesAsYaml(stored);
  assert.equal(yaml.split("\n")[1], "  - id: a");
  assert.deepEqual(await read("printed.yaml", yaml), [
    { id: "a", ...cart },
    { id: "b", ...shop, function_regex: "^main\\.", external_labels: { team: "5", on: "yes" } },
  ]);
});

test("Pyroscope's rules are read: of its command line, and of its API", async () => {
  const expected = {
    metric_name: "profiles_recorded_gc",
    query: `${CPU}{region="emea",service_name=~"a|b,{"}`,
    group_by: ["service_name"],
    external_labels: { team: "runtime" },
    function: "runtime.gcBgMarkWorker",
  };
  const external = [{ name: "team", value: "runtime" }];
  const line = {
    matchers: [`{ __profile_type__="${CPU}", region="emea"}`, '{service_name=~"a|b,{",}', "{}"],
    metric_name: "profiles_recorded_gc",
    group_by: ["service_name"],
    external_labels: external,
    function_name: "runtime.gcBgMarkWorker",
  };
  assert.deepEqual(await read("line.json", line), [expected]);
  const api = {
    rules: [
      {
        id: "abc",
        metricName: "profiles_recorded_gc",
        profileType: CPU,
        matchers: [`${CPU}{region="emea"}`, '{service_name=~"a|b,{"}'],
        groupBy: ["service_name"],
        externalLabels: external,
        generation: "3",
        stacktraceFilter: { functionName: { functionName: "runtime.gcBgMarkWorker", metricType: "TOTAL" } },
      },
    ],
  };
  assert.deepEqual(await read("api.yaml", api), [{ id: "abc", ...expected, generation: 3 }]);
  const { function_name, ...stored } = line;
  const filtered = { ...stored, prometheus_data_source: "", stacktrace_filter: { function_name: { function_name } } };
  assert.deepEqual(await read("stored.json", [filtered]), [expected]);
  const whole = { metric_name: "profiles_recorded_all", matchers: [`{__profile_type__="${CPU}"}`] };
  assert.deepEqual(await read("whole.json", whole), [{ metric_name: "profiles_recorded_all", query: `${CPU}{}` }]);
});

test("what is wrong is said with the file, the rule and the value", async () => {
  const second = "FILE: rule 2 (profiles_recorded_shop): ";
  const wrong: [string, unknown, string][] = [
    ["a.yaml", "rules: []", "FILE has no rules"],
    ["a.yaml", "- a: [1\n  b: 2", "FILE: line 2: deficient indentation"],
    ["a.json", [cart, { ...shop, funtion: "a" }], `${second}unknown field funtion. Did you mean function?`],
    ["a.json", [cart, { ...shop, group_by: "a" }], `${second}group_by must be a list of texts (got "a")`],
    ["a.json", [cart, { ...shop, self: "yes" }], `${second}self must be true or false (got "yes")`],
    [
      "a.yaml",
      "- metric_name: profiles_recorded_x\n  query: a\n  external_labels: {version: 1.10}",
      'FILE: rule 1 (profiles_recorded_x): external_labels must map names to texts, such as {team: "shop"}; put numbers in quotes (got {"version":1.1})',
    ],
    ["a.json", [cart, { metric_name: shop.metric_name }], `${second}query is missing`],
    ["a.json", [{ query: cart.query }], "FILE: rule 1: metric_name is missing"],
    ["a.yaml", "just words", 'FILE: rule 1: expected a rule with metric_name and query, got "just words"'],
    [
      "a.json",
      { ...shop, matchers: [] },
      "FILE: rule 1 (profiles_recorded_shop): matchers and query can't be combined",
    ],
    [
      "a.json",
      { metric_name: "x", matchers: ["work"] },
      'FILE: rule 1 (x): matchers: expected {name="value"}, got work',
    ],
    [
      "a.json",
      { metric_name: "x", matchers: [], stacktrace_filter: {} },
      'FILE: rule 1 (x): matchers must have one __profile_type__="…" (got 0)',
    ],
    [
      "a.json",
      {
        metric_name: "x",
        matchers: [`${CPU}{}`],
        stacktrace_filter: { function_name: { function_name: "a", metric_type: 1 } },
      },
      "FILE: rule 1 (x): metric_type must be TOTAL (got 1)",
    ],
  ];
  for (const [name, content, message] of wrong) assert.equal(await read(name, content), message);
  assert.match(String(await read("cut.json", '[{"a":')), /^FILE: .*JSON/);
  await assert.rejects(readRules(join(folder, "gone.yaml")), /gone\.yaml: .*no such file/);
});
