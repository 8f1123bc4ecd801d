/** An alert while it is made or edited: what is typed, and what is proposed until then. */
import { A_SECOND } from "../../core/divided.ts";
import { isGauge } from "../../format/type.ts";
import type { Span } from "../../time/range.ts";
import { type Alert, type AlertKind, isLevel, isWhole, MINUTE, proposedAlertName, unitOfKind } from "./alert.ts";
import { queryParts, type RecordingRule } from "./recordingrule.ts";
import type { RulePreview } from "./recordingrules.ts";

export interface AlertDraft {
  kind: AlertKind;
  /** Null while the proposed threshold is used. */
  typed: string | null;
  /** The label of the unit in which it is typed; null for the one that suits the value. */
  typedUnit: string | null;
  minutes: number;
  forMinutes: number;
  versionLabel: string;
  receivers: string[];
  /** Null while the proposed name is used. */
  name: string | null;
}

export const KINDS: AlertKind[] = ["above", "below", "grew", "new_function", "silent"];

/** A deploy shows within minutes; shares vary more, and profiles of some services come rarely. */
const WINDOWS: Record<AlertKind, number> = { above: 5, below: 5, grew: 30, new_function: 30, silent: 15 };

export function newDraft(kind: AlertKind = "above"): AlertDraft {
  return {
    kind,
    typed: null,
    typedUnit: null,
    minutes: WINDOWS[kind],
    forMinutes: 1,
    versionLabel: "",
    receivers: [],
    name: null,
  };
}

export function draftOf(alert: Alert, rule: RecordingRule): AlertDraft {
  const { kind, threshold, minutes, for_minutes, version_label, receivers, name } = alert;
  const { label, factor } = unitFor(threshold, typedUnits(unitOfRule(kind, rule)));
  return {
    kind,
    typed: digits(threshold / factor),
    typedUnit: label,
    minutes,
    forMinutes: for_minutes,
    versionLabel: version_label,
    receivers,
    // A proposed name goes with what it says.
    name: name === proposedAlertName(alert, rule) ? null : name,
  };
}

const unitOfRule = (kind: AlertKind, { query }: RecordingRule) => unitOfKind(kind, queryParts(query).type);

/** The same alert of another kind, with what is usual for that. The name stays only where someone has typed it. */
export function withKind(draft: AlertDraft, kind: AlertKind): AlertDraft {
  const { receivers, name } = draft;
  return { ...newDraft(kind), receivers, name };
}

/** Why a kind can't watch a rule; empty where it can. */
export function refusedKind(kind: AlertKind, rule: RecordingRule): string {
  const isPossible = kind !== "new_function" || (isWhole(rule) && rule.group_by.length === 0);
  return isPossible ? "" : "Only for rules of entire profiles, without a function and without labels to group by";
}

/** What is shown where the threshold is typed, and the alert that is meant. */
export interface Drafted {
  alert: Alert;
  /** The typed threshold, or the proposed one; empty while none is known. */
  text: string;
  units: TypedUnit[];
  typedUnit: TypedUnit;
}

/** The alert of a draft on a rule with these loads. Its threshold is NaN while it is unknown. */
export function drafted(
  draft: AlertDraft,
  rule: RecordingRule,
  stored: Alert | null,
  loads: RulePreview | undefined,
): Drafted {
  const { kind, typed } = draft;
  const units = typedUnits(unitOfRule(kind, rule));
  const proposed = proposedThreshold(draft, loads);
  const typedUnit = units.find(({ label }) => label === draft.typedUnit) ?? unitFor(proposed ?? 0, units);
  const text = typed ?? (proposed === null ? "" : digits(twoDigits(proposed / typedUnit.factor)));
  const threshold = text.trim() === "" ? Number.NaN : Number(text) * typedUnit.factor;
  const alert: Alert = {
    id: stored?.id ?? "",
    name: "",
    rule: rule.id,
    kind,
    threshold,
    minutes: draft.minutes,
    for_minutes: isLevel(kind) ? draft.forMinutes : 1,
    version_label: kind === "grew" ? draft.versionLabel : "",
    receivers: draft.receivers,
    silenced_until: stored?.silenced_until ?? 0,
    generation: stored?.generation ?? 0,
  };
  alert.name = draft.name ?? proposedAlertName(alert, rule);
  return { alert, text, units, typedUnit };
}

/** A rule's values as an alert sees them: per second for sums, CPU time in cores. */
export function loadsOf(preview: RulePreview, type: string, span: Span): RulePreview {
  const unit = unitOfKind("above", type);
  if (isGauge(type)) return { ...preview, unit };
  const { start, step, series } = preview;
  const factor = preview.unit === "nanoseconds" ? 1e-6 : 1000;
  const perSecond = (value: number | null, index: number) => {
    const from = start + index * step;
    const covered = Math.min(from + step, span.until) - from;
    // The last step isn't over. Of a small part of one, one profile more or less is a spike.
    return value === null || covered < step / 2 ? null : (value * factor) / covered;
  };
  return { ...preview, unit, series: series.map((one) => ({ ...one, points: one.points.map(perSecond) })) };
}

/** Minutes: longer windows are shown in the chart's usual steps, and shorter ones would make too many points. */
const SHOWN_WINDOWS = { least: 2, most: 10 };

/** The number of points with which a chart averages as a level does; undefined where the chart's own number will do. */
export function chartPoints({ kind, minutes }: AlertDraft, span: Span): number | undefined {
  if (!isLevel(kind) || minutes >= SHOWN_WINDOWS.most) return undefined;
  return Math.floor((span.until - span.from) / (MINUTE * Math.max(minutes, SHOWN_WINDOWS.least))) + 1;
}

/** A threshold that yesterday's averages didn't reach: a fifth above the highest, or half of the typical. */
function proposedThreshold({ kind, minutes }: AlertDraft, loads: RulePreview | undefined): number | null {
  if (kind === "grew") return 20;
  if (kind === "new_function") return 5;
  if (kind === "silent") return 0;
  const { step = MINUTE, series = [] } = loads ?? {};
  const points = series.map((one) => one.points);
  const averaged = wholeSteps(points.map((values) => averages(values, Math.round((minutes * MINUTE) / step))));
  // Profiles may be younger than the time over which they are averaged.
  const values = averaged.length > 0 ? averaged : wholeSteps(points);
  if (values.length === 0) return null;
  const sorted = values.sort((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  return kind === "above" ? sorted[sorted.length - 1] * 1.2 : middle / 2;
}

/** Averages of so many points up to each; null where one is missing. */
function averages(points: (number | null)[], count: number): (number | null)[] {
  if (count < 2) return points;
  return points.map((_, i) => {
    const window = points.slice(Math.max(0, i + 1 - count), i + 1).filter((point) => point !== null);
    return window.length === count ? window.reduce((sum, point) => sum + point, 0) / count : null;
  });
}

/** The values of all steps except those in which a series begins or ends, which are partly without profiles; all if no others are left. */
function wholeSteps(series: (number | null)[][]): number[] {
  const isThere = (point: number | null) => point !== null;
  const all = series.flatMap((points) => points.filter(isThere));
  // The outermost steps reach beyond the range, and may be missing for that.
  const whole = series.flatMap((points) =>
    points.filter((_, i) => (i <= 1 || isThere(points[i - 1])) && (i >= points.length - 2 || isThere(points[i + 1]))),
  );
  const values = whole.filter(isThere);
  return values.length > 0 ? values : all;
}

function twoDigits(value: number): number {
  return Number(value.toPrecision(2));
}

/** Without what binary fractions add. */
function digits(value: number): string {
  return String(Number(value.toPrecision(12)));
}

/** A unit in which a threshold is typed, and how many of the server's make up one. */
export interface TypedUnit {
  label: string;
  factor: number;
}

/** The units in which people type a threshold, the smallest first. */
export function typedUnits(unit: string): TypedUnit[] {
  const rate = unit.endsWith(A_SECOND) ? A_SECOND : "";
  const of = unit.slice(0, unit.length - rate.length);
  if (of === "bytes") return ["B", "KiB", "MiB", "GiB"].map((name, i) => ({ label: name + rate, factor: 1024 ** i }));
  if (of === "seconds" && rate)
    return [
      { label: "ms/s", factor: 0.001 },
      { label: "s/s", factor: 1 },
    ];
  return [{ label: unit, factor: 1 }];
}

/** The largest unit of which a value has at least one. */
export function unitFor(value: number, units: TypedUnit[]): TypedUnit {
  return units.findLast(({ factor }) => value >= factor) ?? units[0];
}
