import assert from "node:assert/strict";
import { test } from "node:test";
import { loadChange, type VersionSteps } from "../src/time/loadchange.ts";
import type { LoadSeries } from "../src/time/loadsteps.ts";
import { rolloutOf } from "../src/time/rollout.ts";
import { seriesOf as seriesOfSteps } from "../src/time/series.ts";
import { agent, timelineOf } from "./agents.ts";

const MINUTE = 60_000;

function seriesOf(values: (number | null)[]): LoadSeries {
  return {
    start: 0,
    step: MINUTE,
    values: values.map((value) => value ?? 0),
    counts: values.map((value) => (value === null ? 0 : 1)),
    covered: values.map((value) => (value === null ? 0 : MINUTE)),
    average: false,
    sparse: false,
    total: 0,
    firsts: values.map((_, minute) => minute * MINUTE),
    duration: 0,
  };
}

/** Versions that begin in these minutes; each ends where the next begins. */
function versions(...begins: [string, number][]): VersionSteps[] {
  return begins.map(([version, step], i) => ({ version, step, last: begins[i + 1]?.[1] ?? 1e6, time: step * MINUTE }));
}

/** Numbers from 0 to 1, the same on each machine. */
function random(seed: number): () => number {
  let state = seed * 2654435761 + 1;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) | 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}

/** A load in waves of traffic, minute by minute: 18 % in 17 minutes and 7 % in 3, 5 % from step to step. */
function waves(minutes: number, seed: number, change: (minute: number) => number = () => 1): number[] {
  const next = random(seed);
  const phase = next() * 7;
  return Array.from({ length: minutes }, (_, minute) => {
    const wave =
      0.18 * Math.sin((minute / 17) * 2 * Math.PI + phase) + 0.07 * Math.sin((minute / 3.1) * 2 * Math.PI + phase);
    const noise = 0.05 * (next() + next() + next() - 1.5) * 2;
    return 1000 * (1 + wave + noise) * change(minute);
  });
}

test("a deploy that makes a service slower is found, with its version and how much", () => {
  for (let seed = 0; seed < 100; seed++) {
    const values = waves(60, seed, (minute) => (minute < 35 ? 1 : 1.39));
    const found = loadChange(seriesOf(values), versions(["1.8.2", 0], ["1.9.0", 35]));
    assert.equal(found?.kind, "deploy", `seed ${seed}`);
    assert.equal(found.from, 35 * MINUTE);
    assert.deepEqual(found.versions, { before: "1.8.2", after: "1.9.0" });
    assert.ok(Math.abs(found.after / found.before - 1.39) < 0.15, `seed ${seed}: ×${found.after / found.before}`);
  }
});

test("of waves nothing is said, with a deploy or without", () => {
  const starts = versions(["a", 0], ["b", 30]);
  const said = (minutes: number, starts: VersionSteps[]) =>
    Array.from({ length: 400 }, (_, seed) => loadChange(seriesOf(waves(minutes, seed)), starts)).filter(Boolean).length;
  for (const minutes of [40, 60, 120, 360])
    for (const deployed of [[], starts])
      assert.ok(said(minutes, deployed) <= 4, `${minutes} min: ${said(minutes, deployed)} of 400`);
});

test("a small change is told where it is all there is, and not among waves", () => {
  const steps = (change: number, noise: number) => {
    const next = random(7);
    return Array.from({ length: 60 }, (_, i) => (i < 30 ? 100 : 100 * change) * (1 + noise * (next() - 0.5)));
  };
  for (const change of [1.24, 1.12, 0.85]) {
    const found = loadChange(seriesOf(steps(change, 0.04)), []);
    assert.ok(found, `${change}`);
    assert.deepEqual([found.kind, found.from], ["level", 30 * MINUTE], `${change}`);
    assert.ok(Math.abs(found.after / found.before - change) < 0.02);
  }
  assert.equal(loadChange(seriesOf(steps(1.12, 0.3)), []), null, "noise");
  assert.equal(loadChange(seriesOf(steps(1.08, 0)), []), null, "too little");
  const told = Array.from({ length: 100 }, (_, seed) =>
    loadChange(seriesOf(waves(60, seed, (minute) => (minute < 30 ? 1 : 1.12))), []),
  );
  assert.ok(told.filter(Boolean).length <= 2);
});

test("part of a long wave has no moment at which it changed", () => {
  for (let phase = 0; phase < 90; phase += 3) {
    const next = random(phase + 1);
    const wave = Array.from({ length: 48 }, (_, minute) => {
      const noise = 0.97 + 0.06 * next();
      return 0.7 * (1 + 0.4 * Math.sin(((minute + phase) / 90) * 2 * Math.PI)) * noise;
    });
    const found = loadChange(seriesOf([...wave, ...Array(12).fill(null)]), []);
    assert.ok(!found || found.kind === "trend", `${phase}: ${JSON.stringify(found)}`);
  }
});

test("a load that changes minutes after a deploy, or before it, is told when it changes", () => {
  const steady = (change: number) => Array.from({ length: 60 }, (_, minute) => (minute < change ? 14.662 : 29.32));
  for (const change of [24, 35]) {
    const found = loadChange(seriesOf(steady(change)), versions(["1.0", 0], ["2.0", 30]));
    assert.deepEqual([found?.kind, found?.from, found?.versions], ["level", change * MINUTE, null]);
    assert.deepEqual([found?.before.toFixed(2), found?.after.toFixed(2)], ["14.66", "29.32"]);
  }
  let hits = 0;
  for (let seed = 0; seed < 100; seed++) {
    const values = waves(60, seed, (minute) => (minute < 35 ? 1 : 2));
    if (loadChange(seriesOf(values), versions(["1.0", 0], ["2.0", 30]))?.kind === "level") hits++;
  }
  assert.ok(hits >= 95, `${hits} of 100`);
});

test("a load that changes during a rollout of minutes is the deploy's", () => {
  const values = Array.from({ length: 60 }, (_, minute) => 100 + 20 * Math.min(Math.max(minute - 29, 0), 8));
  const [old, fresh] = versions(["1.0", 0], ["2.0", 30]);
  const told = (last: number) => {
    const { kind, from, before, after } = loadChange(seriesOf(values), [{ ...old, last }, fresh]) ?? {};
    return [kind, from, before, after && Math.round(after)];
  };
  assert.deepEqual(told(37), ["deploy", 30 * MINUTE, 100, 260], "without the minutes in which both run");
  assert.deepEqual(told(59), ["deploy", 30 * MINUTE, 100, 246], "they go on beside each other");
});

test("the rollout before a version counts neither for it nor for the next deploy", () => {
  const load = (minute: number) => (minute < 2 ? 100 : minute < 12 ? 100 + 10 * (minute - 2) : minute < 30 ? 200 : 240);
  const rising = Array.from({ length: 60 }, (_, minute) => load(minute));
  const three = versions(["1", 0], ["2", 2], ["3", 30]);
  three[0].last = 12;
  const { before, after } = loadChange(seriesOf(rising), three) ?? {};
  assert.deepEqual([before, after], [200, 240]);
});

test("a rollout is when both of two versions ran, if the new one ran alone for as long", () => {
  const of = (...[a, b, c, d]: number[]) => rolloutOf({ from: a, until: b }, { from: c, until: d });
  assert.deepEqual(of(0, 60, 50, 100), { from: 50, until: 60 });
  assert.deepEqual(of(0, 15, 5, 60), { from: 5, until: 15 }, "soon after the range began");
  assert.equal(of(0, 50, 50, 100), null, "one took over at once");
  assert.equal(of(0, 90, 50, 100), null, "they run beside each other");
  assert.equal(of(0, 100, 20, 60), null, "it was rolled back");
  assert.equal(of(50, 100, 0, 60), null, "the second is the older one");
});

test("a level that changes without a deploy is found where it changes", () => {
  let hits = 0;
  for (let seed = 0; seed < 100; seed++) {
    const found = loadChange(seriesOf(waves(120, seed, (minute) => (minute < 50 ? 1 : 2))), []);
    if (found?.kind === "level" && Math.abs(found.from - 50 * MINUTE) <= 2 * MINUTE) hits++;
  }
  assert.ok(hits >= 95, `${hits} of 100`);
});

test("a level that begins within a step is told with that moment", () => {
  for (const [part, moment] of [
    [0.5, 30.5],
    [0.75, 30.25],
    [0.3, 30.75],
    [1, 30],
  ]) {
    const values = [...new Array(30).fill(100), 100 + 50 * part, ...new Array(30).fill(150)];
    const found = loadChange(seriesOf(values), []);
    assert.deepEqual([found?.kind, found?.after, found?.moment], ["level", 150, moment * MINUTE]);
  }
});

test("a level that begins near an end of the range is told when it begins", () => {
  const steady = (change: number) => Array.from({ length: 90 }, (_, minute) => (minute < change ? 100 : 200));
  for (const change of [10, 80]) {
    const { kind, from, before, after } = loadChange(seriesOf(steady(change)), []) ?? {};
    assert.deepEqual([kind, from, before, after], ["level", change * MINUTE, 100, 200]);
  }
  // Nothing for eight minutes, then more for nine.
  const values = Array.from({ length: 60 }, (_, minute) => (minute < 43 ? 100 : minute < 51 ? null : 250));
  const found = loadChange(seriesOf(values), []);
  assert.deepEqual([found?.kind, found?.from, found?.after], ["level", 51 * MINUTE, 250]);
  // In waves some aren't found, as they are too near to the end to be sure.
  const inWaves = Array.from({ length: 100 }, (_, seed) =>
    loadChange(seriesOf(waves(90, seed, (minute) => (minute < 10 ? 1 : 2.5))), []),
  ).filter((one) => one !== null);
  const hits = inWaves.filter(
    ({ kind, from }) => kind === "level" && Math.abs(from - 10 * MINUTE) <= 2 * MINUTE,
  ).length;
  assert.ok(hits >= 45 && hits >= 0.85 * inWaves.length, `${hits} of ${inWaves.length}`);
});

test("what is high at an end of the range is no spike: it isn't known how long it is", () => {
  const steps = (length: number, value: (minute: number) => number) =>
    Array.from({ length }, (_, minute) => value(minute));
  const told = (values: number[]) => {
    const { kind, from, before, after } = loadChange(seriesOf(values), []) ?? {};
    return [kind, (from ?? 0) / MINUTE, before, after];
  };
  const rise = (last: number) => told(steps(60, (minute) => (minute < 60 - last ? 100 : 200)));
  assert.deepEqual(rise(2), [undefined, 0, undefined, undefined], "too little to tell");
  assert.deepEqual(rise(4), ["level", 56, 100, 200]);
  assert.deepEqual(rise(8), ["level", 52, 100, 200]);
  assert.deepEqual(told(steps(70, (minute) => (minute < 5 ? 200 : 100))), ["level", 5, 200, 100]);
});

test("a run that ended a step before the range did is a spike", () => {
  const values = Array.from({ length: 60 }, (_, minute) => (minute >= 54 && minute < 59 ? 200 : 100));
  const found = loadChange(seriesOf(values), []);
  assert.deepEqual([found?.kind, found?.from, found?.until], ["spike", 54 * MINUTE, 59 * MINUTE]);
});

test("a deploy ends where the next version begins, and what is told is what was judged", () => {
  const values = Array.from({ length: 60 }, (_, minute) => (minute < 30 ? 100 : minute < 59 ? 139 : 3000));
  const found = loadChange(seriesOf(values), versions(["a", 0], ["b", 30], ["c", 59]));
  assert.deepEqual([found?.after, found?.until], [139, 59 * MINUTE]);
  // Averages of unequal numbers of profiles: by steps +31 %, by profiles −3 %.
  const even = (minute: number) => minute % 2 === 0;
  const gauge = seriesOf(Array.from({ length: 60 }, (_, i) => (i < 30 ? (even(i) ? 100 : 60) : even(i) ? 120 : 90)));
  const counts = gauge.counts.map((_, i) => (i < 30 === even(i) ? 9 : 1));
  assert.equal(loadChange({ ...gauge, average: true, counts }, versions(["a", 0], ["b", 30])), null);
  // A last step that is cut off doesn't count, whatever the others have.
  const partial = seriesOf(Array.from({ length: 60 }, (_, i) => (i < 56 ? 100 : i < 59 ? 200 : 20)));
  const few = partial.counts.map((_, i) => (i === 30 || i === 59 ? 1 : 4));
  assert.equal(loadChange({ ...partial, counts: few }, [])?.after, 200);
});

test("a step that begins within a minute is held against whole minutes", () => {
  const values = [...new Array(30).fill(100), 150, ...new Array(30).fill(200)];
  const { kind, since, beforeUntil, from, before, after } = loadChange(seriesOf(values), []) ?? {};
  assert.deepEqual([kind, since, beforeUntil, from], ["level", 0, 30 * MINUTE, 31 * MINUTE]);
  assert.deepEqual([before, after], [100, 200]);
  const spike = [...new Array(30).fill(100), 200, 400, 400, 200, ...new Array(30).fill(100)];
  const found = loadChange(seriesOf(spike), []);
  assert.deepEqual([found?.kind, found?.before, found?.after], ["spike", 100, 400]);
  assert.deepEqual([found?.since, found?.beforeUntil, found?.from], [28 * MINUTE, 30 * MINUTE, 31 * MINUTE]);
  // Of four processes three began to use more before the minute did.
  const mostly = [...new Array(30).fill(200), 425, 500, 500, 275, ...new Array(30).fill(200)];
  const three = loadChange(seriesOf(mostly), []);
  assert.deepEqual([three?.kind, three?.from, three?.after], ["spike", 31 * MINUTE, 500]);
  assert.equal(three?.lasted, 3 * MINUTE);
});

test("a step minutes after the begin of a range is found as one before its end is", () => {
  for (const minutes of [4, 5, 6]) {
    const values = Array.from({ length: 60 }, (_, minute) => (minute < minutes ? 435 : 635));
    assert.equal(loadChange(seriesOf(values), [])?.from, minutes * MINUTE);
  }
});

test("what was idle before has no ratio", () => {
  for (const idle of [8, 20])
    assert.equal(loadChange(seriesOf(Array.from({ length: 60 }, (_, i) => (i < idle ? 0 : 100))), []), null);
});

test("a load that rises steadily has no moment at which it changed", () => {
  const rising = Array.from({ length: 60 }, (_, minute) => 100 + 5 * minute);
  const found = loadChange(seriesOf(rising), []);
  for (const deploy of [20, 30, 40])
    assert.equal(loadChange(seriesOf(rising), versions(["a", 0], ["b", deploy]))?.kind, "trend");
  assert.deepEqual([found?.kind, found?.from], ["trend", 30 * MINUTE]);
  assert.deepEqual([found?.before, found?.after], [172.5, 322.5], "all steps of both halves");
});

test("a line is told from a smaller change on than a step, as of a leak", () => {
  const next = random(7);
  const rising = (part: number) =>
    seriesOf(Array.from({ length: 180 }, (_, minute) => 1000 * (1 + (part * minute) / 180) * (0.98 + 0.04 * next())));
  const found = loadChange(rising(0.48), []);
  assert.equal(found?.kind, "trend");
  assert.ok(Math.abs(found.after / found.before - 1.21) < 0.02, `×${found.after / found.before}`);
  assert.equal(loadChange(rising(0.09), []), null, "hardly more than nothing");
});

test("a low that ends in the last minutes is told with its end", () => {
  const batch = (back: number) =>
    Array.from({ length: 60 }, (_, minute) => (minute >= 22 && minute < 60 - back ? 200 : 1000) + (minute % 3));
  const found = loadChange(seriesOf(batch(4)), []);
  assert.deepEqual([found?.kind, found?.from, found?.until], ["spike", 22 * MINUTE, 56 * MINUTE]);
  assert.ok(found && Math.round(found.before) === 1001 && Math.round(found.after) === 201, "none of the end counts");
  const lasting = loadChange(seriesOf(batch(0)), []);
  assert.deepEqual([lasting?.kind, lasting?.from], ["level", 22 * MINUTE]);
});

test("a level that is left for most of the range and reached again is told with its end", () => {
  const next = random(3);
  const halved = Array.from(
    { length: 180 },
    (_, minute) => (minute >= 81 && minute < 165 ? 750 : 1500) * (0.96 + 0.08 * next()),
  );
  const found = loadChange(seriesOf(halved), []);
  assert.deepEqual([found?.kind, found?.from, found?.until], ["spike", 81 * MINUTE, 165 * MINUTE]);
  assert.ok(found && Math.abs(found.after / found.before - 0.5) < 0.01);
  assert.equal(found?.rest, undefined, "it came back");
  // One function's load rose, and later another's fell.
  const values = Array.from({ length: 180 }, (_, i) => (i < 60 ? 1000 : i < 110 ? 1300 : 910) + 10 * next());
  const twice = loadChange(seriesOf(values), []);
  assert.equal(twice?.kind, "spike");
  assert.ok(twice?.rest && Math.abs(twice.rest / twice.before - 0.91) < 0.01, "what came after is told");
  // The steps in which the while begins and ends have a half of it.
  const away = [...new Array(60).fill(1000), 1500, ...new Array(40).fill(2000), 1500];
  for (const left of [4, 6, 10, 20]) {
    const found = loadChange(seriesOf([...away, ...new Array(left).fill(1000)]), []);
    assert.deepEqual(
      [found?.kind, found?.rest, found?.lasted],
      ["spike", undefined, 41 * MINUTE],
      `${left} steps after it`,
    );
  }
});

test("a deploy that the next one undid is over", () => {
  const of = (last: number) =>
    Array.from({ length: 150 }, (_, minute) => (minute < 60 ? 400 : minute < 90 ? 600 : last) + (minute % 5));
  const begins = versions(["1", 0], ["2", 60], ["1", 90]);
  const undone = loadChange(seriesOf(of(400)), begins);
  assert.deepEqual([undone?.from, undone?.lasted, undone?.versions?.after], [60 * MINUTE, 30 * MINUTE, "2"]);
  const stayed = loadChange(seriesOf(of(590)), begins);
  assert.deepEqual([stayed?.from, stayed?.lasted, stayed?.versions?.after], [60 * MINUTE, undefined, "2"]);
  // The same version, or the next one, for good.
  const again = Array.from({ length: 120 }, (_, i) => (i < 30 || (i >= 45 && i < 65) ? 100 : 150) + (i % 5));
  const third = loadChange(seriesOf(again), versions(["1", 0], ["2", 30], ["1", 45], ["2", 65]));
  assert.deepEqual([third?.from, third?.lasted, third?.versions?.after], [65 * MINUTE, undefined, "2"]);
  // Far less than before is no return.
  const lower = Array.from({ length: 120 }, (_, i) => (i < 30 ? 100 : i < 45 ? 150 : 76) + (i % 5));
  const dropped = loadChange(seriesOf(lower), versions(["1", 0], ["2", 30], ["3", 45]));
  assert.deepEqual([dropped?.from, dropped?.versions?.after], [45 * MINUTE, "3"]);
  // Of less than three steps nothing is said.
  const soon = { ...begins[2], step: 92, time: 92 * MINUTE };
  const young = loadChange(seriesOf(of(400).slice(0, 95)), [...begins.slice(0, 2), soon]);
  assert.deepEqual([young?.from, young?.versions?.after, young?.lasted], [60 * MINUTE, "2", undefined]);
});

test("a wave as long as the range is no level, and a rise over a third of it is gradual", () => {
  const told = (load: (minute: number, phase: number) => number) => {
    const kinds = Array.from({ length: 100 }, (_, seed) => {
      const next = random(seed);
      const phase = next() * 7;
      const values = Array.from({ length: 60 }, (_, minute) => load(minute, phase) * (0.96 + 0.08 * next()));
      return loadChange(seriesOf(values), [])?.kind;
    });
    return (kind: string) => kinds.filter((one) => one === kind).length;
  };
  for (const period of [50, 60]) {
    const count = told((minute, phase) => 100 * (1 + 0.4 * Math.sin((minute / period) * 2 * Math.PI + phase)));
    assert.ok(count("level") <= 2, `a wave of ${period} min: ${count("level")} of 100`);
  }
  // A day of traffic, on which the load doubles at noon.
  const day = Array.from(
    { length: 288 },
    (_, i) => 100 * (1 - 0.4 * Math.cos((i / 144) * Math.PI)) * (i < 144 ? 1 : 2),
  );
  const { before = 0, after = 0 } = loadChange(seriesOf(day), []) ?? {};
  assert.ok(after > 1.9 * before, `${before} to ${after}`);
  const rises = (length: number) =>
    told((minute, phase) => 100 * (1 + Math.min(1, Math.max(0, (minute - 15 - phase) / length))));
  assert.ok(rises(20)("trend") >= 85, `${rises(20)("trend")} of 100`);
  assert.equal(rises(5)("level"), 100, "of a few minutes it is a level");
});

test("a deploy in the middle of a rise is named, if the load rises at once with it", () => {
  const next = random(1);
  const rising = (jump: number) =>
    Array.from({ length: 60 }, (_, minute) => 57 + 0.8 * minute + (minute < 28 ? 0 : jump) + 4 * next());
  const told = (jump: number) => loadChange(seriesOf(rising(jump)), versions(["1.8.2", 0], ["1.9.0", 28]))?.kind;
  assert.deepEqual([told(16), told(0)], ["deploy", "trend"]);
});

test("a steady rise has halves only where a gap leaves some of both", () => {
  const rising = Array.from({ length: 60 }, (_, minute) => 100 + 5 * minute);
  const found = loadChange(seriesOf([100, 100, ...new Array(70).fill(null), ...rising]), []);
  assert.equal(found?.kind, "level");
});

test("a spike of three minutes in an hour is found, whatever the wave", () => {
  let hits = 0;
  for (let seed = 0; seed < 100; seed++) {
    const found = loadChange(seriesOf(waves(60, seed, (minute) => (minute >= 12 && minute < 15 ? 2 : 1))), []);
    if (found?.kind === "spike" && found.from === 12 * MINUTE && found.until === 15 * MINUTE) hits++;
  }
  assert.ok(hits >= 95, `${hits} of 100`);
});

test("a spike is held against the time before it, or against all else where that is low or has no profiles", () => {
  const flat: (number | null)[] = new Array(60).fill(100);
  const spike = (change: (values: (number | null)[]) => void) => {
    const values = [...flat];
    change(values);
    const { kind, from, since, before } = loadChange(seriesOf(values), []) ?? {};
    return [kind, (from ?? 0) / MINUTE, (since ?? 0) / MINUTE, Math.round(before ?? 0)];
  };
  assert.deepEqual(
    spike((values) => values.splice(30, 2, 200, 200)),
    ["spike", 30, 27, 100],
  );
  // Near the beginning, among waves: half as much time before it is enough.
  assert.deepEqual(
    spike((values) => {
      for (let i = 0; i < 60; i++) values[i] = i > 10 ? 120 : 100;
      values.splice(5, 6, 200, 200, 200, 200, 200, 200);
    }),
    ["spike", 5, 0, 100],
  );
  // One push came late.
  assert.deepEqual(
    spike((values) => values.splice(30, 2, 50, 150)),
    ["spike", 31, 29, 100],
  );
  assert.deepEqual(
    spike((values) => values.splice(26, 6, null, null, null, null, 200, 200)),
    ["spike", 30, 0, 100],
  );
});

test("a gap and cut ends are no change", () => {
  const values: (number | null)[] = waves(120, 1);
  for (let minute = 40; minute < 70; minute++) values[minute] = null;
  [values[0], values[39], values[70], values[119]] = [10, 10, 10, 10];
  // The ends of a gap are cut as the ends of all are, but few: they change no level.
  assert.equal(loadChange(seriesOf(values), []), null);
});

test("the deploy that changed most is told, each against the version before it", () => {
  const values = waves(180, 2, (minute) => (minute < 60 ? 1 : minute < 120 ? 0.8 : 1.6));
  const found = loadChange(seriesOf(values), versions(["a", 0], ["b", 60], ["c", 120]).reverse());
  assert.deepEqual(found?.versions, { before: "b", after: "c" });
  assert.ok(found && Math.abs(found.after / found.before - 2) < 0.2);
  assert.equal(found.until, 180 * MINUTE);
});

test("without enough steps, or without any load, nothing is said", () => {
  assert.equal(loadChange(seriesOf([1, 1, 1, 9, 9, 9]), []), null);
  assert.equal(loadChange(seriesOf(new Array(60).fill(0)), []), null);
  assert.equal(loadChange(seriesOf(new Array(60).fill(null)), []), null);
  assert.equal(loadChange(seriesOf(new Array(60).fill(5)), versions(["a", 0], ["b", 30])), null);
});

test("an interval that does not divide the steps is no change, and does not hide one", () => {
  // A profile every 10.15 s in steps of 30 s: three, and sometimes two.
  const of = (total: number, load: (time: number) => number, interval = 10.15): LoadSeries => {
    const profiles = agent(1000 * interval, 3000, 30_000 * total, (at) => load(at / 1000));
    const series = seriesOfSteps(timelineOf(profiles, 30_000, total), false);
    return { ...series, firsts: series.counts.map((_, at) => at * 30_000), duration: 1000 * interval };
  };
  for (const interval of [10.15, 10.9, 13, 14.3, 25]) {
    assert.equal(
      loadChange(
        of(60, () => 100, interval),
        [],
      ),
      null,
      `${interval}`,
    );
    for (const steps of [31, 45, 60]) {
      const at = Math.round(steps * 0.6) * 30;
      const found = loadChange(
        of(steps, (time) => (time < at ? 100 : 170), interval),
        [],
      );
      assert.equal(found?.kind, "level", `${interval} ${steps}`);
      assert.ok(
        found && Math.abs(found.after / found.before - 1.7) < 0.05,
        `${interval} ${steps} ${found?.after} ${found?.before}`,
      );
    }
  }
});

test("what went back to its level is a spike or nothing, however long it was", () => {
  const of = (value: (step: number) => number, steps = 120) =>
    loadChange(seriesOf(Array.from({ length: steps }, (_, step) => value(step))), []);
  for (const length of [16, 20, 24, 30, 40]) {
    const found = of((step) => (step >= 41 && step < 41 + length ? 1500 : 500));
    assert.deepEqual([found?.kind, found?.from, found?.lasted], ["spike", 41 * MINUTE, length * MINUTE], `${length}`);
  }
  // Soon after the beginning of the range, a dip.
  assert.equal(
    of((step) => (step >= 8 && step < 14 ? 67 : step === 7 || step === 14 ? 200 : 333), 66),
    null,
  );
});

test("the edges of a spike within steps count in its length, not in its load", () => {
  // Three minutes from the middle of one, and two from a little before that.
  const half = [...new Array(30).fill(100), 250, 400, 400, 250, ...new Array(30).fill(100)];
  const uneven = [...new Array(30).fill(100), 265, 400, 235, ...new Array(30).fill(100)];
  for (const [values, lasted] of [
    [half, 3],
    [uneven, 2],
  ] as const) {
    const found = loadChange(seriesOf(values), []);
    assert.deepEqual(
      [found?.kind, found?.from, found?.before, found?.after, found?.lasted],
      ["spike", 31 * MINUTE, 100, 400, lasted * MINUTE],
    );
  }
});

test("the extent of a spike says which profiles are of it, wherever they and the steps begin", () => {
  const SPIKE = { from: 63 * MINUTE, until: 66 * MINUTE };
  for (const phases of [[5], [25], [55], [30, 40], [5, 35], [10, 50]])
    for (const step of [30_000, 60_000]) {
      const load = (at: number) => (at >= SPIKE.from && at < SPIKE.until ? 2.5 : 1);
      const profiles = phases.flatMap((second) => agent(MINUTE, second * 1000, 120 * MINUTE, load));
      const drawn = seriesOfSteps(timelineOf(profiles, step, (120 * MINUTE) / step), false);
      const firsts = drawn.values.map((_, i) => drawn.start + i * drawn.step);
      const { extent, moment } = loadChange({ ...drawn, firsts, duration: MINUTE }, []) ?? {};
      const { from = 0, until = 0 } = extent ?? {};
      const began = SPIKE.from + (1000 * phases.reduce((sum, second) => sum + second, 0)) / phases.length;
      assert.ok(Math.abs((moment ?? 0) - began) <= drawn.step / 4, `${phases} in ${step}: ${moment}`);
      const inside = profiles.filter(({ at }) => at >= from - MINUTE / 2 && at < until - MINUTE / 2);
      const values = inside.map(({ at }) => load(at));
      assert.deepEqual(values, new Array(3 * phases.length).fill(2.5), `${phases} in ${step}`);
    }
});

test("a young service's clean step is a level, soon after it", () => {
  for (const [before, after] of [
    [20, 4],
    [20, 6],
    [20, 9],
    [20, 14],
    [20, 20],
    [9, 7],
    [7, 9],
    [10, 12],
  ]) {
    const found = loadChange(seriesOf([...new Array(before).fill(100), 130, ...new Array(after).fill(170)]), []);
    const name = `${before}, ${after}`;
    assert.equal(found?.kind, "level", name);
    assert.ok(found && Math.abs(found.after / found.before - 1.7) < 0.01, `${name}: ×${found.after / found.before}`);
  }
});

test("a noisy ramp is gradual, however steep", () => {
  // At 1.57 the halves differ by a quarter, give or take the noise, and levels that are cut best by a little more.
  for (const times of [1.57, 2.5, 5]) {
    let hits = 0;
    for (let seed = 0; seed < 60; seed++) {
      const next = random(seed);
      const values = Array.from(
        { length: 60 },
        (_, step) => 100 * (1 + ((times - 1) * step) / 60) * (0.95 + 0.1 * next()),
      );
      if (loadChange(seriesOf(values), [])?.kind === "trend") hits++;
    }
    assert.ok(hits >= 57, `×${times}: ${hits} of 60`);
  }
});

test("a step of a quarter near an end of the range is told, and waves at its ends aren't", () => {
  for (const at of [6, 8, 17])
    for (const isLate of [true, false]) {
      const next = random(at);
      const of = (i: number) => ((isLate ? i >= 120 - at : i < at) ? 128 : 100) * (0.97 + 0.06 * next());
      const found = loadChange(seriesOf(Array.from({ length: 120 }, (_, i) => of(i))), []);
      assert.deepEqual([found?.kind, found?.from], ["level", (isLate ? 120 - at : at) * MINUTE]);
    }
  for (let seed = 0; seed < 100; seed++) {
    const next = random(seed);
    const phase = 7 * next();
    const wave = (i: number) => 100 * (1 + 0.3 * Math.sin((i / 40) * 2 * Math.PI + phase)) * (0.95 + 0.1 * next());
    assert.equal(loadChange(seriesOf(Array.from({ length: 120 }, (_, i) => wave(i))), []), null);
  }
});

test("a hump of traffic is no spike", () => {
  let said = 0;
  for (let seed = 0; seed < 100; seed++) {
    const next = random(seed);
    const phase = next() * 7;
    const values = Array.from(
      { length: 120 },
      (_, step) => 100 * (1 + 0.5 * Math.sin((step / 80) * 2 * Math.PI + phase)) * (0.97 + 0.06 * next()),
    );
    if (loadChange(seriesOf(values), [])?.kind === "spike") said++;
  }
  assert.ok(said <= 2, `${said} of 100`);
});

test("a spike that rises in steps is held against what was before them", () => {
  const flat = (steps: number) => new Array(steps).fill(100);
  const found = loadChange(seriesOf([...flat(30), 255, 262, 400, 400, ...flat(30)]), []);
  assert.deepEqual([found?.kind, found?.before, found?.after], ["spike", 100, 400]);
});

test("a level lasts up to the last profiles, whichever process sends them", () => {
  // The process that has most of the load since the 200th minute ends up to a profile's time before the others.
  for (const step of [30_000, MINUTE, 5 * MINUTE])
    for (const early of [0, 20_000, 50_000]) {
      const all = [0, 20_000, 40_000].map((phase, i) => {
        const until = 300 * MINUTE + (i === 0 ? 0 : early - phase + 10_000);
        return agent(MINUTE, phase, until, (at) => (i === 0 && at >= 200 * MINUTE ? 240 : 70));
      });
      const timeline = timelineOf(all.flat(), step, Math.ceil((310 * MINUTE) / step));
      const series = seriesOfSteps(timeline, false);
      const firsts = series.counts.map((_, at) => at * series.step);
      const found = loadChange({ ...series, firsts, duration: MINUTE }, []);
      assert.equal(found?.kind, "level", `${step / 1000} s, ${early / 1000} s`);
    }
});

test("with more processes, a cut step at an end is no end of the load", () => {
  // Two processes and then four, each with two profiles a minute; the range cuts the last minute, or the first.
  const scaled = (processes: (minute: number) => number, cut: number): LoadSeries => {
    const counts = Array.from({ length: 40 }, (_, minute) => 2 * processes(minute) * (minute === cut ? 0.5 : 1));
    return { ...seriesOf(counts), values: counts.map((count) => 10 * count), counts };
  };
  for (const cut of [39, -1]) {
    const out = loadChange(
      scaled((minute) => (minute < 26 ? 2 : 4), cut),
      [],
    );
    assert.deepEqual([out?.kind, out && out.after / out.before], ["level", 2], `cut ${cut}`);
  }
  for (const cut of [0, -1]) {
    const back = loadChange(
      scaled((minute) => (minute < 13 ? 4 : 2), cut),
      [],
    );
    assert.deepEqual([back?.kind, back && back.after / back.before], ["level", 0.5], `cut ${cut}`);
  }
});
