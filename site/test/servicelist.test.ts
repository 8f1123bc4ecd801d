import assert from "node:assert/strict";
import { test } from "node:test";
import type { Service } from "../src/api.ts";
import { growth } from "../src/format/trend.ts";
import { compareTypes } from "../src/format/type.ts";
import "./page.ts";

const { arranged, commonType, shownType, typesOf } = await import("../src/state/query/serviceorder.ts");
const { initialRoute } = await import("../src/state/url/route.ts");
const { parseSort } = await import("../src/state/url/values.ts");

const CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
const IN_USE = "memory:inuse_space:bytes:space:bytes";

const typed = (id: string, total: number, previous: number, profiles = 100, previousProfiles = 100) => ({
  id,
  total: String(total),
  profiles,
  points: [total],
  counts: [profiles],
  covered: [0],
  duration: 0,
  previous: String(previous),
  previousProfiles,
  start: 0,
  step: 60_000,
});

const SERVICES: Service[] = [
  { name: "Billing", types: [typed(CPU, 300, 100)] },
  { name: "catalog", types: [typed(CPU, 500, 1000)] },
  { name: "checkout", types: [typed(CPU, 400, 400), typed(IN_USE, 9000, 9000, 10)] },
  { name: "email-worker", types: [typed(IN_USE, 80_000, 80_000, 10, 10)] },
  { name: "payments", types: [typed(CPU, 9007, 1, 100, 4)] },
];

function check(expected: string[], order = "name", search = "", favourites: string[] = [], type = "") {
  const sort = parseSort(order);
  assert.ok(sort);
  const found = arranged(SERVICES, { search, sort, type, favourites: new Set(favourites), changed: () => null });
  assert.deepEqual(
    found.map(({ name }) => name),
    expected,
  );
}

test("any part of a name finds a service, in any case", () => {
  check(["Billing"], "name", "bill");
  check(["catalog", "checkout"], "name", "C");
  check(["payments"], "name", " MENT ");
  check([], "name", "nothing");
  check(["catalog", "checkout"], "name", "/^C/");
  check([], "name", "/(/");
});

test("types that read alike are one, and the one that most services have comes first", () => {
  const other = "process_cpu:cpu:nanoseconds::";
  const mixed: Service[] = [
    { name: "a", types: [typed(other, 9, 9)] },
    { name: "b", types: [typed(CPU, 500, 1000)] },
    { name: "c", types: [typed(other, 400, 400), typed(IN_USE, 1, 1)] },
    { name: "d", types: [typed(IN_USE, 3, 3)] },
  ];
  assert.deepEqual(typesOf(mixed), [other, IN_USE]);
  assert.equal(commonType(mixed), other);
  const byTotal = {
    search: "",
    sort: { column: "total", descending: true } as const,
    favourites: new Set<string>(),
    changed: () => null,
  };
  for (const type of ["", CPU, other])
    assert.equal(
      arranged(mixed, { ...byTotal, type })
        .map(({ name }) => name)
        .join(""),
      "bcad",
      type,
    );
  assert.equal(shownType(mixed[1], other)?.id, CPU);
  // CPU needs half as many as the most common type.
  const heaps = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ name: `heap${i}`, types: [typed(IN_USE, 3, 3)] }));
  assert.equal(commonType([...mixed, ...heaps(4)]), other);
  assert.equal(commonType([...mixed, ...heaps(5)]), IN_USE);
  // The same words in another unit are another type.
  const samples = "process_cpu:cpu:count:cpu:nanoseconds";
  assert.deepEqual(typesOf([...mixed, { name: "g", types: [typed(samples, 3, 3)] }]), [samples, other, IN_USE]);
});

test("by name, as ever", () => check(["Billing", "catalog", "checkout", "email-worker", "payments"]));

test("by total of the chosen type; services without it come last", () => {
  check(["payments", "catalog", "checkout", "Billing", "email-worker"], "-total");
  // Averages a snapshot, not sums.
  check(["email-worker", "checkout", "Billing", "catalog", "payments"], "-total", "", [], IN_USE);
});

test("by change; where the period before has hardly any profiles it is as if nothing changed", () => {
  check(["Billing", "checkout", "email-worker", "payments", "catalog"], "-delta");
  check(["catalog", "checkout", "email-worker", "payments", "Billing"], "delta");
  assert.equal(growth(typed(CPU, 5, 0, 10, 10), false), Number.POSITIVE_INFINITY);
  assert.equal(growth(typed(CPU, 0, 0, 10, 10), false), 1);
  assert.equal(growth(typed(CPU, 5, 4, 100, 74), false), null);
  assert.equal(growth(typed(IN_USE, 200, 80, 100, 80), true), 2);
  assert.equal(growth(typed(IN_USE, 200, 20, 100, 20), true), null);
});

test("what lacks a chosen type comes last, favourites too", () => {
  const chosen = ["checkout", "email-worker", "Billing", "catalog", "payments"];
  check(chosen, "name", "", ["Billing"], IN_USE);
  check(["checkout", "email-worker", "payments", "Billing", "catalog"], "-delta", "", ["payments"], IN_USE);
});

test("favourites come first, in the same order among themselves", () => {
  check(["email-worker", "payments", "Billing", "catalog", "checkout"], "name", "", ["payments", "email-worker"]);
  check(["payments", "email-worker", "catalog", "checkout", "Billing"], "-total", "", ["payments", "email-worker"]);
  check(["catalog"], "name", "cat", ["payments"]);
});

test("types, and what is shown of a service without the chosen one", () => {
  assert.deepEqual(typesOf(SERVICES), [CPU, IN_USE]);
  assert.equal(shownType(SERVICES[3], CPU)?.id, IN_USE);
  assert.equal(shownType(SERVICES[2], IN_USE)?.id, IN_USE);
});

test("CPU comes first, and of each profiler bytes and times before numbers", () => {
  const ids = [
    "mutex:contentions:count",
    "mutex:delay:nanoseconds",
    "memory:alloc_objects:count",
    "memory:alloc_space:bytes",
  ];
  const sorted = [...ids, "memory:inuse_space:bytes", "goroutine:goroutine:count", CPU].sort(compareTypes);
  assert.deepEqual(
    sorted.map((id) => id.split(":")[1]),
    ["cpu", "goroutine", "inuse_space", "alloc_space", "alloc_objects", "delay", "contentions"],
  );
});

test("services are by name unless the address says otherwise", () => {
  assert.deepEqual(initialRoute("home").sort, parseSort("name"));
  assert.deepEqual(initialRoute("explore").sort, parseSort("-self"));
});
