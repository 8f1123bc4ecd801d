/** A rule's values in the unit of an alert's threshold and, for a level, averaged as the server does. */
import { isGauge } from "../../format/type.ts";
import type { Span } from "../../time/range.ts";
import { type AlertKind, isLevel, MINUTE, unitOfKind } from "./alert.ts";
import type { RulePreview, RuleSeries } from "./recordingrules.ts";

export interface AlertLoads extends RulePreview {
  /** Set if each point is the highest or lowest average over so many minutes that ends within its step. */
  averaged?: { minutes: number; extreme: "highest" | "lowest" };
}

/** After the end of a minute its profiles still arrive for so long. */
const DELAY = 2 * MINUTE;

/** Minutes before a window in which a series needs profiles to be too low. */
const SEEN_WITHIN = 60;

/** Minutes of a point in the chart of a day. */
const SHOWN = 5;

/** The number of points of which averages are made; undefined where the chart's own number will do. */
export function previewPoints(kind: AlertKind, span: Span): number | undefined {
  // Of so many points, each is a minute long.
  return isLevel(kind) ? Math.floor((span.until - span.from) / MINUTE) + 1 : undefined;
}

/** The values that an alert compares with its threshold; the plain loads of each step where it isn't about them. */
export function alertLoads(
  { kind, minutes }: { kind: AlertKind; minutes: number },
  preview: RulePreview,
  type: string,
  span: Span,
): AlertLoads {
  // While the points of another kind are shown, there are no minutes.
  if (!isLevel(kind) || preview.step !== MINUTE) return loadsOf(preview, type, span);
  const isBelow = kind === "below";
  const complete = Math.floor((span.until - DELAY - preview.start) / MINUTE);
  const load = (sum: number) => (isGauge(type) ? sum : perSecond(sum, preview.unit, minutes * MINUTE));
  const shown = (one: RuleSeries) => {
    const points = one.points.slice(0, Math.max(0, complete));
    const windows = windowsOf(points, minutes, isGauge(type));
    const watched = isBelow ? withoutBeginning(windows, points, minutes) : windows;
    const loads = watched.map((window) => (window === null ? null : load(window)));
    return { ...one, points: extremesOf(loads, isBelow ? Math.min : Math.max) };
  };
  return {
    ...preview,
    unit: unitOfKind("above", type),
    step: SHOWN * MINUTE,
    series: preview.series.map(shown),
    averaged: { minutes, extreme: isBelow ? "lowest" : "highest" },
  };
}

/** A sum over so many milliseconds as a load. */
function perSecond(sum: number, unit: string, millis: number): number {
  return (sum * (unit === "nanoseconds" ? 1e-6 : 1000)) / millis;
}

/** A rule's values per second for sums, CPU time in cores. */
function loadsOf(preview: RulePreview, type: string, span: Span): AlertLoads {
  const unit = unitOfKind("above", type);
  if (isGauge(type)) return { ...preview, unit };
  const { start, step, series } = preview;
  const load = (value: number | null, index: number) => {
    const from = start + index * step;
    const covered = Math.min(from + step, span.until) - from;
    // The last step isn't over. Of a small part of one, one profile more or less is a spike.
    return value === null || covered < step / 2 ? null : perSecond(value, preview.unit, covered);
  };
  return { ...preview, unit, series: series.map((one) => ({ ...one, points: one.points.map(load) })) };
}

/**
 * For each minute, what the window up to it has in all, or for a gauge the mean of its minutes' averages: the server
 * weighs minutes by their snapshots. As there, a minute without profiles counts as 0 in a sum, and a window without any has
 * no value; nor has one that began before the first minute.
 */
function windowsOf(points: (number | null)[], minutes: number, isGauge: boolean): (number | null)[] {
  let [sum, count] = [0, 0];
  return points.map((point, i) => {
    const gone = points[i - minutes] ?? null;
    sum += (point ?? 0) - (gone ?? 0);
    count += Number(point !== null) - Number(gone !== null);
    if (count === 0) sum = 0;
    if (count === 0 || i + 1 < minutes) return null;
    return isGauge ? sum / count : sum;
  });
}

/** Those that can be too low: of a series that has just begun, none is. */
function withoutBeginning(windows: (number | null)[], points: (number | null)[], minutes: number) {
  let seen = Number.NEGATIVE_INFINITY;
  return windows.map((window, i) => {
    if ((points[i - minutes] ?? null) !== null) seen = i - minutes;
    return seen > i - minutes - SEEN_WITHIN ? window : null;
  });
}

function extremesOf(loads: (number | null)[], extreme: (...values: number[]) => number) {
  return Array.from({ length: Math.ceil(loads.length / SHOWN) }, (_, i) => {
    const values = loads.slice(i * SHOWN, (i + 1) * SHOWN).filter((value) => value !== null);
    return values.length === 0 ? null : extreme(...values);
  });
}
