import assert from "node:assert/strict";
import { test } from "node:test";
import type { Alert, ListedAlert } from "../src/state/query/alert.ts";
import type { RecordingRule } from "../src/state/query/recordingrule.ts";
import "./page.ts";

const {
  alertValue,
  alertWords,
  firingSpans,
  firingsWords,
  firingWords,
  labelWords,
  proposedAlertName,
  seriesFilters,
  spanAround,
  statusWords,
  storedAlert,
} = await import("../src/state/query/alert.ts");
const { chartPoints, drafted, draftOf, loadsOf, newDraft, refusedKind, typedUnits, unitFor, withKind } = await import(
  "../src/state/query/alertdraft.ts"
);
const { firingCountWords } = await import("../src/state/query/firingcount.ts");
const { lossWords, statusOf, watchWords } = await import("../src/state/query/alertstate.ts");
const { sentence } = await import("../src/state/saving.ts");
const { zone } = await import("../src/time/zone.ts");
zone.value = "utc";

const minute = 60_000;

const CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
const ALLOCATED = "memory:alloc_space:bytes:space:bytes";
const OBJECTS = "memory:alloc_objects:count:space:bytes";
const HEAP = "memory:inuse_space:bytes:space:bytes";
const DELAY = "mutex:delay:nanoseconds:contentions:count";
const GOROUTINES = "goroutines:goroutine:count:goroutine:count";

const rule = (type: string, fields: Partial<RecordingRule> = {}): RecordingRule => ({
  id: "r",
  metric_name: "profiles_recorded_x",
  query: `${type}{service_name="checkout"}`,
  group_by: [],
  external_labels: {},
  function: "",
  function_regex: "",
  call_site: [],
  self: false,
  unit_suffix: true,
  generation: 1,
  provisioned: false,
  ...fields,
});

const alert = (fields: Partial<Alert> = {}): Alert => ({
  id: "a",
  name: "n",
  rule: "r",
  kind: "above",
  threshold: 1.5,
  minutes: 5,
  for_minutes: 1,
  version_label: "",
  receivers: [],
  silenced_until: 0,
  generation: 1,
  ...fields,
});

const MATCH = "github.com/acme/shop/orders.(*Rule).matchesPattern";

test("what an alert fires on is said in words", () => {
  const words: [Partial<Alert>, RecordingRule, string][] = [
    [
      {},
      rule(CPU, { function: MATCH }),
      "Fires when orders.(*Rule).matchesPattern in checkout uses more than 1.5 cores (average of 5 min)",
    ],
    [
      { for_minutes: 10 },
      rule(CPU, { group_by: ["region", "zone"] }),
      "Fires when checkout uses more than 1.5 cores for 10 min (average of 5 min); each region and zone separately",
    ],
    [
      { kind: "below", threshold: 2 * 1024 ** 2 },
      rule(ALLOCATED),
      "Fires when checkout allocates less than 2 MiB/s (average of 5 min)",
    ],
    [{ threshold: 1200 }, rule(OBJECTS), "Fires when checkout allocates more than 1,200 objects/s (average of 5 min)"],
    [{ threshold: 1024 ** 3 }, rule(HEAP), "Fires when checkout holds more than 1 GiB (average of 5 min)"],
    [{ threshold: 500 }, rule(GOROUTINES), "Fires when checkout has more than 500 goroutines (average of 5 min)"],
    [{ threshold: 0.2 }, rule(DELAY), "Fires when checkout has more than 200 ms/s of mutex delay (average of 5 min)"],
    [
      { threshold: Number.NaN },
      rule(CPU, { function_regex: "^a", self: true }),
      "Fires when /^a/ (self) in checkout uses more than … cores (average of 5 min)",
    ],
    [
      { kind: "grew", threshold: 20, minutes: 30 },
      rule(CPU, { call_site: ["main", "hash"] }),
      "Fires when the share of hash on its call path in checkout grows by more than 20 % from one period of 30 min to the next",
    ],
    [
      { kind: "grew", threshold: 20, minutes: 30, version_label: "version" },
      rule(CPU, { group_by: ["version", "region"] }),
      "Fires when the CPU time of checkout per minute is more than 20 % larger in the newest version than in the one before (last 1 h); each region separately",
    ],
    [
      { kind: "new_function", threshold: 5, minutes: 10 },
      rule(CPU),
      "Fires when a new function in checkout has at least 5 % of the CPU time over 10 min",
    ],
    [{ kind: "silent", minutes: 15 }, rule(CPU), "Fires when checkout, which had profiles, has none for 15 min"],
    [
      { kind: "silent", minutes: 15 },
      rule(CPU, { function: "main.work", query: `${CPU}{region="eu"}` }),
      "Fires when main.work in all services with region=eu, which had samples, has none for 15 min",
    ],
  ];
  for (const [fields, on, expected] of words) {
    assert.equal(alertWords(alert(fields), on), expected);
  }
});

test("a proposed name tells alerts on one rule apart", () => {
  const name = (fields: Partial<Alert>, on = rule(CPU)) => proposedAlertName(alert(fields), on);
  assert.equal(name({}), "checkout above 1.5 cores");
  assert.equal(name({ kind: "below" }, rule(CPU, { function: "main.work" })), "main.work in checkout below 1.5 cores");
  assert.equal(name({ threshold: 2048 }, rule(ALLOCATED)), "checkout memory alloc space above 2 KiB/s");
  assert.equal(name({ kind: "grew" }), "checkout grew");
  assert.equal(name({ kind: "new_function" }), "New function in checkout");
  assert.equal(name({ kind: "silent" }), "No profiles of checkout");
});

const NOW = Date.UTC(2026, 2, 14, 12);
const listed = (fields: Partial<ListedAlert>): ListedAlert => ({
  ...alert(),
  unit: "cores",
  firing: [],
  error: "",
  evaluated: NOW,
  ...fields,
});

test("the state of an alert is one phrase, and an error comes first", () => {
  const now = NOW;
  const since = now - 60_000;
  const series = { labels: {}, since, value: 2 };
  const firing = [series, { ...series, since: since - 3_600_000 }];
  const [clock, earlier, later] = [since, since - 3_600_000, now + 3_600_000].map((time) =>
    new Date(time).toISOString().slice(11, 16),
  );
  assert.equal(clock, "11:59");
  const words = (fields: Partial<ListedAlert>) => statusWords(listed(fields), now).replace(/\d+ \w+( \d{4})? /g, "");
  assert.equal(words({}), "OK");
  assert.equal(words({ evaluated: 0 }), "Not evaluated yet");
  assert.equal(words({ evaluated: now - 3_600_000 }), "Not evaluated since 11:00", "what was OK an hour ago");
  assert.equal(words({ firing }), `Firing since ${earlier}`);
  assert.equal(words({ firing, silenced_until: now + 3_600_000 }), `Firing since ${earlier}, silenced until ${later}`);
  assert.equal(words({ silenced_until: now - 1 }), "OK", "a silence that is over");
  assert.equal(words({ firing, error: "the rule was deleted" }), "Error");
  assert.equal(statusOf(listed({ firing }), now), "firing");
  assert.deepEqual(storedAlert(listed({ firing })), alert(), "only what the server stores is sent back");
});

test("the server's words are a sentence, and a host stays as it is", () => {
  assert.equal(sentence("the name is taken."), "The name is taken.");
  assert.equal(sentence("hooks.example.com answered 404"), "hooks.example.com answered 404.");
});

test("values and labels in words", () => {
  assert.equal(alertValue("above", 2.1, "cores"), "2.1 cores");
  assert.equal(alertValue("grew", 39, "%"), "+39 %");
  assert.equal(alertValue("grew", 1e6, "%"), "up from about 0");
  assert.equal(alertValue("silent", 0, ""), "");
  assert.equal(labelWords({ region: "eu", version: "" }), 'region=eu, version=""');
  assert.equal(labelWords({}), "");
});

test("how often an alert would have fired", () => {
  const now = Date.now();
  const firing = { labels: { region: "eu" }, from: now - 120_000, until: now - 60_000, value: 2.1 };
  assert.equal(firingsWords([], 24), "In the last 24 h it wouldn't have fired.");
  assert.equal(firingsWords([firing], 24), "In the last 24 h it would have fired once:");
  assert.equal(firingsWords([firing, firing], 24), "In the last 24 h it would have fired twice:");
  assert.equal(firingsWords([firing, firing, firing], 24), "In the last 24 h it would have fired 3 times:");
  assert.match(
    firingWords(firing, "above", "cores", now),
    /^\d\d:\d\d:\d\d – \d\d:\d\d:\d\d, region=eu, 2\.1 cores at the end$/,
  );
  assert.match(firingWords({ ...firing, until: null }, "above", "cores", now), /, region=eu, now 2\.1 cores$/);
  assert.match(firingWords({ ...firing, until: null }, "silent", "", now), /^since .*\d\d:\d\d, region=eu$/);
});

test("series that fire at the same time are one mark of the chart", () => {
  const firing = (from: number, until: number | null) => ({ labels: {}, from, until, value: 1 });
  assert.deepEqual(firingSpans([firing(30, null), firing(1, 5), firing(4, 9), firing(2, 3), firing(12, 13)], 40), [
    { from: 1, until: 9 },
    { from: 12, until: 13 },
    { from: 30, until: 40 },
  ]);
});

test("the chart of an alert averages as the alert does", () => {
  const day = { from: 0, until: 24 * 60 * minute };
  const points = (minutes: number) => chartPoints({ ...newDraft("above"), minutes }, day);
  // The server takes the shortest round step that is longer than the span divided by this.
  assert.deepEqual([5, 2, 1].map(points), [289, 721, 721]);
  assert.equal(points(10), undefined);
  assert.equal(chartPoints(newDraft("silent"), day), undefined);
});

test("a series leads to its profiles: its labels are filters, around the time at which it began", () => {
  const on = rule(CPU, { query: `${CPU}{service_name="checkout",region!="us"}`, group_by: ["region", "k8s.pod"] });
  assert.deepEqual(seriesFilters(on, { region: "eu", k8s_pod: 'a"b', other: "x" }), [
    'region!="us"',
    'region="eu"',
    'k8s.pod="a\\"b"',
  ]);
  assert.deepEqual(spanAround(alert(), 100 * 60_000, 500 * 60_000), { from: 65 * 60_000, until: 160 * 60_000 });
  assert.equal(spanAround(alert(), 100 * 60_000, 110 * 60_000).until, 110 * 60_000, "never in the future");
});

const preview = (unit: string, points: (number | null)[], step = 10 * minute) => ({
  unit,
  start: 0,
  step,
  series: [{ labels: {}, points }],
  series_count: 1,
});

test("loads are what an alert sees: per second, in cores, averages as they are", () => {
  const span = { from: 6 * minute, until: 38 * minute };
  const cpu = loadsOf(preview("seconds", [600, 1200, null, 480]), CPU, span);
  assert.deepEqual([cpu.unit, cpu.series[0].points], ["cores", [1, 2, null, 1]], "the last step isn't over");
  const nanoseconds = loadsOf(preview("nanoseconds", [0, 1200e9]), CPU, span);
  assert.deepEqual([nanoseconds.unit, nanoseconds.series[0].points[1]], ["cores", 2]);
  const bytes = loadsOf(preview("bytes", [0, 6e8]), ALLOCATED, span);
  assert.deepEqual([bytes.unit, bytes.series[0].points[1]], ["bytes/s", 1e6]);
  const objects = loadsOf(preview("count", [0, 600]), OBJECTS, span);
  assert.deepEqual([objects.unit, objects.series[0].points[1]], ["objects/s", 1]);
  const heap = loadsOf(preview("bytes", [5, 7]), HEAP, span);
  assert.deepEqual([heap.unit, heap.series[0].points], ["bytes", [5, 7]]);
});

test("a new alert begins with a threshold that the last day didn't reach", () => {
  const loads = { ...preview("cores", [1, 1, 2, 4]), unit: "cores" };
  const above = drafted(newDraft(), rule(CPU), null, loads);
  assert.deepEqual([above.text, above.alert.threshold, above.alert.name], ["4.8", 4.8, "checkout above 4.8 cores"]);
  const below = drafted(newDraft("below"), rule(CPU), null, loads);
  assert.equal(below.alert.threshold, 1);
  // Of the step in which a service began, most has no profiles; the last one isn't over.
  const proposed = (points: (number | null)[]) =>
    drafted(newDraft(), rule(CPU), null, { ...preview("cores", points), unit: "cores" }).alert.threshold;
  assert.equal(proposed([null, null, null, 0.01, 0.5, 0.5, null]), 0.6);
  assert.equal(proposed([null, 1, null, null, 2, null, null, 1, null]), 2.4, "a job");
  const peak = preview("cores", [1, 1, 1, 1, 1, 1, 4, 1, 1, 1, 1, 1, 1]);
  const hourly = drafted({ ...newDraft(), minutes: 60 }, rule(CPU), null, peak);
  assert.equal(hourly.alert.threshold, 1.8, "its highest average of an hour is 1.5");
  const unknown = drafted(newDraft(), rule(CPU), null, undefined);
  assert.deepEqual([unknown.text, unknown.alert.threshold], ["", Number.NaN]);
  const grew = drafted({ ...newDraft("grew"), forMinutes: 5 }, rule(CPU), null, undefined).alert;
  assert.deepEqual([grew.threshold, grew.minutes, grew.for_minutes], [20, 30, 1], "only levels last");
});

test("a threshold is typed in the unit that suits it", () => {
  const loads = { ...preview("bytes/s", [3 * 1024 ** 2]), unit: "bytes/s" };
  const made = drafted(newDraft(), rule(ALLOCATED), null, loads);
  assert.deepEqual([made.text, made.typedUnit.label, made.alert.threshold], ["3.6", "MiB/s", 3.6 * 1024 ** 2]);
  const typed = { ...newDraft(), typed: "10", typedUnit: "KiB/s" };
  assert.equal(drafted(typed, rule(ALLOCATED), null, loads).alert.threshold, 10240);
  assert.deepEqual(typedUnits("cores"), [{ label: "cores", factor: 1 }]);
  assert.equal(unitFor(0.02, typedUnits("seconds/s")).label, "ms/s");
  assert.ok(Number.isNaN(drafted({ ...newDraft(), typed: " " }, rule(CPU), null, loads).alert.threshold));
});

test("an alert that is edited stays what it was but for what is changed", () => {
  const stored = alert({ kind: "below", threshold: 1024 ** 2 * 1.5, minutes: 7, for_minutes: 4, receivers: ["ops"] });
  const on = rule(ALLOCATED);
  const draft = draftOf(stored, on);
  assert.deepEqual([draft.typed, draft.typedUnit], ["1.5", "MiB/s"]);
  assert.deepEqual(drafted(draft, on, stored, undefined).alert, stored);
  const silent = withKind(draft, "silent");
  assert.deepEqual(
    [silent.minutes, silent.receivers, silent.name, silent.typed],
    [15, ["ops"], "n", null],
    "another kind has its own numbers",
  );
  const sent = drafted(silent, on, stored, undefined).alert;
  assert.deepEqual([sent.threshold, sent.for_minutes, sent.id, sent.generation], [0, 1, "a", 1]);
});

test("a new function is watched in entire profiles only", () => {
  assert.equal(refusedKind("new_function", rule(CPU)), "");
  assert.match(refusedKind("new_function", rule(CPU, { function: "f" })), /entire profiles/);
  assert.equal(refusedKind("grew", rule(CPU, { function: "f" })), "");
});

test("what pages say of alerts that they don't list", () => {
  const now = NOW;
  const firing = [{ labels: {}, since: now - 60_000, value: 2 }];
  const quiet = listed({});
  const fires = listed({ firing });
  const silenced = listed({ firing, silenced_until: now + 1 });
  const broken = listed({ firing, error: "no such rule" });
  assert.equal(firingCountWords([quiet, silenced, broken], now), "", "someone knows of a silenced one");
  assert.equal(firingCountWords([fires, silenced], now), "1 alert is firing");
  assert.equal(firingCountWords([fires, fires], now), "2 alerts are firing");
  assert.equal(watchWords([quiet], now), "1 alert");
  assert.equal(watchWords([fires], now), "1 alert, firing");
  assert.equal(watchWords([quiet, silenced, broken], now), "3 alerts, 1 firing");
  const dashboards = "Dashboards that use it will have no data.";
  assert.equal(lossWords([]), dashboards);
  assert.equal(
    lossWords([{ ...quiet, name: "Slow" }]),
    `The alert “Slow” watches it and will no longer fire. ${dashboards}`,
  );
  assert.equal(lossWords([quiet, fires]), `2 alerts watch it and will no longer fire. ${dashboards}`);
});
