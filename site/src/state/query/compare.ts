/** /diff: baseline against comparison, same service and type, each with its own range and filters. */
import { computed, untracked } from "@preact/signals";
import { quotient } from "../../core/divided.ts";
import { core } from "../../core/index.ts";
import { isGauge, typeLabel } from "../../format/type.ts";
import { formatBytes, formatMillis, plural } from "../../format/value.ts";
import { fixed, halves, type Range, resolve, type Span } from "../../time/range.ts";
import { commonFactors, seriesOf } from "../../time/series.ts";
import { type Answer, type Progress, show } from "../profile/shown.ts";
import { resource } from "../resource.ts";
import { clock } from "../url/clock.ts";
import { go, place } from "../url/router.ts";
import type { Measure, Place, Side, SideName } from "../url/urlstate.ts";
import { madeOf, nodes, openMerged, typedTimeline } from "./explore.ts";
import type { LabelSides } from "./labels.ts";
import { compareTrees, resolveMeasure, unlikeCoverage } from "./measure.ts";
import { formatMatcher, parseMatcher, selector } from "./selector.ts";
import { span } from "./services.ts";

/** Half of a screen each. */
const TIMELINE_POINTS = 120;

export const SIDE_TITLES: Record<SideName, string> = { base: "baseline", other: "comparison" };

const asking = (side: SideName) => {
  const { route, service, type } = place.value;
  return route === "diff" && service && type ? type + selector(service, place.value[side].filters) : null;
};

/** Both timelines span both ranges, so that the sides can be seen side by side in time. */
const sideTimeline = (side: SideName) =>
  resource(
    "read the timeline",
    () => {
      const query = asking(side);
      const { base, other } = place.value;
      const subject = JSON.stringify([query, base.from, base.until, other.from, other.until]);
      return query === null ? null : { query, ...span.value, at: clock.value, subject };
    },
    ({ query, from, until }, signal) => typedTimeline(query, { from, until }, TIMELINE_POINTS, signal),
    ({ subject }) => subject,
  );
export const timelines = { base: sideTimeline("base"), other: sideTimeline("other") };

const answered = {
  base: computed(() => timelines.base.value.value),
  other: computed(() => timelines.other.value.value),
};
/** Both as they are drawn: in steps of one length and to one scale, so that their heights compare. */
export const sideSeries = computed(() => {
  const [base, other] = [answered.base.value, answered.other.value];
  const there = [base, other].filter((timeline) => timeline !== undefined);
  const factors = commonFactors(there);
  const draw = (timeline: typeof base) =>
    timeline && seriesOf(timeline, isGauge(timeline.type), factors[there.indexOf(timeline)]);
  const drawn = { base: draw(base), other: draw(other) };
  const values = [drawn.base, drawn.other].flatMap((series) => series?.values ?? []);
  return { ...drawn, peak: values.reduce((peak: number, value) => Math.max(peak, value ?? 0), 0) };
});

interface Asked {
  base: string;
  other: string;
  baseSpan: Span;
  otherSpan: Span;
  measure: Measure;
  subject: string;
}

const wanted = computed(() => {
  const [base, other] = [asking("base"), asking("other")];
  if (!base || !other) return "null";
  const { measure, base: first, other: second } = place.value;
  const subject = JSON.stringify([base, other, first, second, measure]);
  return JSON.stringify({
    base,
    other,
    measure,
    baseSpan: sideSpan("base"),
    otherSpan: sideSpan("other"),
    subject,
    at: clock.value,
  });
});

export function sideSpan(side: SideName): Span {
  return resolve(place.value[side], clock.value);
}

/** Runs again whenever what it reads changes. */
export function loadCompare(): void {
  const asked = JSON.parse(wanted.value) as Asked | null;
  if (asked) void untracked(() => load(asked));
}

function load(asked: Asked): Promise<void> {
  return show("compare the two ranges", (progress) => compare(asked, progress), asked.subject);
}

async function compare(asked: Asked, progress: Progress): Promise<Answer> {
  const base = await openMerged(asked.base, asked.baseSpan, progress, " for the baseline");
  const other = await openMerged(asked.other, asked.otherSpan, progress, " for the comparison");
  if (!base || !other) {
    return { state: "empty", sides: [...(base ? [] : ["base" as const]), ...(other ? [] : ["other" as const])] };
  }
  const { type, service } = place.peek();
  const gauge = isGauge(type);
  const unlike = !gauge && unlikeCoverage(base.profiles, other.profiles);
  const rated = !gauge && base.profiledMillis > 0 && other.profiledMillis > 0;
  const measure = resolveMeasure(asked.measure, unlike, rated);
  progress.stage("comparing");
  const tree = await compareTrees(core, base, other, { measure, gauge });
  const side = ({ profiles, total, exact, unit }: typeof base) =>
    gauge
      ? { profiles, total: total / profiles, exact: quotient(exact, profiles), unit }
      : { profiles, total, exact, unit };
  return {
    state: "ready",
    tree,
    title: `${service} · ${typeLabel(type)} · difference`,
    facts: [
      `${madeOf(base.profiles, type)} against ${gauge ? plural(other.profiles, "snapshot") : plural(other.profiles, "profile")}`,
      nodes(tree.nodes),
      `${plural(base.objects + other.objects, "object")}, ${formatBytes(base.bytesRead + other.bytesRead)} read`,
      formatMillis(base.millis + other.millis),
    ],
    warnings: [
      ...base.warnings.map((text) => `Baseline: ${text}`),
      ...other.warnings.map((text) => `Comparison: ${text}`),
    ],
    exported: null,
    compared: { measure, gauge, rated, unlike, base: side(base), other: side(other) },
  };
}

/** The sides for the halves of a span. */
export function halfSides(whole: Span, filters: [string[], string[]]): Pick<Place, "base" | "other"> {
  const [first, second] = halves(whole);
  return { base: { ...fixed(first), filters: filters[0] }, other: { ...fixed(second), filters: filters[1] } };
}

/** The span against the one of equal length just before it. */
export function periodSides(whole: Span, filters: [string[], string[]]): Pick<Place, "base" | "other"> {
  const before = { from: whole.from - (whole.until - whole.from), until: whole.from };
  return { base: { ...fixed(before), filters: filters[0] }, other: { ...fixed(whole), filters: filters[1] } };
}

/** What Compare shows: a brushed window against the equal time before it, else the halves of the range. */
export function comparedSides(whole: Span, window: Span | null, filters: string[]): Pick<Place, "base" | "other"> {
  return window ? periodSides(window, [filters, filters]) : halfSides(whole, [filters, filters]);
}

/** One range, and a value of a label on each side. */
export function labelSides(
  range: Range,
  filters: string[],
  { name, values }: LabelSides,
): Pick<Place, "base" | "other"> {
  const kept = filters.filter((filter) => parseMatcher(filter)?.name !== name);
  const side = (value: string): Side => ({
    from: range.from,
    until: range.until,
    filters: [...kept, formatMatcher({ name, op: "=", value })],
  });
  return { base: side(values[0]), other: side(values[1]) };
}

export function setSide(name: SideName, patch: Partial<Side>): void {
  go({ [name]: { ...place.peek()[name], ...patch } });
}

export function swapSides(): void {
  const { base, other } = place.peek();
  go({ base: other, other: base });
}
