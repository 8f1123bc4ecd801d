/** The two sides that "What changed" compares: two values of a label, or two times. */
import type { Timeline } from "../../api.ts";
import { longestPause } from "../../time/pauses.ts";
import { fixed, halves, type Span } from "../../time/range.ts";
import { rolloutOf } from "../../time/rollout.ts";
import { medianGap, SHORTEST_STEP, sum, sumOf } from "../../time/series.ts";
import type { By } from "../url/by.ts";
import type { Side } from "../url/values.ts";
import { otherLabels, sumsByValue, type ValueSums } from "./changedvalue.ts";
import { comparingOf, namedValues } from "./comparing.ts";
import { isVersion } from "./labels.ts";
import { fetchChange } from "./loadchanges.ts";
import { formatMatcher, withoutLabel, withoutValue } from "./selector.ts";
import { coveredOfSide } from "./sidecovered.ts";
import { type SeriesByLabels, seriesOfProfiles } from "./sideseries.ts";
import { byAge, versionLabel } from "./versionchanges.ts";

/** Processes of a side that are looked at, those with the most profiles. */
const PROCESSES = 5;

/** A label that tells processes apart. */
const PROCESS = /(^|[^a-z])(pod|host|hostname|instance|process|pid)($|[^a-z])/i;

/** What is asked: whose profiles, of which time, and what is compared. */
export interface Question {
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

export interface FoundSide {
  /** "1.9.0", or a time where sides are times. */
  value: string;
  /** When its first profile was. */
  began: number;
  /** Its time, and for a value from when to when it was seen. */
  seen: Span;
  /** From when to when the profiles begin that are mostly of that time, where that matters. */
  begins: Span;
  /** As /diff takes it. */
  side: Side;
  /** Those with the most profiles. */
  processes: string[];
  /** What it has in each step of all that was looked at. */
  steps: Timeline;
  /** What each value of other labels has of it. */
  sums: ValueSums;
}

/** Both sides, and what they are. */
export interface FoundSides {
  /** Empty where the sides are times. */
  label: string;
  /** The values of the label, in the order in which they came. */
  values: string[];
  sides: FoundSide[];
  /** The label that tells processes apart; empty if there is none. */
  process: string;
  /** What sides of time are, and whether they are only halves. */
  times: string;
  isHalves: boolean;
  /** Whether they are divided where the load clearly changed. */
  isChange: boolean;
  /** When the first step begins, and how many milliseconds one has. */
  start: number;
  step: number;
  /** How often profiles come, in milliseconds. */
  interval: number;
  /** For how long two times have no profiles in between, in milliseconds; 0 where the usual time between them explains it. */
  pause: number;
  /** Rollouts at the ends of the sides, in which two versions ran. */
  rollouts: Span[];
}

/** The two sides, and the label by which they differ. */
export async function sidesOf(question: Question, stopped: AbortSignal): Promise<FoundSides> {
  const { filters, labels: known, window, span: all } = question;
  const comparing = comparingOf(question.by);
  const label = comparing === "time" ? "" : (comparing?.label ?? versionLabel(known) ?? "");
  const process =
    Object.keys(known).find((name) => PROCESS.test(name) && known[name].length > 2 && name !== label) ?? "";
  const named = namedValues(comparing);
  // Values that are named are looked for whichever of them is filtered for.
  const asked = named ? { ...question, filters: withoutValue(filters, label) } : question;
  const others = otherLabels(known, label);
  const by = [label, process, ...others].filter((name, i, names) => name !== "" && names.indexOf(name) === i);
  const seriesIn = async (time: Span) =>
    new SeriesOfSides(await seriesOfProfiles(asked, by, time, stopped), label, process, others);
  if (label === "") return sidesOfTimes(question, process, seriesIn, stopped);

  // Of a window, and the time before it.
  const series = await seriesIn(window ? { from: 2 * window.from - window.until, until: window.until } : all);
  const seen = window ?? all;
  const extents = series.extents(seen);
  const values = [...extents].sort(byAge).map(([value]) => value);
  const chosen = named ?? values.slice(-2);
  if (chosen.length < 2) return { ...(await sidesOfTimes(question, process, seriesIn, stopped)), values };
  return {
    label,
    values,
    process,
    start: series.start,
    step: series.step,
    interval: series.intervalIn(seen),
    pause: 0,
    times: window ? BEFORE_WINDOW : WHEN_CHANGED,
    isHalves: false,
    isChange: false,
    ...sidesOfValues(question, { label, values, chosen, extents }, series),
  };
}

/** The sides of two times, of which no others are asked: steps are as short as they can be. */
async function sidesOfTimes(
  question: Question,
  process: string,
  seriesIn: (time: Span) => Promise<SeriesOfSides>,
  stopped: AbortSignal,
): Promise<FoundSides> {
  const { times, spans, begins = spans, isHalves, isChange, rollouts = [] } = await timesOf(question, stopped);
  const whole = { from: spans[0].from, until: spans[1].until };
  const series = await seriesIn(whole);
  const sides = spans.map(
    (time, i): FoundSide => ({
      value: "",
      began: time.from,
      seen: time,
      begins: begins[i],
      side: { ...fixed(begins[i]), filters: question.filters },
      ...series.of(time, null),
    }),
  );
  const { start, step } = series;
  const interval = series.intervalIn(whole);
  const pause = longestPause({ ...series.of(whole, null).steps, duration: interval });
  return { label: "", values: [], process, start, step, interval, pause, times, isHalves, isChange, sides, rollouts };
}

/** The sides of two values of a label, and the rollouts that count on neither. */
function sidesOfValues(
  { filters, window, range, span }: Question,
  {
    label,
    values,
    chosen,
    extents,
  }: { label: string; values: string[]; chosen: string[]; extents: Map<string, Extent> },
  series: SeriesOfSides,
): Pick<FoundSides, "sides" | "rollouts"> {
  const kept = withoutLabel(filters, label);
  const alone = isVersion(label) ? withoutRollouts(values, extents, series.step) : { times: extents, rollouts: [] };
  const rollouts = alone.rollouts.filter(({ versions }) => versions.some((value) => chosen.includes(value)));
  const sides = chosen.map((value): FoundSide => {
    const time = alone.times.get(value) ?? window ?? span;
    const own = [...kept, formatMatcher({ name: label, op: "=", value })];
    const shown = time !== extents.get(value) ? fixed(time) : window ? fixed(window) : range;
    const began = extents.get(value)?.from ?? time.from;
    return { value, began, seen: time, begins: time, side: { ...shown, filters: own }, ...series.of(time, value) };
  });
  return { sides, rollouts: rollouts.map(({ time }) => time) };
}

/** When a value was seen, and when its last step with profiles ended. */
interface Extent extends Span {
  end: number;
}

/** Profiles in steps by the labels that tell sides, processes and other values apart. */
class SeriesOfSides {
  readonly start: number;
  readonly step: number;
  private readonly all: SeriesByLabels["series"];
  /** How much of each step all of them cover. */
  private readonly covered: number[];
  /** Labels whose values are told apart. */
  private readonly others: string[];

  constructor(
    { series, start, step, covered, by }: SeriesByLabels,
    private readonly label: string,
    private readonly process: string,
    others: string[],
  ) {
    this.others = others.filter((name) => by.includes(name));
    this.all = series;
    this.start = start;
    this.step = step;
    this.covered = covered;
  }

  /** What a side has in a time: of a value, or of all with null. */
  of(time: Span, value: string | null): Pick<FoundSide, "processes" | "steps" | "sums"> {
    return {
      processes: this.processesOf(time, value),
      steps: this.stepsOf(time, value),
      sums: sumsByValue(
        this.own(value).map(({ labels, points }) => ({ labels, total: sum(this.within(points, time)) })),
        this.others,
      ),
    };
  }

  private stepsOf(time: Span, value: string | null): Timeline {
    const own = this.own(value);
    const points = this.within(sumOf(own.map(({ points }) => points)), time);
    const counts = this.countsOf(time, value);
    const others = this.all.filter((one) => !own.includes(one));
    const covered = coveredOfSide(own, others, this.covered, points);
    const { start, step } = this;
    const [total, profiles] = [sum(points), sum(counts)];
    return { start, step, points, counts, covered: this.within(covered, time), total, profiles };
  }

  countsOf(time: Span, value: string | null): number[] {
    return this.within(sumOf(this.own(value).map(({ counts }) => counts)), time);
  }

  /** How often profiles come in a time, in milliseconds: where each step has some, at least as often. */
  intervalIn(time: Span): number {
    const gap = medianGap(this.countsOf(time, null));
    return gap > 1 ? Math.ceil((gap * this.step) / SHORTEST_STEP) * SHORTEST_STEP : SHORTEST_STEP;
  }

  /** When each value of the label was seen. */
  extents(seen: Span): Map<string, Extent> {
    const extents = new Map<string, Extent>();
    for (const value of new Set(this.all.map(({ labels }) => labels[this.label] ?? ""))) {
      const counts = this.countsOf(seen, value);
      const [first, last] = [counts.findIndex((n) => n > 0), counts.findLastIndex((n) => n > 0)];
      if (first < 0) continue;
      const timeOf = (at: number) => Math.min(seen.until, this.start + at * this.step);
      // The last profile stands for the time until the next would come.
      const until = timeOf(last + medianGap(counts));
      extents.set(value, { from: Math.max(seen.from, timeOf(first)), until, end: timeOf(last + 1) });
    }
    return extents;
  }

  private processesOf(time: Span, value: string | null): string[] {
    if (this.process === "") return [];
    const counts = new Map<string, number>();
    for (const one of this.own(value)) {
      const name = one.labels[this.process];
      const count = sum(this.within(one.counts, time));
      if (name && count > 0) counts.set(name, (counts.get(name) ?? 0) + count);
    }
    return [...counts]
      .sort((a, b) => b[1] - a[1])
      .slice(0, PROCESSES)
      .map(([name]) => name);
  }

  private own(value: string | null) {
    return this.all.filter(({ labels }) => value === null || (labels[this.label] ?? "") === value);
  }

  /** The numbers of the steps that touch a time, 0 for the others. */
  private within(numbers: number[], { from, until }: Span): number[] {
    const begin = (i: number) => this.start + i * this.step;
    return numbers.map((n, i) => (begin(i + 1) > from && begin(i) < until ? n : 0));
  }
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
    if (isLong(time, step)) rollouts.push({ versions: [before, after], time });
  }
  return { times, rollouts };
}

/** Any deploy may have a step or two with profiles of both versions: a longer rollout is told. */
const isLong = ({ from, until }: Span, step: number) => until - from > 2 * step;

/** The choice beside versions: the moment is looked for once this is chosen. */
const WHEN_CHANGED = "when the load changed";
const HALVES = "halves of the range";
const BEFORE_WINDOW = "selected time ↔ before";

interface Times {
  times: string;
  /** The time before, and the time after. */
  spans: Span[];
  begins?: Span[];
  isHalves: boolean;
  isChange: boolean;
  rollouts?: Span[];
}

/**
 * A window and as much time before it. Without one, where the load changed and what was before in the range, else halves of the
 * time with profiles.
 */
async function timesOf({ type, service, filters, span, window }: Question, stopped: AbortSignal): Promise<Times> {
  if (window) {
    const before = { from: 2 * window.from - window.until, until: window.from };
    return { times: BEFORE_WINDOW, spans: [before, window], isHalves: false, isChange: false };
  }
  const { change, profiled, duration } = await fetchChange(type, service, filters, span, stopped);
  if (!change || change.kind === "trend") {
    const isAll = profiled.from === span.from && profiled.until === span.until;
    const times = isAll ? HALVES : "halves of the time with profiles";
    return { times, spans: halves(profiled), isHalves: !change, isChange: false };
  }
  const { kind, until, since, beforeUntil, extent, versions, label, step } = change;
  const whole = { from: profiled.from, until: beforeUntil };
  const before = kind === "level" ? whole : { ...whole, from: Math.max(since, span.from) };
  const passing = change.after > change.before ? "spike" : "low";
  const name = versions ? `${label} ${versions.after || "not set"}` : kind === "spike" ? passing : "since the change";
  const rollout = { from: change.from, until: change.alone ?? change.from };
  const isLeftOut = isLong(rollout, step);
  const from = isLeftOut ? rollout.until : change.from;
  const goesOn = kind === "level" || (kind === "deploy" && until + duration >= profiled.until);
  return {
    times: `${name} ↔ before`,
    spans: [before, { from, until }],
    begins: extent
      ? beginsOf(before, extent, duration)
      : [withoutLast(before, duration), goesOn ? { from, until } : withoutLast({ from, until }, duration)],
    isHalves: false,
    isChange: true,
    rollouts: isLeftOut ? [rollout] : [],
  };
}

/** Profiles are chosen by when they begin: the last of a time before a change may reach into it. */
function withoutLast({ from, until }: Span, duration: number): Span {
  return { from, until: Math.max(until - duration, (from + until) / 2) };
}

/** Profiles are chosen by when they begin: of a short time, those whose middle is in it, and of the time before as many. */
function beginsOf(before: Span, extent: Span, duration: number): Span[] {
  const earlier = ({ from, until }: Span) => ({ from: from - duration / 2, until: until - duration / 2 });
  const length = Math.max(before.until - before.from, extent.until - extent.from);
  return [earlier({ from: before.until - length, until: before.until }), earlier(extent)];
}
