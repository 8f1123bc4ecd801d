/** An alert: the condition that it watches, in words, and the name, the threshold and the unit that a new one begins with. */
import { A_SECOND, CORES, SHARE } from "../../core/divided.ts";
import { isCpu, isGauge, typeParts } from "../../format/type.ts";
import { formatStep, formatValue, plural } from "../../format/value.ts";
import { formatMinute, type Span, spanLabel } from "../../time/range.ts";
import { isSilenced, statusOf } from "./alertstate.ts";
import { metricLabel, queryParts, type RuleDraft, subjectWords, typeWords } from "./recordingrule.ts";
import { withMatcher } from "./selector.ts";

export type AlertKind = "above" | "below" | "grew" | "new_function" | "silent";

/** A condition on a recording rule, in the names of the API. */
export interface Alert {
  /** Empty for a new one. */
  id: string;
  name: string;
  /** The id of the rule. */
  rule: string;
  kind: AlertKind;
  threshold: number;
  /** How long the window is that is looked at. */
  minutes: number;
  /** At how many consecutive minutes a value is above or below the threshold. */
  for_minutes: number;
  /** The label whose newest value is compared with the one before; empty to compare with the time before. */
  version_label: string;
  /** Names; all receivers where there are none. */
  receivers: string[];
  /** No messages until then, Unix milliseconds. */
  silenced_until: number;
  generation: number;
}

export type Labels = Record<string, string>;

export interface FiringSeries {
  labels: Labels;
  since: number;
  value: number;
}

/** An alert with its state. */
export interface ListedAlert extends Alert {
  /** Of the threshold and of values. */
  unit: string;
  firing: FiringSeries[];
  /** Why it can't be evaluated; empty when it can. */
  error: string;
  /** When it was evaluated last; 0 for never. */
  evaluated: number;
}

/** When an alert would have fired. */
export interface Firing {
  labels: Labels;
  from: number;
  /** Null while it still fires. */
  until: number | null;
  value: number;
}

export const MINUTE = 60_000;
/** How often the server looks for new functions, in minutes. It passes over as much time right before the window. */
export const NEW_FUNCTION_EVERY = 10;

/** The fields that the server stores. */
export function storedAlert(listed: ListedAlert): Alert {
  const { unit, firing, error, evaluated, ...alert } = listed;
  return alert;
}

/** Kinds that watch one value over time. */
export function isLevel(kind: AlertKind): kind is "above" | "below" {
  return kind === "above" || kind === "below";
}

/** Whether a rule measures entire profiles. */
export function isWhole(rule: RuleDraft): boolean {
  return !rule.function && !rule.function_regex && rule.call_site.length === 0;
}

/** The unit of a threshold until the server has said it. */
export function unitOfKind(kind: AlertKind, type: string): string {
  if (!isLevel(kind)) return kind === "silent" ? "" : SHARE;
  if (isCpu(type)) return CORES;
  const { unit } = typeParts(type);
  if (isGauge(type)) return unit;
  return (unit === "nanoseconds" ? "seconds" : unit) + A_SECOND;
}

const and = new Intl.ListFormat("en");

/** "Fires when orders.match in checkout uses more than 1.5 cores (average of 5 min)". */
export function alertWords(alert: Alert, rule: RuleDraft): string {
  // Versions are compared with each other.
  const names = rule.group_by.filter((name) => alert.kind !== "grew" || name !== alert.version_label);
  const by = names.length > 0 ? `; each ${and.format(names)} separately` : "";
  return `Fires when ${conditionWords(alert, rule)}${by}`;
}

function conditionWords(alert: Alert, rule: RuleDraft): string {
  const { kind, threshold, minutes, for_minutes, version_label } = alert;
  const subject = subjectWords(rule);
  const { type } = queryParts(rule.query);
  const amount = amountWords(threshold, unitOfKind(kind, type));
  const window = formatStep(minutes * MINUTE);
  switch (kind) {
    case "above":
    case "below": {
      const than = `${kind === "above" ? "more" : "less"} than ${amount}`;
      const lasting = for_minutes > 1 ? ` for ${formatStep(for_minutes * MINUTE)}` : "";
      return `${subject} ${verbOf(type)} ${than}${ofWhat(type)}${lasting} (average of ${window})`;
    }
    case "grew": {
      const counted = typeWords(type) === unitOfKind("above", type) ? "number of " : "";
      const what = isWhole(rule)
        ? `the ${counted}${typeWords(type)} of ${subject}${isGauge(type) ? "" : " per minute"}`
        : `the share of ${subject}`;
      const twice = formatStep(2 * minutes * MINUTE);
      return version_label
        ? `${what} is more than ${amount} larger in the newest ${version_label} than in the one before (last ${twice})`
        : `${what} grows by more than ${amount} from one period of ${window} to the next`;
    }
    case "new_function":
      return `a new function in ${subject} has at least ${amount} of the ${typeWords(type)} over ${window}`;
    case "silent":
      return `${subject}, which had ${isWhole(rule) ? "profiles" : "samples"}, has none for ${window}`;
  }
}

/** "1.5 cores", "1,200 objects/s", "… cores" while it is unknown. */
function amountWords(threshold: number, unit: string): string {
  if (!Number.isFinite(threshold)) return `… ${unit}`;
  const amount = formatValue(threshold, unit);
  // Elsewhere the type says that objects are counted.
  return unit.startsWith("objects") ? `${amount.replace(/\/s$/, "")} ${unit}` : amount;
}

/** What something does with what a type measures. */
function verbOf(type: string): string {
  if (isCpu(type)) return "uses";
  const { sample } = typeParts(type);
  if (/^alloc_/.test(sample)) return "allocates";
  return /^inuse_space$/.test(sample) ? "holds" : "has";
}

/** " of mutex delay", where the unit alone doesn't say of what. */
function ofWhat(type: string): string {
  const { sample, unit } = typeParts(type);
  const isSaid = isCpu(type) || /^(alloc|inuse)_/.test(sample) || unit === sample || unit === `${sample}s`;
  return isSaid ? "" : ` of ${typeWords(type)}`;
}

/** "orders.match in checkout above 1.5 cores". */
export function proposedAlertName({ kind, threshold }: Alert, rule: RuleDraft): string {
  const subject = subjectWords(rule);
  switch (kind) {
    case "above":
    case "below": {
      const type = queryParts(rule.query).type;
      const [what, unit] = [typeWords(type), unitOfKind(kind, type)];
      const said = isCpu(type) || what === unit ? "" : ` ${what}`;
      return `${subject}${said} ${kind} ${amountWords(threshold, unit)}`;
    }
    case "grew":
      return `${subject} grew`;
    case "new_function":
      return `New function in ${subject}`;
    case "silent":
      return `No ${isWhole(rule) ? "profiles" : "samples"} of ${subject}`;
  }
}

/** "region=eu, version=1.9.0"; empty without labels. */
export function labelWords(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value || '""'}`)
    .join(", ");
}

/** What the server says at most, and says of growth from 0. */
const MAX_GROWTH = 1e6;

/** "2.1 cores", "+39 %"; empty for a silence, whose value is its length. */
export function alertValue(kind: AlertKind, value: number, unit: string): string {
  if (kind === "silent") return "";
  if (kind === "grew" && value >= MAX_GROWTH) return "up from about 0";
  return kind === "grew" && value > 0 ? `+${formatValue(value, unit)}` : amountWords(value, unit);
}

/** "Firing since 14:03", "OK", "Not evaluated yet", and until when there are no messages. */
export function statusWords(alert: ListedAlert, now: number): string {
  const since = Math.min(...alert.firing.map((one) => one.since));
  const state = {
    error: "Error",
    firing: `Firing since ${formatMinute(since)}`,
    unknown: alert.evaluated === 0 ? "Not evaluated yet" : `Not evaluated since ${formatMinute(alert.evaluated)}`,
    ok: "OK",
  }[statusOf(alert, now)];
  return isSilenced(alert, now) ? `${state}, silenced until ${formatMinute(alert.silenced_until)}` : state;
}

/** How many hours a preview covers: whether functions are new takes too much reading for a day. */
export function previewHours(kind: AlertKind): number {
  return kind === "new_function" ? 2 : 24;
}

/** How often an alert would have fired in its preview. */
export function firingsWords(firings: Firing[], hours: number): string {
  if (firings.length === 0) return `In the last ${hours} h it wouldn't have fired.`;
  const times = firings.length === 1 ? "once" : firings.length === 2 ? "twice" : plural(firings.length, "time");
  return `In the last ${hours} h it would have fired ${times}:`;
}

/** When any series fires. Series that fire at the same time are one span. */
export function firingSpans(firings: Firing[], end: number): Span[] {
  const spans: Span[] = [];
  for (const { from, until } of [...firings].sort((a, b) => a.from - b.from)) {
    const last = spans.at(-1);
    if (last && from <= last.until) last.until = Math.max(last.until, until ?? end);
    else spans.push({ from, until: until ?? end });
  }
  return spans;
}

/** "14:03 – 14:33, region=eu, 2.1 cores at the end". */
export function firingWords(
  { from, until, labels, value }: Firing,
  kind: AlertKind,
  unit: string,
  now: number,
): string {
  const time = until === null ? `since ${formatMinute(from)}` : spanLabel({ from, until }, now);
  const amount = alertValue(kind, value, unit);
  // One that ends soon fires although its condition no longer holds: the value is the last at which it did.
  const last = amount && (until !== null ? `${amount} at the end` : `${kind === "silent" ? "now" : "last"} ${amount}`);
  return [time, labelWords(labels), last].filter(Boolean).join(", ");
}

/** Labels of a series as filters of the rule's service. */
export function seriesFilters(rule: RuleDraft, labels: Labels): string[] {
  return rule.group_by.reduce((filters, name) => {
    const value = labels[name] ?? labels[metricLabel(name)];
    return value === undefined ? filters : withMatcher(filters, { name, op: "=", value });
  }, queryParts(rule.query).filters);
}

/** Around the time at which something began to fire: what came before, and up to an hour of it. */
export function spanAround({ minutes }: Alert, since: number, now: number): Span {
  return { from: since - (minutes + 30) * MINUTE, until: Math.min(now, since + 60 * MINUTE) };
}
