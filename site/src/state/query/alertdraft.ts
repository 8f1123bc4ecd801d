/** An alert while it is made or edited: what is typed, and what is proposed until then. */
import { A_SECOND } from "../../core/divided.ts";
import { type Alert, type AlertKind, isLevel, isWhole, proposedAlertName, unitOfKind } from "./alert.ts";
import type { AlertLoads } from "./alertloads.ts";
import { isVersion } from "./labels.ts";
import { queryParts, type RecordingRule } from "./recordingrule.ts";

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

/**
 * The same alert of another kind, with what is usual for that. The name stays only where someone has typed it. Series of one
 * version each don't show a deploy: what grows is held against the version before.
 */
export function withKind(draft: AlertDraft, kind: AlertKind, rule: RecordingRule): AlertDraft {
  const { receivers, name } = draft;
  const versionLabel = kind === "grew" ? (rule.group_by.find(isVersion) ?? "") : "";
  return { ...newDraft(kind), versionLabel, receivers, name };
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
  loads: AlertLoads | undefined,
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

/** A threshold that the last day's averages didn't reach: a fifth above the highest, or half of the typical. */
function proposedThreshold({ kind }: AlertDraft, loads: AlertLoads | undefined): number | null {
  if (kind === "grew") return 20;
  if (kind === "new_function") return 5;
  if (kind === "silent") return 0;
  if (!loads?.averaged) return null;
  const values = loads.series.flatMap(({ points }) => points.filter((point) => point !== null));
  if (values.length === 0) return null;
  const sorted = values.sort((a, b) => a - b);
  return kind === "above" ? sorted[sorted.length - 1] * 1.2 : sorted[Math.floor(sorted.length / 2)] / 2;
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
