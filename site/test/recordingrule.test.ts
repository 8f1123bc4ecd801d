import assert from "node:assert/strict";
import { test } from "node:test";
import "./page.ts";

const {
  draftOf,
  exportedName,
  externalLabelProblem,
  promQL,
  proposedName,
  queryParts,
  remoteWriteWords,
  ruleWords,
  unitSuffix,
} = await import("../src/state/query/recordingrule.ts");

const CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
const HEAP = "memory:inuse_space:bytes:space:bytes";
const ALLOCATIONS = "memory:alloc_objects:count:space:bytes";

const rule = (fields: Partial<Parameters<typeof ruleWords>[0]> = {}) => ({
  metric_name: "profiles_recorded_checkout_cpu",
  query: `${CPU}{service_name="checkout"}`,
  group_by: [],
  external_labels: {},
  function: "",
  function_regex: "",
  call_site: [],
  self: false,
  unit_suffix: false,
  ...fields,
});

test("a query is taken apart as the page of a service takes it", () => {
  assert.deepEqual(queryParts(`${CPU}{service_name="a,b", region=~"eu|\\"u,s\\"",version!="1"}`), {
    type: CPU,
    service: "a,b",
    filters: ['region=~"eu|\\"u,s\\""', 'version!="1"'],
  });
  assert.deepEqual(queryParts(`{__profile_type__="${HEAP}"}`), { type: HEAP, service: null, filters: [] });
  assert.equal(queryParts(`${CPU}{service_name=~"a.*"}`).service, null, "that may be several");
});

test("what a rule measures is said in words", () => {
  const words: [Parameters<typeof rule>[0], string][] = [
    [{}, "CPU time in checkout"],
    [{ function: "main.work" }, "Total CPU time of main.work in checkout"],
    [{ query: 'goroutine:goroutine:count::{service_name="checkout"}' }, "Average goroutines in checkout"],
    [{ function: "main.work", self: true, group_by: ["region"] }, "Self CPU time of main.work in checkout, by region"],
    [
      { function_regex: "^main\\.", group_by: ["region", "version"] },
      "Total CPU time of functions matching /^main\\./ in checkout, by region and version",
    ],
    [{ call_site: ["main.main"] }, "Total CPU time of main.main as the outermost function in checkout"],
    [
      { call_site: ["main.main", "shop/orders.place", "hash"] },
      "Total CPU time of hash called by main.main → orders.place in checkout",
    ],
    [{ call_site: ["a", "b", "c", "d", "e"] }, "Total CPU time of e called by a → … → d in checkout"],
    [
      { query: `${ALLOCATIONS}{region="eu",version!=""}` },
      'Memory alloc objects in all services with region=eu and version!=""',
    ],
  ];
  for (const [fields, expected] of words) assert.equal(ruleWords(rule(fields)), expected);
});

test("a proposed name is valid and says what is measured", () => {
  const names: [Parameters<typeof rule>[0], string][] = [
    [{}, "checkout_cpu"],
    [{ function: "github.com/acme/shop/orders.(*Rule).matchesPattern" }, "checkout_cpu_orders_rule_matches_pattern"],
    [{ function: "main.work", self: true }, "checkout_cpu_main_work_self"],
    [{ group_by: ["region", "k8s.pod"] }, "checkout_cpu_by_region_k8s_pod"],
    [{ call_site: ["main.main", "main.work"] }, "checkout_cpu_main_work_call_path"],
    [{ query: `${HEAP}{service_name="shop/café-2"}` }, "shop_caf_2_memory_inuse_space"],
    [{ query: `${HEAP}{}` }, "memory_inuse_space"],
    [{ query: 'goroutine:goroutines:count::{service_name="checkout"}' }, "checkout_goroutines"],
    [{ query: '{service_name="商店"}' }, "metric"],
    [{ function: "x".repeat(300) }, `checkout_cpu_${"x".repeat(67)}`],
  ];
  for (const [fields, expected] of names) {
    const name = proposedName(rule(fields));
    assert.equal(name, `profiles_recorded_${expected}`);
    assert.match(name, /^[a-zA-Z_:][a-zA-Z0-9_:]*$/);
  }
});

test("times are exported in seconds and sizes in bytes, where the name is to say so", () => {
  assert.deepEqual([CPU, HEAP, ALLOCATIONS, ""].map(unitSuffix), ["_seconds", "_bytes", "", ""]);
  const units = ["kb", "GiB", "min", "Hours", "usec", "1", "objects"].map((unit) => unitSuffix(`a:b:${unit}:c:d`));
  assert.deepEqual(units, ["_bytes", "_bytes", "_seconds", "_seconds", "_seconds", "", ""]);
  assert.equal(exportedName(rule({ metric_name: "a_seconds", unit_suffix: true })), "a_seconds");
  assert.equal(exportedName(rule()), "profiles_recorded_checkout_cpu");
  assert.equal(exportedName(rule({ unit_suffix: true })), "profiles_recorded_checkout_cpu_seconds");
  assert.equal(exportedName(rule({ query: `${ALLOCATIONS}{}`, unit_suffix: true })), "profiles_recorded_checkout_cpu");
});

test("PromQL sums what was spent, and averages what there is at an instant", () => {
  assert.equal(promQL(rule()), "sum_over_time(profiles_recorded_checkout_cpu[5m])");
  assert.equal(
    promQL(rule({ unit_suffix: true, group_by: ["region", "k8s.pod"] })),
    "sum by (region, k8s_pod) (sum_over_time(profiles_recorded_checkout_cpu_seconds[5m]))",
  );
  assert.equal(
    promQL(rule({ query: `${HEAP}{service_name="checkout"}`, group_by: ["region"] })),
    "sum by (region) (avg_over_time(profiles_recorded_checkout_cpu[5m]))",
  );
});

test("an external label has a name that Prometheus accepts and that nothing else has", () => {
  const problem = (name: string) => externalLabelProblem(name, ["team", ""], ["region", "k8s.pod"]);
  for (const name of ["", "site", "_a1"]) assert.equal(problem(name), "", name);
  for (const name of ["a.b", "1a", "__x", "é"]) assert.match(problem(name), /^Use letters, digits and _/, name);
  assert.match(problem("team"), /^Another row/);
  assert.match(problem("k8s_pod"), /from the profiles$/);
  assert.match(problem("profiles_rule_id"), /already$/);
});

test("what is edited of a stored rule leaves out what the server decides", () => {
  assert.deepEqual(draftOf({ ...rule(), id: "a", generation: 3, provisioned: false }), rule());
});

test("how far points are sent is said in words", () => {
  const state = { host: "prometheus.example.com", sent_until: null, error: null, dropped_minutes: 0 };
  assert.equal(remoteWriteWords(state), "No points have been sent to prometheus.example.com yet.");
  const at = new Date(2026, 10, 28, 14, 3).getTime();
  const words = remoteWriteWords({
    ...state,
    sent_until: at,
    error: { since: at + 120_000, message: "the server returned 503" },
    dropped_minutes: 1,
  });
  assert.match(words, /^All points up to .*14:03 have been sent to prometheus\.example\.com\. Sending has failed /);
  assert.match(words, /14:05: the server returned 503\. 1 minute could not be sent\.$/);
});
