import assert from "node:assert/strict";
import { test } from "node:test";
import type { Timeline } from "../src/api.ts";
import { coveredMillis } from "../src/time/covered.ts";
import "./page.ts";

const { areAlike, areTogether, causeOf, changedLoad, moreProfiles } = await import("../src/state/query/changedload.ts");
const { windowsIn } = await import("../src/state/query/sideparts.ts");
const { changesIn } = await import("../src/state/query/loadchanges.ts");

const CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
const MINUTE = 60_000;

/** What was found, where that is a change of the load. */
function changed(found?: ReturnType<typeof changesIn>[number][1]) {
  return found && found.kind !== "version" ? found : assert.fail(JSON.stringify(found));
}

/** Windows of a minute with four profiles each; the last is cut off. */
const windows = (totals: number[]) =>
  totals.map((total, i) => ({ from: i * MINUTE, total, profiles: i === totals.length - 1 ? 2 : 4, millis: MINUTE }));

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

test("processes that push at the same time are covered up to the end of a cut window", () => {
  const side = (counts: number[]) =>
    counts.map((n, i) => ({ from: 3 * i * MINUTE, total: 10 * n, profiles: n, millis: 3 * MINUTE }));
  const after = side([6, 6, 6, 6, 10]);
  after[4].millis = 4.5 * MINUTE;
  const load = changedLoad([side([6, 6, 6, 6]), after], false, true);
  assert.equal(load.after, load.before);
  // A second process that begins in the last window is no time.
  const second = [...side([12, 12, 12, 12]), { from: 12 * MINUTE, total: 240, profiles: 24, millis: 4.5 * MINUTE }];
  const more = changedLoad([side([12, 12, 12, 12]), second], false, true);
  assert.ok(Math.abs(more.before * MINUTE - 40) < 1e-9 && more.after * MINUTE > 43, String(more.after * MINUTE));
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

test("a gap has no load, and an agent that pushes seldom has no gaps", () => {
  const side = (counts: number[]) =>
    counts.map((n, i) => ({ from: i * MINUTE, total: 10 * n, profiles: n, millis: MINUTE }));
  const loads = (first: number[], second: number[]) => {
    const { before, after } = changedLoad([side(first), side(second)], false, true);
    return [before * MINUTE, after * MINUTE].map((load) => Math.round(load * 100) / 100);
  };
  assert.deepEqual(loads([2, 2, 2, 0, 0, 2, 2], [2, 2, 2, 2, 2, 2, 2]), [20, 20]);
  assert.deepEqual(loads([1, 0, 1, 0, 1, 0, 1, 0, 1, 0], [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]), [5, 10]);
});

test("where an agent that pushes every 10.15 s began within a window, it ran for as long as its profiles say", () => {
  // Windows of half a minute of a steady load; the first side began two seconds before the end of its first window.
  const side = (from: number, counts: number) =>
    Array.from({ length: counts }, (_, i) => {
      const until = (time: number) => Math.max(0, Math.ceil((time - 28) / 10.15));
      const profiles = until(from + 30 * (i + 1)) - until(from + 30 * i);
      return { from: 1000 * from + 30_000 * i, total: 5 * profiles, profiles, millis: 30_000 };
    });
  const load = changedLoad([side(0, 9), side(270, 9)], false, true);
  assert.ok(Math.abs(load.before - load.after) < 1e-9 && !load.differs, `${load.before} ${load.after}`);
  assert.ok(Math.abs(load.before * 10_150 - 5) < 0.2, String(load.before * 10_150));
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

test("a side whose first profile comes late in its step ran for all of it", () => {
  // Ten minutes each, two profiles a minute, of which the first ones come in the second half; one has a pause.
  const side = (counts: number[], from: number) =>
    counts.map((n, i) => ({ from: from + i * MINUTE, total: 60 * n, profiles: n, millis: MINUTE }));
  const every = new Array(10).fill(2);
  const paused = [...every, ...new Array(5).fill(0), ...every];
  const steps = (millis: number[], start: number) => ({
    start,
    step: MINUTE,
    millis: millis.map((n) => n * (MINUTE / 2)),
  });
  const first = side(paused, MINUTE / 2);
  const second = side(every, 30 * MINUTE + MINUTE / 2);
  // The windows end with the last profile.
  second[9] = { ...second[9], millis: MINUTE / 2 };
  const load = changedLoad([first, second], false, true, [steps(paused, 0), steps(every, 30 * MINUTE)], true);
  assert.deepEqual([load.before * MINUTE, load.after * MINUTE].map(Math.round), [120, 120]);
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
  const none = { listed: [], heaviest: null, others: 3, unknown: 0, certain: true, byProcess: false };
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
  const side = (profiles: number) => Array(3).fill({ from: 0, total: 1, profiles, millis: MINUTE });
  assert.deepEqual([moreProfiles([side(36), side(4)]), moreProfiles([side(36), side(35)])], ["before", null]);
  // A pause that takes parts of windows is no fewer processes.
  const [paused, whole] = [
    [2, 2, 0, 0, 2, 2],
    [2, 2],
  ];
  assert.equal(moreProfiles([side(36), side(50)], [paused, whole], [4 * MINUTE, 2 * MINUTE]), null);
  const covered = (parts: number[]) => ({
    start: 0,
    step: MINUTE / 2,
    millis: parts.map((part) => (part * MINUTE) / 2),
  });
  const before = windows([100, 102, 50, 50, 101, 99, 50]).map((one, i) =>
    i === 2 || i === 3 ? { ...one, profiles: 2 } : one,
  );
  const load = changedLoad([before, windows([150, 151, 149, 75])], false, true, [
    covered([1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 0]),
    covered([1, 1, 1, 1, 1, 1, 1, 0]),
  ]);
  assert.ok(Math.abs(load.before * MINUTE - 552 / 5.5) < 0.01, String(load.before * MINUTE));
  assert.deepEqual([load.differs, load.unsteady], [true, []], "windows in part are no variation");
  // A process that restarts all the time: twice the load for nine tenths of most windows.
  const crashing = [100, 180, 180, 100, 180, 180, 100, 180, 180, 100].map((total, i) => ({
    from: i * MINUTE,
    total,
    profiles: total > 100 ? 9 : 10,
    millis: MINUTE,
  }));
  const rose = changedLoad([windows(Array(10).fill(100)), crashing], false, true, [
    covered(Array(20).fill(1)),
    covered(crashing.flatMap(({ total }) => (total > 100 ? [1, 0.8] : [1, 1]))),
  ]);
  assert.equal(rose.differs, true);
  assert.ok(Math.abs(rose.after * MINUTE - 1480 / 9.4) < 0.1, String(rose.after * MINUTE));
});

test("time with profiles counts, and a cut step in part", () => {
  const counts = [0, 0, 2, 4, 4, 4, 4, 1, 0, 0];
  const timeline = { start: 0, step: MINUTE, points: counts, counts, profiles: 19 };
  const minutes = (timeline: Timeline) => coveredMillis([timeline])[0] / MINUTE;
  assert.equal(minutes(timeline), 4.75);
  // Fewer processes at first are no gap, and neither is a step that has as few as others, of an agent that pushes out of step.
  const scaled = [2, 2, 2, 2, 4, 4, 4, 4, 4, 4];
  assert.equal(minutes({ ...timeline, points: scaled, counts: scaled }), 10);
  const uneven = [1, 2, 1, 1, 2, 1, 2, 1, 1, 1];
  assert.equal(minutes({ ...timeline, points: uneven, counts: uneven }), 10);
  const every = (gap: number) => Array.from({ length: 4 * gap }, (_, i) => (i % gap === 0 ? 1 : 0));
  assert.equal(
    Math.round(minutes({ ...timeline, points: every(15), counts: every(15) })),
    60,
    "a push every ten minutes",
  );
  assert.equal(minutes({ ...timeline, points: every(40), counts: every(40) }), 0, "a profile says nothing of 40 steps");
  // Two pushes a side say how far they are apart.
  const two = { ...timeline, step: MINUTE / 2, points: [1, 0, 1, 0], counts: [1, 0, 1, 0] };
  assert.deepEqual(coveredMillis([two, two]), [2 * MINUTE, 2 * MINUTE]);
  assert.equal(minutes({ ...timeline, counts: counts.map(() => 0), profiles: 0 }), 0);
  // Sides of one agent, one of which has a profile less by chance.
  const sides = coveredMillis(
    [
      [3, 3, 2, 3],
      [3, 3, 3, 3],
    ].map((counts) => ({ ...timeline, points: counts, counts })),
  );
  assert.ok(Math.abs(11 / sides[0] - 12 / sides[1]) < 1e-12, String(sides));
  const minute = { ...timeline, step: MINUTE / 2, points: [4, 4], counts: [4, 4] };
  assert.deepEqual(coveredMillis([minute, minute]), [MINUTE, MINUTE], "two minutes of one agent");
  const fewer = { ...minute, points: [2, 4], counts: [2, 4] };
  assert.deepEqual(coveredMillis([fewer, minute]), [0, 0]);
  const long = { ...timeline, step: MINUTE, points: Array(20).fill(6), counts: Array(20).fill(6) };
  assert.deepEqual(coveredMillis([long, { ...long, points: [3, 3], counts: [3, 3] }])[1], 0, "half of the processes");
  // How much of a step or two is covered is anyone's guess.
  assert.equal(minutes({ ...timeline, counts: counts.map((_, i) => (i < 2 ? 4 : 0)) }), 0);
});

test("each service is looked at with its own label of versions", () => {
  const steps = Array.from({ length: 60 }, (_, minute) => minute);
  const one = (labels: Record<string, string>, from: number, until: number, value: number) => ({
    labels,
    total: 0,
    profiles: 0,
    points: steps.map((minute) => (from <= minute && minute < until ? value : 0)),
    counts: steps.map((minute) => (from <= minute && minute < until ? 1 : 0)),
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
    one({ service_name: "both from the first", version: "1" }, 0, 60, 100),
    one({ service_name: "both from the first", version: "2" }, 1, 60, 100),
  ];
  const coverage = { series: 11, shown: 11, share: 1 };
  const found = new Map(changesIn(CPU, { start: 0, step: MINUTE, series, coverage, rounded: false }));
  assert.deepEqual([...found.keys()], ["a", "b", "same load"]);
  const versions = { before: "1", after: "2" };
  const began = { kind: "version", from: 30 * MINUTE, versions, type: CPU, label: "version" };
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
    };
  };
  const series = [one("1", 0, 360, 500), one("2", 360, 720, 1750)];
  const coverage = { series: 2, shown: 2, share: 1 };
  const [[, found]] = changesIn(CPU, { start: 0, step: MINUTE / 2, series, coverage, rounded: false });
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
    };
  };
  for (const length of [120, 121]) {
    const coverage = { series: 2, shown: 2, share: 1 };
    const told = (series: ReturnType<typeof one>[]) => {
      const [[, found]] = changesIn(CPU, { start: 0, step: MINUTE / 2, series, coverage, rounded: false });
      const { kind, from, until, since } = changed(found);
      return [kind, from / MINUTE, (until - from) / MINUTE, (from - since) / MINUTE];
    };
    const deploy = told([one("1", 0, 60, length, () => 100), one("2", 60, 200, length, () => 150)]);
    assert.deepEqual(deploy.slice(0, 2), ["deploy", 30], `${length} steps`);
    assert.deepEqual(told([one("", 0, 200, length, (step) => (step < 60 ? 100 : 150))]).slice(0, 2), ["level", 30]);
    const isHigh = (step: number) => 40 <= step && step < 46;
    assert.deepEqual(told([one("", 0, 200, length, (step) => (isHigh(step) ? 200 : 100))]), ["spike", 20, 3, 3]);
  }
});
