import assert from "node:assert/strict";
import { test } from "node:test";
import { seriesOf } from "../src/time/series.ts";
import { agent, timelineOf } from "./agents.ts";
import "./page.ts";

const { areAlike, areTogether, causeOf, changedLoad, measuredIn, moreProfiles } = await import(
  "../src/state/query/changedload.ts"
);
const { windowsIn } = await import("../src/state/query/sideparts.ts");
const { changesIn } = await import("../src/state/query/loadchanges.ts");

const CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
const MINUTE = 60_000;

/** What was found, where that is a change of the load. */
function changed(found?: ReturnType<typeof changesIn>[number][1]) {
  return found && found.kind !== "version" ? found : assert.fail(JSON.stringify(found));
}

/** Windows of a minute with four profiles each; the last has profiles for half of it. */
const windows = (totals: number[]) =>
  totals.map((total, i) => {
    const part = i === totals.length - 1 ? 0.5 : 1;
    return { from: i * MINUTE, length: MINUTE, total, profiles: 4 * part, covered: part * MINUTE };
  });

test("a load is an amount for the time with profiles, whatever is cut off at its ends", () => {
  const load = changedLoad([windows([100, 102, 98, 50]), windows([140, 139, 141, 70])], false, true);
  assert.ok(Math.abs(load.before * MINUTE - 100) < 1e-9 && Math.abs(load.after * MINUTE - 140) < 1e-9);
  assert.equal(load.differs, true);
  const waves = changedLoad([windows([100, 140, 60, 50]), windows([90, 130, 80, 50])], false, true);
  assert.deepEqual([waves.differs, waves.unsteady], [false, ["before", "after"]]);
  const grew = changedLoad([windows([100, 101, 99, 50]), windows([100, 100, 180, 90])], false, true);
  assert.deepEqual([grew.differs, grew.unsteady], [false, ["after"]]);
  assert.equal(changedLoad([windows([100, 102, 98, 50]), windows([140, 139, 141, 70])], false, false).differs, false);
});

test("a leak that goes on through a deploy is told as gradual", () => {
  const sides = (load: (window: number) => number): Parameters<typeof changedLoad>[0] => {
    const all = windows(Array.from({ length: 21 }, (_, i) => load(i) + (i % 3)));
    return [all.slice(0, 10), all.slice(10, 20)];
  };
  const isGradual = (load: (window: number) => number) => changedLoad(sides(load), false, true).gradual;
  assert.ok(isGradual((i) => 100 + 5 * i) && isGradual((i) => 200 - 5 * i));
  assert.ok(!isGradual((i) => (i < 10 ? 100 : 150)), "a step");
  assert.ok(!isGradual(() => 100), "nothing");
  assert.ok(!isGradual((i) => 100 + 30 * Math.floor(i / 5)), "stairs");
  assert.ok(!isGradual((i) => 100 + 5 * Math.min(i, 10)), "a leak that ended with the deploy");
  assert.ok(!isGradual((i) => (i < 10 ? 100 : 100 + 5 * (i - 9))), "a leak that began with the deploy");
  const [before, after] = sides((i) => 100 + 5 * i);
  assert.ok(!changedLoad([after, before], false, true).gradual, "sides that aren't in order");
});

/** Windows over a time from 0 on, of what agents pushed in it, by steps of half a minute. */
function measured(profiles: ReturnType<typeof agent>, from: number, until: number, length = 5 * MINUTE) {
  const series = seriesOf(timelineOf(profiles, MINUTE / 2, Math.ceil(until / (MINUTE / 2))), false);
  return Array.from({ length: Math.floor((until - from) / length) }, (_, i) => {
    const window = { from: from + i * length, until: from + (i + 1) * length };
    return { from: window.from, length, profiles: 1, ...measuredIn(window, series) };
  });
}

test("loads are those of the time with profiles, whatever windows, intervals and pauses are", () => {
  const sides = (interval: number, pause = 0, late = 0): [number, number] => {
    const pushed = [
      ...agent(interval, late, 27 * MINUTE, 3),
      ...agent(interval, 27 * MINUTE + pause, 60 * MINUTE, (at) => (at < 40 * MINUTE ? 3 : 4.5)),
    ];
    const load = changedLoad(
      [measured(pushed, 0, 40 * MINUTE), measured(pushed, 40 * MINUTE, 60 * MINUTE)],
      false,
      true,
    );
    assert.equal(load.differs, true, `${interval} ${pause} ${late}`);
    return [load.before * 1000, load.after * 1000];
  };
  for (const found of [
    sides(10_000),
    sides(10_150),
    sides(60_000),
    sides(10_000, 7.5 * MINUTE),
    sides(15_000, 0, 11.2 * MINUTE),
  ]) {
    assert.ok(Math.abs(found[0] - 3) < 0.03 && Math.abs(found[1] - 4.5) < 0.04, String(found));
  }
  // Four processes that push every five minutes at the same time.
  const four = [0, 1, 2, 3].flatMap(() => agent(5 * MINUTE, 0, 60 * MINUTE, 0.5));
  const load = changedLoad([measured(four, 0, 30 * MINUTE), measured(four, 30 * MINUTE, 60 * MINUTE)], false, true);
  assert.deepEqual(
    [load.before, load.after].map((one) => Math.round(one * 1e6)),
    [2000, 2000],
  );
  assert.equal(load.differs, false);
});

test("a job's load is that of its runs", () => {
  const runs = Array.from({ length: 8 }, (_, hour) =>
    agent(15_000, hour * 60 * MINUTE, hour * 60 * MINUTE + 10 * MINUTE, hour < 4 ? 2 : 3),
  ).flat();
  const sides = [0, 240].map((from) => measured(runs, from * MINUTE, (from + 240) * MINUTE, 24 * MINUTE));
  const load = changedLoad([sides[0], sides[1]], false, true);
  assert.deepEqual(
    [load.before, load.after].map((one) => Math.round(one * 1e6)),
    [2000, 3000],
  );
  assert.deepEqual([load.differs, load.swing], [true, 0]);
});

test("a time is cut into windows of whole half minutes, and the last has the rest", () => {
  for (const seconds of [10, 60, 90, 100, 120, 150, 170, 180, 599, 1000, 1190, 3600, 86_400]) {
    const { count, length } = windowsIn(seconds * 1000, 10);
    assert.ok(count <= 10 && length % 30_000 === 0, `${seconds} s: ${count} of ${length} ms`);
    assert.ok(count >= (seconds >= 90 ? 3 : 1), `${seconds} s: ${count} of ${length} ms`);
    const last = seconds * 1000 - (count - 1) * length;
    assert.ok(seconds < 30 || (last >= length && last < 2 * length), `${seconds} s: the last has ${last} ms`);
  }
  assert.deepEqual(
    windowsIn(1962_000, 10, MINUTE),
    { count: 8, length: 4 * MINUTE },
    "an agent that pushes once a minute",
  );
  assert.deepEqual(windowsIn(150_000, 10, MINUTE), windowsIn(150_000, 10), "too short for three of its intervals");
});

test("of a gauge the averages of snapshots are compared", () => {
  const load = changedLoad([windows([400, 400, 400, 200]), windows([800, 800, 800, 400])], true, true);
  assert.deepEqual([load.before, load.after], [100, 200]);
});

test("the cause is what has the largest part of the change, if it has a fifth", () => {
  const changed = (name: string, before: number, after: number) => ({
    name,
    own: false,
    before,
    after,
    selfBefore: 0,
    selfAfter: 0,
    interval: null,
  });
  const listed = [changed("planted", 0.1, 0.4), changed("caller", 0.5, 0.7), changed("small", 0.3, 0.25)];
  const changes = {
    listed,
    heaviest: null,
    largest: listed[0],
    oneSided: [],
    others: 0,
    unknown: 0,
    certain: true,
    byProcess: false,
  };
  const load = { before: 1, after: 1.5 };
  const [planted, , small] = listed;
  const cause = causeOf(load, changes, [planted, small]);
  assert.equal(cause?.name, "planted");
  assert.ok(Math.abs((cause?.part ?? 0) - 1) < 1e-9, "0.5 of 0.5");
  assert.ok(cause && Math.abs(cause.rest.before - 0.9) < 1e-9 && Math.abs(cause.rest.after - 0.9) < 1e-9, "others");
  assert.equal(causeOf(load, changes, [small]), null, "0.075 of 0.5");
  // Where the load fell, what fell with it.
  const fell = causeOf({ before: 1.5, after: 1 }, changes, [changed("gone", 0.4, 0.1)]);
  assert.ok(fell && Math.abs(fell.part - 1) < 1e-9);
  // All shrank but one, which grew by more: none of those that shrank is the reason.
  const mixed = [changed("grew", 0.2, 0.4), changed("fell", 0.3, 0.24), changed("fell as well", 0.3, 0.24)];
  assert.equal(causeOf({ before: 1, after: 0.97 }, changes, mixed), null);
});

test("where no share changed, the cause is what is nearly all of the profile", () => {
  const heaviest = (before: number, after: number) => ({
    name: "cache",
    own: false,
    before,
    after,
    selfBefore: before,
    selfAfter: after,
    interval: null,
  });
  const cause = (before: number, after: number) =>
    causeOf(
      { before: 257, after: 341 },
      {
        listed: [],
        heaviest: heaviest(before, after),
        largest: heaviest(before, after),
        oneSided: [],
        others: 2,
        unknown: 0,
        certain: true,
        byProcess: false,
      },
      [],
    );
  assert.equal(cause(0.982, 0.986)?.name, "cache");
  assert.equal(cause(1, 1), null, "what is all of it explains nothing");
  assert.equal(cause(0.4, 0.4), null, "all grew");
  assert.equal(cause(0.3, 0.46), null, "most of the change, but not of the profile");
});

test("functions are alike where none may have a fifth of the change", () => {
  const load = { before: 1, after: 1.5 };
  const none = { listed: [], heaviest: null, oneSided: [], others: 3, unknown: 0, certain: true, byProcess: false };
  const same = { name: "f", own: false, selfBefore: 0, selfAfter: 0, interval: null };
  const by = (part: number) => ({ ...same, before: 0, after: part });
  assert.ok(areAlike(load, { ...none, largest: by(0.05) }));
  // A new function that is too young to be sure of.
  assert.ok(!areAlike(load, { ...none, largest: by(0.3) }));
  assert.ok(!areAlike({ before: 1.5, after: 0.5 }, { ...none, largest: by(0.2) }));
});

test("a canary beside the version before it is no drop of the load", () => {
  const steps = (...ranges: [number, number][]) =>
    Array.from({ length: 120 }, (_, i) =>
      Number(i % 2 === 0 && ranges.some(([from, until]) => from <= i && i < until)),
    );
  assert.ok(areTogether(steps([0, 60]), steps([20, 60])) && !areTogether(steps([0, 60]), steps([50, 110])));
  assert.ok(!areTogether(steps([0, 40], [80, 120]), steps([40, 80])), "one that was rolled back and out again");
  const side = (profiles: number, covered = MINUTE) => ({ profiles, covered });
  assert.deepEqual([moreProfiles([side(36), side(4)]), moreProfiles([side(36), side(35)])], ["before", null]);
  assert.equal(moreProfiles([side(36, 3 * MINUTE), side(12)]), null, "a pause is no fewer processes");
  assert.equal(
    moreProfiles([side(4, 3 * MINUTE), side(4, 4 * MINUTE)], 1),
    null,
    "of few, one at an edge makes a difference",
  );
});

test("windows that profiles cover in part are no variation", () => {
  // A process that restarts all the time: twice the load for nine tenths of most windows.
  const crashing = [100, 180, 180, 100, 180, 180, 100, 180, 180, 100].map((total, i) => ({
    from: i * MINUTE,
    length: MINUTE,
    total,
    profiles: 9,
    covered: (total > 100 ? 0.9 : 1) * MINUTE,
  }));
  const rose = changedLoad([windows(Array(10).fill(100)), crashing], false, true);
  assert.equal(rose.differs, true);
  assert.ok(Math.abs(rose.after * MINUTE - 1480 / 9.4) < 0.1, String(rose.after * MINUTE));
});

test("each service is looked at with its own label of versions", () => {
  const steps = Array.from({ length: 60 }, (_, minute) => minute);
  const one = (labels: Record<string, string>, from: number, until: number, value: number) => ({
    labels,
    total: 0,
    profiles: 0,
    points: steps.map((minute) => (from <= minute && minute < until ? value : 0)),
    counts: steps.map((minute) => (from <= minute && minute < until ? 1 : 0)),
    covered: steps.map((minute) => (from <= minute && minute < until ? MINUTE : 0)),
    duration: MINUTE,
  });
  const series = [
    one({ service_name: "a", version: "1" }, 0, 30, 100),
    one({ service_name: "a", version: "2" }, 30, 60, 150),
    one({ service_name: "b", service_git_ref: "f00", version: "x" }, 0, 30, 100),
    one({ service_name: "b", service_git_ref: "ba4", version: "x" }, 30, 60, 50),
    one({ service_name: "quiet" }, 0, 60, 100),
    one({ service_name: "same load", version: "1" }, 0, 30, 100),
    one({ service_name: "same load", version: "2" }, 30, 60, 100),
    one({ service_name: "rolled back", version: "1" }, 0, 60, 100),
    one({ service_name: "rolled back", version: "2" }, 20, 22, 3),
    one({ service_name: "back", version: "1" }, 0, 20, 100),
    one({ service_name: "back", version: "2" }, 20, 40, 100),
    one({ service_name: "back", version: "1" }, 40, 60, 100),
    one({ service_name: "both from the first", version: "1" }, 0, 60, 100),
    one({ service_name: "both from the first", version: "2" }, 1, 60, 100),
  ];
  const coverage = { series: 14, shown: 14, share: 1 };
  const found = new Map(changesIn(CPU, { start: 0, step: MINUTE, series, covered: [], coverage, rounded: false }));
  assert.deepEqual([...found.keys()], ["a", "b", "same load"]);
  const versions = { before: "1", after: "2" };
  const began = { kind: "version", from: 30 * MINUTE, versions, type: CPU, label: "version", step: MINUTE };
  assert.deepEqual(found.get("same load"), began);
  const told = ["a", "b"].map((name) => {
    const { kind, label, versions, from, before, after } = changed(found.get(name));
    return [kind, label, versions?.before, versions?.after, from / MINUTE, after / before];
  });
  assert.deepEqual(told, [
    ["deploy", "version", "1", "2", 30, 1.5],
    ["deploy", "service_git_ref", "f00", "ba4", 30, 0.5],
  ]);
});

test("a change is found of an agent that pushes every ten minutes", () => {
  const steps = Array.from({ length: 720 }, (_, step) => step);
  const one = (version: string, from: number, until: number, value: number) => {
    const isThere = (step: number) => step % 20 === 7 && from <= step && step < until;
    return {
      labels: { service_name: "a", version },
      total: 0,
      profiles: 0,
      points: steps.map((step) => (isThere(step) ? value + (step % 3) : 0)),
      counts: steps.map((step) => (isThere(step) ? 1 : 0)),
      covered: steps.map(() => 0),
      duration: 0,
    };
  };
  const series = [one("1", 0, 360, 500), one("2", 360, 720, 1750)];
  const coverage = { series: 2, shown: 2, share: 1 };
  const [[, found]] = changesIn(CPU, { start: 0, step: MINUTE / 2, series, covered: [], coverage, rounded: false });
  const { kind, versions, before, after } = changed(found);
  assert.deepEqual([kind, versions?.after], ["deploy", "2"]);
  assert.ok(Math.abs(after / before - 3.5) < 0.1, `${before} to ${after}`);
});

test("a change is told from its first profile, wherever merged steps begin", () => {
  // A profile a minute, in the first half: the range ends at any half minute, from which steps are merged.
  const one = (version: string, from: number, until: number, length: number, value: (step: number) => number) => {
    const counts = Array.from({ length }, (_, step) => Number(step % 2 === 0 && from <= step && step < until));
    return {
      labels: { service_name: "a", version },
      total: 0,
      profiles: 0,
      points: counts.map((count, step) => count * value(step)),
      counts,
      covered: counts.map(() => 0),
      duration: 0,
    };
  };
  for (const length of [120, 121]) {
    const coverage = { series: 2, shown: 2, share: 1 };
    const told = (series: ReturnType<typeof one>[]) => {
      const [[, found]] = changesIn(CPU, { start: 0, step: MINUTE / 2, series, covered: [], coverage, rounded: false });
      const { kind, from, until, since } = changed(found);
      return [kind, from / MINUTE, (until - from) / MINUTE, (from - since) / MINUTE];
    };
    const deploy = told([one("1", 0, 60, length, () => 100), one("2", 60, 200, length, () => 150)]);
    assert.deepEqual(deploy.slice(0, 2), ["deploy", 30], `${length} steps`);
    assert.deepEqual(told([one("", 0, 200, length, (step) => (step < 60 ? 100 : 150))]).slice(0, 2), ["level", 30]);
    const isHigh = (step: number) => 40 <= step && step < 46;
    assert.deepEqual(told([one("", 0, 200, length, (step) => (isHigh(step) ? 200 : 100))]), ["spike", 20, 3, 4]);
  }
});
