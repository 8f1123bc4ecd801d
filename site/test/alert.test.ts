import assert from "node:assert/strict";
import { test } from "node:test";
import type { Alert, AlertKind, ListedAlert } from "../src/state/query/alert.ts";
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
const { alertLoads, previewPoints } = await import("../src/state/query/alertloads.ts");
const { drafted, draftOf, newDraft, refusedKind, typedUnits, unitFor, withKind } = await import(
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
    [
      { kind: "grew", threshold: 20, minutes: 30 },
      rule(GOROUTINES),
      "Fires when the number of goroutines of checkout grows by more than 20 % from one period of 30 min to the next",
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
  assert.equal(name({ threshold: 500 }, rule(GOROUTINES)), "checkout above 500 goroutines");
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
  // Alerts fire from one whole minute to another.
  const now = Math.floor(Date.now() / minute) * minute;
  const firing = { labels: { region: "eu" }, from: now - 120_000, until: now - 60_000, value: 2.1 };
  assert.equal(firingsWords([], 24), "In the last 24 h it wouldn't have fired.");
  assert.equal(firingsWords([firing], 24), "In the last 24 h it would have fired once:");
  assert.equal(firingsWords([firing, firing], 24), "In the last 24 h it would have fired twice:");
  assert.equal(firingsWords([firing, firing, firing], 24), "In the last 24 h it would have fired 3 times:");
  assert.match(
    firingWords(firing, "above", "cores", now),
    /\d\d:\d\d – .*\d\d:\d\d, region=eu, 2\.1 cores at the end$/,
  );
  assert.match(firingWords({ ...firing, until: null }, "above", "cores", now), /, region=eu, last 2\.1 cores$/);
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

test("a level is drawn from the minutes of a day", () => {
  const day = { from: 0, until: 24 * 60 * minute };
  // The server takes the shortest round step that is longer than the span divided by this.
  assert.equal(previewPoints("above", day), 1441);
  assert.equal(previewPoints("below", { from: 30_000, until: day.until + 30_000 }), 1441);
  assert.equal(previewPoints("silent", day), undefined);
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

test("loads are per second, in cores, averages as they are", () => {
  const span = { from: 6 * minute, until: 38 * minute };
  const grew = newDraft("grew");
  const loads = (unit: string, points: (number | null)[], type: string) => {
    const made = alertLoads(grew, preview(unit, points), type, span);
    return [made.unit, made.series[0].points, made.averaged];
  };
  const last = "the last step isn't over";
  assert.deepEqual(loads("seconds", [600, 1200, null, 480], CPU), ["cores", [1, 2, null, 1], undefined], last);
  assert.deepEqual(loads("nanoseconds", [0, 1200e9], CPU), ["cores", [0, 2], undefined]);
  assert.deepEqual(loads("bytes", [0, 6e8], ALLOCATED), ["bytes/s", [0, 1e6], undefined]);
  assert.deepEqual(loads("count", [0, 600], OBJECTS), ["objects/s", [0, 1], undefined]);
  assert.deepEqual(loads("bytes", [5, 7], HEAP), ["bytes", [5, 7], undefined]);
});

/** The chart of a level on a series with these values a minute, the last two minutes of which still arrive. */
function levels(kind: AlertKind, minutes: number, points: (number | null)[], type = CPU) {
  const arriving = [9e9, 9e9];
  const span = { from: 0, until: (points.length + 2) * minute };
  const each = preview(type === CPU ? "seconds" : "bytes", [...points, ...arriving], minute);
  return alertLoads({ ...newDraft(kind), minutes }, each, type, span);
}

test("a level is drawn as the highest or lowest average that ends within a step", () => {
  const values = (...asked: Parameters<typeof levels>) => levels(...asked).series[0].points;
  // One core; 60 seconds of CPU time a minute.
  const spike = Array.from({ length: 20 }, (_, i) => (i >= 8 && i < 13 ? 240 : 60));
  const above = levels("above", 5, spike);
  assert.deepEqual([above.unit, above.step, above.averaged], ["cores", 5 * minute, { minutes: 5, extreme: "highest" }]);
  assert.deepEqual(above.series[0].points, [1, 2.2, 4, 2.2], "across two steps, and still whole");
  assert.deepEqual(values("below", 5, spike), [null, 1, 2.8, 1], "nothing is known of before the first minute");
  assert.deepEqual(values("above", 1, [60, null, 120]), [2], "a window without profiles has no value");
  assert.deepEqual(values("above", 2, [60, null, 120]), [1], "a minute without profiles counts as 0");
  assert.deepEqual(values("above", 2, [8, null, 10], HEAP), [10], "averages are of the profiles that there are");
  const young = [...Array.from({ length: 5 }, () => null), ...Array.from({ length: 10 }, () => 60)];
  assert.deepEqual(values("above", 5, young), [null, 1, 1]);
  assert.deepEqual(values("below", 5, young), [null, null, 1], "a series that has just begun isn't too low");
  const back = [60, ...Array.from({ length: 69 }, () => null), ...Array.from({ length: 5 }, () => 60)];
  assert.equal(values("below", 5, back).at(-1), null, "nor one that is back after an hour");
});

test("a new alert begins with a threshold that the last day didn't reach", () => {
  const begin = (kind: AlertKind, points: (number | null)[], minutes = 5) =>
    drafted({ ...newDraft(kind), minutes }, rule(CPU), null, levels(kind, minutes, points));
  const load = [60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 240, 240, 240, 240, 240];
  const above = begin("above", load);
  assert.deepEqual([above.text, above.alert.threshold, above.alert.name], ["4.8", 4.8, "checkout above 4.8 cores"]);
  assert.equal(begin("below", load).alert.threshold, 0.8);
  assert.equal(
    begin("above", [null, null, 60, 60, 60, 60, 60, 60, 0.1]).alert.threshold,
    1.2,
    "the last minutes are few",
  );
  const hour = Array.from({ length: 70 }, (_, i) => (i === 40 ? 240 : 60));
  assert.equal(begin("above", hour, 60).alert.threshold, 1.3, "its highest average of an hour is 1.05");
  const other = alertLoads(newDraft(), preview("seconds", [600]), CPU, { from: 0, until: 10 * minute });
  assert.equal(drafted(newDraft(), rule(CPU), null, other).text, "", "minutes aren't loaded yet");
  const unknown = drafted(newDraft(), rule(CPU), null, undefined);
  assert.deepEqual([unknown.text, unknown.alert.threshold], ["", Number.NaN]);
  const grew = drafted({ ...newDraft("grew"), forMinutes: 5 }, rule(CPU), null, undefined).alert;
  assert.deepEqual([grew.threshold, grew.minutes, grew.for_minutes], [20, 30, 1], "only levels last");
});

test("a threshold is typed in the unit that suits it", () => {
  const loads = levels("above", 1, [180 * 1024 ** 2], ALLOCATED);
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
  const silent = withKind(draft, "silent", on);
  assert.deepEqual(
    [silent.minutes, silent.receivers, silent.name, silent.typed],
    [15, ["ops"], "n", null],
    "another kind has its own numbers",
  );
  const sent = drafted(silent, on, stored, undefined).alert;
  assert.deepEqual([sent.threshold, sent.for_minutes, sent.id, sent.generation], [0, 1, "a", 1]);
});

test("growth of a rule with a series for each version is held against the version before", () => {
  const versions = rule(CPU, { group_by: ["region", "version"] });
  assert.equal(withKind(newDraft(), "grew", versions).versionLabel, "version");
  assert.equal(withKind(newDraft(), "above", versions).versionLabel, "");
  assert.equal(withKind(newDraft(), "grew", rule(CPU, { group_by: ["region"] })).versionLabel, "");
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
