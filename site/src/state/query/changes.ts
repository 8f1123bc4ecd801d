/** The panel "What changed": two sides of a service's range, in parts, and the functions whose share differs. */
import { computed, signal } from "@preact/signals";
import { json } from "../../api.ts";
import { isGauge } from "../../format/type.ts";
import { coveredMillis } from "../../time/covered.ts";
import { FEWEST_PARTS } from "../../time/interval.ts";
import { fixed, halves, type Span } from "../../time/range.ts";
import { rolloutOf } from "../../time/rollout.ts";
import { medianGap, SHORTEST_STEP, sumOf } from "../../time/series.ts";
import { resource } from "../resource.ts";
import type { By } from "../url/by.ts";
import { clock } from "../url/clock.ts";
import { exploreRoute } from "../url/router.ts";
import type { Side } from "../url/values.ts";
import { askInTurn } from "./askinturn.ts";
import { type ChangeGroup, type Changes, changesOf, type FlameNode, grouped, type PartFunctions } from "./changed.ts";
import {
  areTogether,
  type Cause,
  type ChangedLoad,
  causeOf,
  changedLoad,
  moreProfiles,
  type Window,
} from "./changedload.ts";
import { comparingOf, namedValues } from "./comparing.ts";
import type { FunctionsAnswer } from "./functions.ts";
import { isVersion, labelOrder } from "./labels.ts";
import { fetchChange } from "./loadchanges.ts";
import { placeOf } from "./place.ts";
import { formatMatcher, selector, withoutLabel, withoutValue } from "./selector.ts";
import { labels, span } from "./services.ts";
import { partsOf } from "./sideparts.ts";
import { seriesOfProfiles } from "./sideseries.ts";
import { byAge, versionLabel } from "./versionchanges.ts";

/** Processes of a side that are looked at, those with the most profiles. */
const PROCESSES = 5;
/** The server says as many functions of a window. */
const FUNCTIONS = 1_000;
/** Nodes by which changes on common stacks are put together. */
const NODES = 2_000;

/** A label that tells processes apart. */
const PROCESS = /(^|[^a-z])(pod|host|hostname|instance|process|pid)($|[^a-z])/i;

/** The labels that tell two sides apart, versions first. */
export const comparable = computed(() => {
  const found = labels.value.value ?? {};
  return labelOrder(found).filter((name) => found[name].length > 1);
});

export interface ComparedSide {
  /** "1.9.0", or a time where sides are times. */
  value: string;
  /** When its first profile was. */
  began: number;
  /** Its time, and for a value from when to when it was seen. */
  seen: Span;
  /** As /diff takes it. */
  side: Side;
  profiles: number;
  total: number;
  windows: number;
  processes: number;
}

export interface Answer {
  /** Empty where the sides are times. */
  label: string;
  /** The values of the label, in the order in which they came. */
  values: string[];
  sides: { before: ComparedSide; after: ComparedSide };
  /** How long a window is. */
  windowMillis: number;
  /** Rollouts at the ends of the sides, in which two versions ran; they count on neither side. */
  rollouts: Span[];
  /** How exactly the times are known in which the values of the label were seen. */
  stepMillis: number;
  process: string;
  changes: Changes;
  more: ChangeGroup[];
  less: ChangeGroup[];
  /** Windows count as whole minutes, hours or days, since their profiles have expired. */
  rounded: boolean;
  /** Null where both sides ran at the same time in other numbers: a load is of how many there are, then. */
  load: ChangedLoad | null;
  /** Whether both sides ran at the same time. */
  together: boolean;
  /** The side with more profiles in the same time. */
  denser: "before" | "after" | null;
  /** What has most of the change of the load. */
  cause: Cause | null;
  /** What sides of time are. */
  times: string;
}

interface Question {
  type: string;
  service: string;
  filters: string[];
  /** What a link to a comparison says. */
  range: { from: string; until: string };
  span: Span;
  window: Span | null;
  by: By;
  labels: Record<string, string[]>;
  at: number;
}

/** How many of the questions are answered. */
export const progress = signal({ done: 0, of: 0 });

export const changes = resource(
  "find what changed",
  (): Question | null => {
    const { panel, service, type, base, window, by } = exploreRoute.value;
    if (panel !== "changes" || !service || !type || placeOf("base") !== "") return null;
    const known = labels.value;
    if (known.state !== "ready" && known.state !== "error") return null;
    const range = { from: base.from, until: base.until };
    const found = known.value ?? {};
    return {
      type,
      service,
      filters: base.filters,
      range,
      span: span.value,
      window,
      by,
      labels: found,
      at: clock.value,
    };
  },
  answer,
  ({ type, service, filters, range, window, by }) => JSON.stringify([type, service, filters, range, window, by]),
  "dropped",
);

async function answer(question: Question, stopped: AbortSignal): Promise<Answer> {
  progress.value = { done: 0, of: 0 };
  const found = await sidesOf(question, stopped);
  const { label, values, process, times, step, interval, rollouts } = found;
  const byProcess = found.sides.every(({ processes }) => processes.length >= FEWEST_PARTS);
  const plans = found.sides.map((side) => partsOf(question, side, process, { byProcess, interval }));
  const asked = plans.flatMap(({ windows, processes }) => [...windows, ...processes]);
  progress.value = { done: 0, of: asked.length };
  const answers = await askInTurn(
    asked,
    async ({ query, from, until }) => {
      const limits = { sort: "total", limit: String(FUNCTIONS) };
      const part = await json<FunctionsAnswer>("functions", { query, ...fixed({ from, until }), ...limits }, stopped);
      progress.value = { ...progress.peek(), done: progress.peek().done + 1 };
      return part;
    },
    stopped,
  );
  const next = (count: number) => answers.splice(0, count);
  // Sums of an hour answer for each of its minutes: such windows are no measurements of their own.
  const rounded = answers.some((part) => part.rounded);
  const filled = (parts: FunctionsAnswer[]) => parts.filter(({ profiles }) => profiles > 0);
  const all = plans.map(({ windows, processes }) => ({
    windows: next(windows.length),
    processes: next(processes.length),
  }));
  const parts = all.map(({ windows, processes }) => ({ windows: filled(windows), processes: filled(processes) }));
  const inOrder = (i: number) =>
    all[i].windows.map(({ total, profiles }, at): Window => {
      const { from, until } = plans[i].windows[at];
      return { from, total, profiles, millis: until - from };
    });
  const both: [Window[], Window[]] = [inOrder(0), inOrder(1)];
  const [before, after] = parts.map(({ windows, processes }) => ({
    windows: windows.map(partFunctions),
    processes: processes.map(partFunctions),
  }));
  const compared = changesOf(before, after, !rounded);
  const side = (i: number): ComparedSide => ({
    ...found.sides[i],
    profiles: parts[i].windows.reduce((sum, { profiles }) => sum + profiles, 0),
    total: parts[i].windows.reduce((sum, { total }) => sum + total, 0),
    windows: parts[i].windows.length,
    processes: parts[i].processes.length,
  });
  const [more, less] = await Promise.all(
    [1, 0].map(async (i) => {
      const listed = compared.listed.filter((one) => one.after > one.before === (i === 1));
      if (listed.length < 2) return grouped(listed, []);
      const { filters } = found.sides[i].side;
      const query = question.type + selector(question.service, filters);
      const params = { query, ...fixed(found.sides[i].seen), nodes: String(NODES) };
      return grouped(listed, (await json<{ nodes: FlameNode[] }>("flamegraph", params, stopped)).nodes);
    }),
  );
  const gauge = isGauge(question.type);
  const [first, second] = found.sides.map(({ counts }) => counts);
  const steps = [first, second].map((counts) => ({ start: 0, step, points: counts, counts, profiles: 0 }));
  const denser = moreProfiles(both);
  const together = areTogether(first, second);
  const beside = !gauge && together && denser !== null;
  const load = beside ? null : changedLoad(both, gauge, compared.certain, coveredMillis(steps));
  const heads = [...more, ...less].map(({ head }) => head.name);
  return {
    label,
    values,
    times,
    load,
    together,
    denser,
    cause: load && causeOf(load, compared, heads),
    sides: { before: side(0), after: side(1) },
    rollouts,
    windowMillis: Math.max(...plans.map(({ length }) => length)),
    stepMillis: step,
    process: compared.byProcess ? process : "",
    changes: compared,
    more,
    less,
    rounded,
  };
}

interface FoundSide extends Pick<ComparedSide, "value" | "began" | "seen" | "side"> {
  /** Those with the most profiles. */
  processes: string[];
  /** Its profiles in each step of all that was looked at. */
  counts: number[];
}

/** The two sides, and the label by which they differ. */
async function sidesOf(question: Question, stopped: AbortSignal) {
  const { filters, labels: known, window, range, span: all } = question;
  const seen = window ?? all;
  const comparing = comparingOf(question.by);
  const label = comparing === "time" ? "" : (comparing?.label ?? versionLabel(known) ?? "");
  const process =
    Object.keys(known).find((name) => PROCESS.test(name) && known[name].length > 2 && name !== label) ?? "";
  const by = [label, process].filter((name) => name !== "");
  const named = namedValues(comparing);
  // Values that are named are looked for whichever of them is filtered for.
  const asked = named ? { ...question, filters: withoutValue(filters, label) } : question;
  // Of a window, and the time before it.
  const looked = window ? { from: 2 * window.from - window.until, until: window.until } : all;
  const series = await seriesOfProfiles(asked, by, looked, stopped);
  const [of, start, step] = [series?.series ?? [], series?.start ?? 0, series?.step ?? 1];
  const within = (counts: number[], { from, until }: Span) =>
    counts.map((count, i) => (start + (i + 1) * step > from && start + i * step < until ? count : 0));

  const processesOf = (time: Span, value: string | null) => {
    const counts = new Map<string, number>();
    for (const one of of) {
      const name = one.labels[process];
      if (process === "" || !name || (value !== null && (one.labels[label] ?? "") !== value)) continue;
      const count = within(one.counts, time).reduce((sum, n) => sum + n, 0);
      if (count > 0) counts.set(name, (counts.get(name) ?? 0) + count);
    }
    return [...counts]
      .sort((a, b) => b[1] - a[1])
      .slice(0, PROCESSES)
      .map(([name]) => name);
  };

  const countsOf = (time: Span, value: string | null) => {
    const own = of.filter(({ labels }) => value === null || (labels[label] ?? "") === value);
    return within(sumOf(own.map(({ counts }) => counts)), time);
  };

  const gap = medianGap(countsOf(seen, null));
  // Where each step has profiles, they come at least as often.
  const interval = gap > 1 ? Math.ceil((gap * step) / SHORTEST_STEP) * SHORTEST_STEP : SHORTEST_STEP;
  const extents = new Map<string, Extent>();
  if (label !== "")
    for (const one of of) {
      const counts = within(one.counts, seen);
      const [first, last] = [counts.findIndex((n) => n > 0), counts.findLastIndex((n) => n > 0)];
      if (first < 0) continue;
      const value = one.labels[label] ?? "";
      const before = extents.get(value);
      const from = Math.max(seen.from, start + first * step);
      // The last profile stands for the time until the next would come.
      const until = Math.min(seen.until, start + (last + medianGap(counts)) * step);
      const end = Math.min(seen.until, start + (last + 1) * step);
      extents.set(value, {
        from: Math.min(before?.from ?? from, from),
        until: Math.max(before?.until ?? until, until),
        end: Math.max(before?.end ?? end, end),
      });
    }
  const values = [...extents].sort(byAge).map(([value]) => value);
  const kept = withoutLabel(filters, label);
  const chosen = named ?? values.slice(-2);
  if (label !== "" && chosen.length === 2) {
    const alone = isVersion(label) ? withoutRollouts(values, extents, step) : { times: extents, rollouts: [] };
    const rollouts = alone.rollouts.filter(({ versions }) => versions.some((value) => chosen.includes(value)));
    const sides = chosen.map((value): FoundSide => {
      const time = alone.times.get(value) ?? seen;
      const own = [...kept, formatMatcher({ name: label, op: "=", value })];
      const shown = time !== extents.get(value) ? fixed(time) : window ? fixed(window) : range;
      const began = extents.get(value)?.from ?? time.from;
      const [processes, counts] = [processesOf(time, value), countsOf(time, value)];
      return { value, began, seen: time, side: { ...shown, filters: own }, processes, counts };
    });
    const times = window ? BEFORE_WINDOW : WHEN_CHANGED;
    return { label, values, sides, process, times, step, interval, rollouts: rollouts.map(({ time }) => time) };
  }
  const { times, spans } = await timesOf(question, stopped);
  const sides = spans.map(
    (time): FoundSide => ({
      value: "",
      began: time.from,
      seen: time,
      side: { ...fixed(time), filters },
      processes: processesOf(time, null),
      counts: countsOf(time, null),
    }),
  );
  return { label: "", values, sides, process, times, step, interval, rollouts: [] };
}

/** When a value was seen, and when its last step with profiles ended. */
interface Extent extends Span {
  end: number;
}

/** When each of several versions, in order, ran alone, and the rollouts from each to the next. */
function withoutRollouts(values: string[], extents: Map<string, Extent>, step: number) {
  const times = new Map(extents);
  const rollouts: { versions: string[]; time: Span }[] = [];
  for (const [i, after] of values.slice(1).entries()) {
    const before = values[i];
    const [first, second] = [before, after].map((value) => times.get(value) as Extent);
    const time = rolloutOf({ from: first.from, until: first.end }, second);
    if (!time) continue;
    times.set(before, { from: first.from, until: time.from, end: time.from });
    times.set(after, { ...second, from: time.until });
    // Any deploy may have a step or two with profiles of both.
    if (time.until - time.from > 2 * step) rollouts.push({ versions: [before, after], time });
  }
  return { times, rollouts };
}

/** The choice beside versions: the moment is looked for once this is chosen. */
const WHEN_CHANGED = "when the load changed";
const HALVES = "halves of the range";
const BEFORE_WINDOW = "selected time ↔ before";

/**
 * A window and as much time before it. Without one, where the load changed and what was before in the range, else halves of the
 * time with profiles.
 */
async function timesOf({ type, service, filters, span, window }: Question, stopped: AbortSignal) {
  if (window) {
    const before = { from: 2 * window.from - window.until, until: window.from };
    return { times: BEFORE_WINDOW, spans: [before, window] };
  }
  const { change, profiled } = await fetchChange(type, service, filters, span, stopped);
  if (!change || change.kind === "trend") {
    const isAll = profiled.from === span.from && profiled.until === span.until;
    return { times: isAll ? HALVES : "halves of the time with profiles", spans: halves(profiled) };
  }
  const { kind, from, until, since, beforeUntil } = change;
  const before = { from: kind === "spike" ? Math.max(since, span.from) : profiled.from, until: beforeUntil };
  return {
    times: kind === "spike" ? "spike ↔ before" : "since the load changed ↔ before",
    spans: [before, { from, until }],
  };
}

function partFunctions({ total, functions, coverage }: FunctionsAnswer): PartFunctions {
  return {
    total,
    complete: coverage.shown >= coverage.functions,
    functions: new Map(functions.map((one) => [one.name, one])),
  };
}
