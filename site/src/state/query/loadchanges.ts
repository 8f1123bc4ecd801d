/** What changed in the load of each service of the front page, within the range that is shown. */
import { effect } from "@preact/signals";
import { fetchLabels, fetchTimeline, type TimelineAnswer } from "../../api.ts";
import { isGauge } from "../../format/type.ts";
import type { LoadChange } from "../../time/changeratio.ts";
import { loadChange, type VersionSteps } from "../../time/loadchange.ts";
import type { LoadSeries } from "../../time/loadsteps.ts";
import type { Span } from "../../time/range.ts";
import { isTimed, pointsFor, SHORTEST_STEP, seriesOf, sum, sumOf } from "../../time/series.ts";
import { resource } from "../resource.ts";
import { clock } from "../url/clock.ts";
import { homeRoute, route } from "../url/router.ts";
import { askInTurn } from "./askinturn.ts";
import { fetchSeries, type SeriesAnswer } from "./labelseries.ts";
import { placeOf } from "./place.ts";
import { selector } from "./selector.ts";
import { changeKey, looking, type NewVersion, type ServiceChange, serviceChanges } from "./servicechanges.ts";
import { commonType, shownType } from "./serviceorder.ts";
import { services, span } from "./services.ts";
import { beginnings, othersOf, versionLabel, versionLabels } from "./versionchanges.ts";

/** Steps of 30 s in six hours, of two minutes in a day: a spike of minutes is seen. */
const POINTS = 720;
/** Where steps are not the shortest, a spike is looked at again, in this much time on each side of it. */
const AROUND_MILLIS = 30 * 60_000;
/** Services and versions that are looked at, the largest. */
const MOST_SERIES = 500;
/** Types that are looked at, the chosen one and those of most services; those that read alike are several. */
const MOST_TYPES = 8;
/** Labels of versions that are told apart: services differ in how they call it. */
const MOST_LABELS = 3;

const found = resource("find load changes", question, answer, ({ range }) => JSON.stringify(range), "dropped");

effect(() => {
  serviceChanges.value = found.value.value ?? {};
  looking.value = found.value.state === "loading";
});

interface Question extends Span {
  types: string[];
  /** As the address has it: a change of one range is none of another. */
  range: [string, string];
  at: number;
}

function question(): Question | null {
  const { type, base } = homeRoute.value;
  const found = services.value.value ?? [];
  if (route.value.page !== "home" || placeOf("base") !== "" || found.length === 0) return null;
  const chosen = type || commonType(found);
  const counts = new Map<string, number>();
  for (const service of found) {
    const id = shownType(service, chosen)?.id;
    if (id) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  const first = (id: string) => Number(id === chosen);
  const types = [...counts].sort((a, b) => first(b[0]) - first(a[0]) || b[1] - a[1]).map(([id]) => id);
  return { types: types.slice(0, MOST_TYPES), range: [base.from, base.until], ...span.value, at: clock.value };
}

async function answer(
  { types, from, until }: Question,
  stopped: AbortSignal,
): Promise<Record<string, ServiceChange | NewVersion>> {
  const range = { from, until };
  const answers = await askInTurn(types, (type) => changesOfType(type, `${type}{}`, range, stopped), stopped);
  const found = answers.flat();
  const changes = await askInTurn(found, ([service, change]) => placed(service, [], change, range, stopped), stopped);
  return Object.fromEntries(found.map(([service, { type }], i) => [changeKey(service, type), changes[i]]));
}

/** The change of one type of a service, or its newest version; null where nothing stands out. */
export async function fetchTypeChange(
  type: string,
  service: string,
  filters: string[],
  range: Span,
  stopped: AbortSignal,
): Promise<ServiceChange | NewVersion | null> {
  const [found] = await changesOfType(type, type + selector(service, filters), range, stopped);
  return found ? placed(service, filters, found[1], range, stopped) : null;
}

async function changesOfType(
  type: string,
  query: string,
  range: Span,
  stopped: AbortSignal,
): Promise<[string, ServiceChange | NewVersion][]> {
  const labels = await fetchLabels("", query, range, stopped);
  const versions = versionLabels(labels).slice(0, MOST_LABELS);
  const ask = (range: Span, by: string[]) =>
    fetchSeries(query, range, pointsFor(range, POINTS), by, MOST_SERIES, stopped);
  const all = await ask(range, ["service_name", ...versions]);
  const finer = profiledPart({ ...all, counts: sumOf(all.series.map(({ counts }) => counts)) }, range);
  let series = finer ? await ask(finer, ["service_name", ...versions]) : all;
  // The smallest series are left out, which a new version is at first: without it a rollout would be a drop.
  if (series.coverage.shown < series.coverage.series) series = await ask(finer ?? range, ["service_name"]);
  return changesIn(type, series);
}

interface Counted {
  start: number;
  step: number;
  counts: number[];
  /** Where steps are merged: the time of the first profiles of each. */
  firsts?: number[];
}

/** The part of a range that has profiles, where that is so small that its steps are shorter, and show more; else null. */
export function profiledPart(counted: Counted, range: Span): Span | null {
  const length = range.until - range.from;
  if (length <= POINTS * SHORTEST_STEP) return null;
  const profiled = profiledSpan(counted, range);
  return 2 * (profiled.until - profiled.from) < length ? profiled : null;
}

/** From the first step with profiles to the last, within a range. */
function profiledSpan({ start, step, counts, firsts }: Counted, range: Span): Span {
  const [first, last] = [counts.findIndex((count) => count > 0), counts.findLastIndex((count) => count > 0)];
  if (first < 0) return range;
  const begin = (at: number) => firsts?.[at] ?? start + at * step;
  return { from: Math.max(range.from, begin(first)), until: Math.min(range.until, begin(last) + step) };
}

/** A spike where short steps place it: long ones begin before it, and end after it. Other changes as they are. */
async function placed<Change extends ServiceChange | NewVersion>(
  service: string,
  filters: string[],
  change: Change,
  range: Span,
  stopped: AbortSignal,
): Promise<Change> {
  const isLong = change.kind === "spike" && change.until - change.from > AROUND_MILLIS;
  if (change.kind !== "spike" || isLong || change.step <= SHORTEST_STEP) return change;
  const from = Math.max(change.from - AROUND_MILLIS, range.from);
  const until = Math.min(change.until + AROUND_MILLIS, range.until);
  try {
    const series = await fetchService(change.type, service, filters, { from, until }, stopped);
    const spike = loadChange(series, []);
    if (spike?.kind !== "spike") return change;
    const { rest, extent } = spike;
    return { ...change, ...spike, rest, extent, versions: change.versions, step: series.step };
  } catch (failure) {
    // The place by long steps is better than none.
    if (stopped.aborted) throw failure;
    return change;
  }
}

/** The change of one service, null where nothing stands out, the part of the range that has profiles, and how long one is. */
export async function fetchChange(
  type: string,
  service: string,
  filters: string[],
  range: Span,
  stopped: AbortSignal,
): Promise<{ change: ServiceChange | null; profiled: Span; duration: number }> {
  const [series, change] = await Promise.all([
    fetchService(type, service, filters, range, stopped),
    fetchTypeChange(type, service, filters, range, stopped),
  ]);
  const { duration } = series;
  return { change: change?.kind === "version" ? null : change, profiled: profiledSpan(series, range), duration };
}

async function fetchService(type: string, service: string, filters: string[], range: Span, stopped: AbortSignal) {
  const query = type + selector(service, filters);
  const timeline = await fetchTimeline("", query, range, pointsFor(range, POINTS), stopped);
  return seriesForChanges(timeline, isGauge(type));
}

function seriesForChanges(timeline: TimelineAnswer, gauge: boolean): LoadSeries {
  // Of a gauge, each profile says all.
  const series = { ...seriesOf(timeline, gauge), duration: gauge ? 0 : timeline.duration };
  const firsts = series.counts.map((_, at) => series.start + at * series.step);
  // What profiles of a known length measured is in the step in which they did.
  if (!gauge && isTimed(timeline)) return { ...series, firsts };
  for (const [i, count] of [...timeline.counts.entries()].reverse()) {
    const time = timeline.start + i * timeline.step;
    if (count > 0) firsts[Math.floor((time - series.start) / series.step)] = time;
  }
  return { ...series, firsts };
}

/** The changes of each service, or its newest version, of series by service and versions. */
export function changesIn(type: string, { start, step, series }: SeriesAnswer): [string, ServiceChange | NewVersion][] {
  const gauge = isGauge(type);
  const byService = new Map<string, SeriesAnswer["series"]>();
  for (const one of series) {
    const name = one.labels.service_name ?? "";
    byService.set(name, [...(byService.get(name) ?? []), one]);
  }
  return [...byService].flatMap(([service, members]): [string, ServiceChange | NewVersion][] => {
    const [points, all] = [sumOf(members.map((one) => one.points)), sumOf(members.map((one) => one.counts))];
    // Versions follow each other, or run all the time.
    const covered = sumOf(members.map((one) => one.covered)).map((millis) => Math.min(millis, step));
    const [total, profiles] = [points, all].map(sum);
    const durations = sum(members.map((one) => one.duration * one.profiles));
    const duration = durations / Math.max(1, sum(members.map((one) => one.profiles)));
    const whole = seriesForChanges({ start, step, points, counts: all, covered, total, profiles, duration }, gauge);
    const label = versionLabel(valuesOf(members.map((one) => one.labels))) ?? "";
    const stepOf = (time: number) => Math.floor((time - whole.start) / whole.step);
    const versions = new Map<string, number[]>();
    for (const { labels, counts } of label === "" ? [] : members) {
      const value = labels[label] ?? "";
      versions.set(value, sumOf([versions.get(value) ?? [], counts]));
    }
    const seen = [...versions].flatMap(([version, counts]): VersionSteps[] => {
      const begins = beginnings(counts, othersOf(counts, all));
      return begins.map((first, i) => {
        const end = begins[i + 1] ?? counts.length;
        const [time, last] = [first, counts.slice(0, end).findLastIndex((count) => count > 0)].map(
          (i) => start + i * step,
        );
        return { version, time, step: stepOf(time), last: stepOf(last) };
      });
    });
    const change = loadChange(whole, seen);
    if (change) {
      const versions = change.versions ?? versionsIn(change, seen, whole);
      return [[service, { ...change, versions, type, label, step: whole.step }]];
    }
    const [previous, newest] = [...seen].sort((a, b) => a.time - b.time).slice(-2);
    // Of versions that were there from the first none is new.
    if (!newest || newest.step - whole.counts.findIndex((count) => count > 0) < 2) return [];
    const last = whole.counts.findLastIndex((count) => count > 0);
    // It may have been rolled back.
    if (newest.last < last - 1 || previous.version === newest.version) return [];
    // One that is back isn't new.
    if (seen.filter(({ version }) => version === newest.version).length > 1) return [];
    const both = { before: previous.version, after: newest.version };
    return [[service, { kind: "version", from: newest.time, versions: both, type, label, step }]];
  });
}

/** The version that ran as long as a spike was, and the one before it; null if there is none. */
function versionsIn({ kind, from, until }: LoadChange, seen: VersionSteps[], { start, step }: LoadSeries) {
  const [first, last] = [from, until].map((time) => (time - start) / step);
  const isNear = (a: number, b: number) => Math.abs(a - b) <= 1;
  const inOrder = [...seen].sort((a, b) => a.time - b.time);
  const at = inOrder.findIndex((one) => isNear(one.step, first) && isNear(one.last, last - 1));
  if (kind !== "spike" || at < 1) return null;
  return { before: inOrder[at - 1].version, after: inOrder[at].version };
}

function valuesOf(labels: Record<string, string>[]): Record<string, string[]> {
  const values: Record<string, string[]> = {};
  for (const one of labels)
    for (const [name, value] of Object.entries(one)) values[name] = [...new Set([...(values[name] ?? []), value])];
  return values;
}
