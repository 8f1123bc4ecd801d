/** A recording rule: what it measures, in words, and the name and the query of its metric. */
import { baseName } from "../../flame/framelabel.ts";
import { capital } from "../../format/capital.ts";
import { isCpu, isGauge, typeLabel } from "../../format/type.ts";
import { plural } from "../../format/value.ts";
import { formatMinute } from "../../time/range.ts";
import { matcherLabel, parseMatcher } from "./selector.ts";

/** What a rule measures, in the names of the API. */
export interface RuleDraft {
  metric_name: string;
  query: string;
  group_by: string[];
  external_labels: Record<string, string>;
  /** At most one of these three is set: a function, a pattern of functions, or functions from the root on. */
  function: string;
  function_regex: string;
  call_site: string[];
  /** Only samples whose innermost function it is. */
  self: boolean;
  /** Values are in seconds or in bytes, and the metric's name says so. */
  unit_suffix: boolean;
}

export interface RecordingRule extends RuleDraft {
  id: string;
  generation: number;
  /** From the server's configuration. */
  provisioned: boolean;
}

/** What of a stored rule can be changed. */
export function draftOf({ id, generation, provisioned, ...draft }: RecordingRule): RuleDraft {
  return draft;
}

export const PREFIX = "profiles_recorded_";
/** Most characters of a proposed name after the prefix. */
const LONGEST_PROPOSAL = 80;

interface QueryParts {
  type: string;
  /** Null without a service. */
  service: string | null;
  filters: string[];
}

/** The parts of a query that make the URL of a service's page. */
export function queryParts(query: string): QueryParts {
  const [, type = "", inside = ""] = /^\s*([^{]*?)\s*\{(.*)\}\s*$/s.exec(query) ?? [];
  const matchers = (inside.match(/(?:[^,"]|"(?:[^"\\]|\\.)*")+/gs) ?? []).map((text) => text.trim()).filter(Boolean);
  const parsed = matchers.map((text) => ({ text, matcher: parseMatcher(text) }));
  const equal = (name: string) => parsed.find(({ matcher }) => matcher?.name === name && matcher.op === "=");
  const [service, named] = [equal("service_name"), equal("__profile_type__")];
  return {
    type: type || (named?.matcher?.value ?? ""),
    service: service?.matcher?.value ?? null,
    filters: matchers.filter((text) => text !== service?.text && text !== named?.text),
  };
}

const and = new Intl.ListFormat("en");

/** "Self CPU time of main.work in checkout, by region". */
export function ruleWords(rule: RuleDraft): string {
  const { type, service, filters } = queryParts(rule.query);
  const part = partWords(rule);
  // "Total" is the other of "self"; an entire profile has neither.
  const kind = part ? `${rule.self ? "Self" : "Total"} ` : isGauge(type) ? "Average " : "";
  const what = capital(kind + typeWords(type));
  const by = rule.group_by.length > 0 ? `, by ${and.format(rule.group_by)}` : "";
  return `${what}${part} in ${service ?? "all services"}${withFilters(filters)}${by}`;
}

/** "orders.match in checkout with region=eu": what a rule measures, without the type. */
export function subjectWords(rule: RuleDraft): string {
  const { service, filters } = queryParts(rule.query);
  const of = shortPart(rule);
  const where = `${service ?? "all services"}${withFilters(filters)}`;
  return of ? `${of}${rule.self ? " (self)" : ""} in ${where}` : where;
}

function shortPart({ function: func, function_regex, call_site }: RuleDraft): string {
  if (function_regex) return `/${function_regex}/`;
  const last = call_site.at(-1);
  return last === undefined ? baseName(func) : `${baseName(last)} on its call path`;
}

function withFilters(filters: string[]): string {
  return filters.length > 0 ? ` with ${and.format(filters.map(matcherLabel))}` : "";
}

export function typeWords(type: string): string {
  return isCpu(type) ? "CPU time" : typeLabel(type).replace(" · ", " ");
}

/** " of main.work". */
function partWords(rule: RuleDraft): string {
  if (rule.function) return ` of ${rule.function}`;
  if (rule.function_regex) return ` of functions matching /${rule.function_regex}/`;
  const func = rule.call_site.at(-1);
  if (func === undefined) return "";
  const callers = rule.call_site.slice(0, -1).map(baseName);
  if (callers.length === 0) return ` of ${func} as the outermost function`;
  const listed = callers.length > 3 ? [callers[0], "…", callers[callers.length - 1]] : callers;
  return ` of ${func} called by ${listed.join(" → ")}`;
}

const TIMES = /^([nuµμm]?s|(nano|micro|milli)?second|(nano|micro|milli|[um])?sec|min(ute)?|h|hr|hour|d|day)s?$/;
const SIZES = /^([kmgtp]?b|[kmgtp]ib|([kmgtp]|kilo|mega|giga|tera|peta|kibi|mebi|gibi|tebi|pebi)?byte)s?$/;

/** "_seconds" of all times, "_bytes" of sizes, and nothing of counts: as the server reads units. */
export function unitSuffix(type: string): "_seconds" | "_bytes" | "" {
  const unit = (type.split(":")[2] ?? "").toLowerCase();
  if (TIMES.test(unit)) return "_seconds";
  return SIZES.test(unit) ? "_bytes" : "";
}

/** The name that Prometheus sees. */
export function exportedName({ metric_name, unit_suffix, query }: RuleDraft): string {
  const suffix = unit_suffix ? unitSuffix(queryParts(query).type) : "";
  return metric_name.endsWith(suffix) ? metric_name : metric_name + suffix;
}

/** A valid name: "profiles_recorded_checkout_cpu_main_work_self". */
export function proposedName({ query, function: func, call_site, self, group_by }: RuleDraft): string {
  const { type, service } = queryParts(query);
  const path = call_site.at(-1);
  const words = [
    service ?? "",
    isCpu(type) ? "cpu" : typeLabel(type),
    baseName(func || (path ?? "")),
    self ? "self" : "",
    path === undefined ? "" : "call path",
    // The same without labels is another rule.
    group_by.length === 0 ? "" : ["by", ...group_by].join(" "),
  ];
  const name = words.map(snake).filter(Boolean).join("_");
  return PREFIX + (name.slice(0, LONGEST_PROPOSAL).replace(/_$/, "") || "metric");
}

function snake(text: string): string {
  return text
    .replace(/([a-z\d])(?=[A-Z])/g, "$1_")
    .toLowerCase()
    .replace(/[^a-z\d]+/g, "_")
    .replace(/^_|_$/g, "");
}

/** The label of a metric for a label of profiles, as the server names it. */
export function metricLabel(name: string): string {
  return name.replace(/[^A-Za-z0-9_]/gu, "_").replace(/^\d/, "_");
}

/** The label that the server adds to each series. */
const RULE_ID = "profiles_rule_id";

/** Why series can't have an external label of this name next to the `others` and those to group by; empty if they can. */
export function externalLabelProblem(name: string, others: string[], by: string[]): string {
  if (name === "") return "";
  if (metricLabel(name) !== name || name.startsWith("__"))
    return "Use letters, digits and _, and begin with neither a digit nor __";
  if (name === RULE_ID) return `Each series has ${RULE_ID} already`;
  if (others.includes(name)) return "Another row has this name";
  return by.map(metricLabel).includes(name) ? "Each series has this label already, from the profiles" : "";
}

/** A PromQL query for what was measured in five minutes. Gauges are averaged: their sum over time means nothing. */
export function promQL(rule: RuleDraft): string {
  const over = isGauge(queryParts(rule.query).type) ? "avg_over_time" : "sum_over_time";
  const inner = `${over}(${exportedName(rule)}[5m])`;
  const by = rule.group_by.map(metricLabel);
  return by.length === 0 ? inner : `sum by (${by.join(", ")}) (${inner})`;
}

/** How far the server has sent the points of rules to another one. Times are in milliseconds. */
export interface RemoteWrite {
  host: string;
  /** The last minute that was accepted; null before the first. */
  sent_until: number | null;
  /** Why the last request failed. */
  error: { since: number; message: string } | null;
  dropped_minutes: number;
}

/** "All points up to 14:03 have been sent to prometheus.example.com." */
export function remoteWriteWords({ host, sent_until, error, dropped_minutes }: RemoteWrite): string {
  const sent =
    sent_until === null
      ? `No points have been sent to ${host} yet.`
      : `All points up to ${formatMinute(sent_until)} have been sent to ${host}.`;
  const failing = error ? ` Sending has failed since ${formatMinute(error.since)}: ${error.message}.` : "";
  const dropped = dropped_minutes > 0 ? ` ${plural(dropped_minutes, "minute")} could not be sent.` : "";
  return sent + failing + dropped;
}
