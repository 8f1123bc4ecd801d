/** /diff: baseline against comparison, same service and type, each with its own range and filters. */
import { computed, untracked } from "@preact/signals";
import { fetchTimeline } from "../../api.ts";
import { quotient } from "../../core/divided.ts";
import { core } from "../../core/index.ts";
import { describeProfiles } from "../../format/facts.ts";
import { isCpu, isGauge, typeLabel } from "../../format/type.ts";
import { formatMillis, plural } from "../../format/value.ts";
import { coveredMillis, isLoadKnown } from "../../time/covered.ts";
import { datedSpanLabel, lengthOf, type Span } from "../../time/range.ts";
import { drawnFactors, SHORTEST_STEP, seriesOf } from "../../time/series.ts";
import { drawingComparison } from "../profile/draw.ts";
import { type Answer, type Progress, show } from "../profile/shown.ts";
import { resource } from "../resource.ts";
import { clock } from "../url/clock.ts";
import { diffRoute } from "../url/router.ts";
import type { Measure, SideName } from "../url/values.ts";
import { compareTrees, processesDiffer, profilesDiffer, resolveMeasure, sidesDiffer } from "./measure.ts";
import { describeRead, openMerged, typedTimeline } from "./merged.ts";
import { apart, placeOf } from "./place.ts";
import { matcherLabel, selector } from "./selector.ts";
import { sideSpan, timelineSpan } from "./sides.ts";

const sideQuery = (side: SideName) => {
  const at = diffRoute.value;
  return at.service && at.type ? at.type + selector(at.service, at[side].filters) : null;
};

const sideTimeline = (side: SideName) =>
  resource(
    "read the timeline",
    () => {
      const query = sideQuery(side);
      const { base, other } = diffRoute.value;
      const place = placeOf(side);
      const subject = JSON.stringify([place, query, base.from, base.until, other.from, other.until]);
      return query === null ? null : { place, query, ...timelineSpan(side), at: clock.value, subject };
    },
    ({ place, query, from, until }, signal) => typedTimeline(place, query, { from, until }, signal),
    ({ subject }) => subject,
  );
export const timelines = { base: sideTimeline("base"), other: sideTimeline("other") };

/** The timelines that were loaded last. They stay while the next ones are loaded. */
const loadedTimelines = {
  base: computed(() => timelines.base.value.value),
  other: computed(() => timelines.other.value.value),
};
/** Both as they are drawn: in steps of one length and to one scale, so that their heights compare. Of two places each has its own. */
export const sideSeries = computed(() => {
  const [base, other] = [loadedTimelines.base.value, loadedTimelines.other.value];
  const loaded = [base, other].filter((timeline) => timeline !== undefined);
  const factors = apart.value ? [] : drawnFactors(loaded);
  const draw = (timeline: typeof base) =>
    timeline && seriesOf(timeline, isGauge(timeline.type), factors[loaded.indexOf(timeline)]);
  const drawn = { base: draw(base), other: draw(other) };
  const values = [drawn.base, drawn.other].flatMap((series) => series?.values ?? []);
  const highest = values.reduce((peak: number, value) => Math.max(peak, value ?? 0), 0);
  return { ...drawn, peak: apart.value ? undefined : highest };
});

interface CompareQuery {
  base: string;
  other: string;
  /** Where the sides are. */
  at: Record<SideName, string>;
  baseSpan: Span;
  otherSpan: Span;
  measure: Measure;
  subject: string;
}

/** As text, so that equal values are equal. */
const compareQuery = computed(() => {
  const [base, other] = [sideQuery("base"), sideQuery("other")];
  if (!base || !other) return "null";
  const { measure, base: first, other: second } = diffRoute.value;
  const at = { base: placeOf("base"), other: placeOf("other") };
  const subject = JSON.stringify([at, base, other, first, second, measure]);
  return JSON.stringify({
    base,
    other,
    at,
    measure,
    baseSpan: sideSpan("base"),
    otherSpan: sideSpan("other"),
    subject,
    asked: clock.value,
  });
});

/** Runs again whenever what it reads changes. */
export function loadCompare(): void {
  const query = JSON.parse(compareQuery.value) as CompareQuery | null;
  if (query) void untracked(() => load(query));
}

function load(query: CompareQuery): Promise<void> {
  return show("compare the two ranges", (progress) => compare(query, progress), query.subject);
}

/** Steps by which the time with profiles is known, of the longer side. */
const COVERED_STEPS = 240;

/**
 * How much time has profiles on each side, by steps of one length: what it is less exact by is the same on both. 0 of both where
 * the load of one isn't known.
 */
async function coveredTimes(
  { base, other, at, baseSpan, otherSpan }: CompareQuery,
  signal: AbortSignal,
): Promise<number[]> {
  const step = Math.max(SHORTEST_STEP, Math.max(lengthOf(baseSpan), lengthOf(otherSpan)) / COVERED_STEPS);
  const ask = (place: string, query: string, span: Span) =>
    fetchTimeline(place, query, span, Math.max(1, Math.round(lengthOf(span) / step)), signal);
  const found = await Promise.all([ask(at.base, base, baseSpan), ask(at.other, other, otherSpan)]);
  const covered = found.map(coveredMillis);
  return found.every((timeline, i) => isLoadKnown(timeline, covered[i])) ? covered : [0, 0];
}

/** The time whose profiles are on both sides: where these have the same labels and their times overlap. */
function overlapOf({ base, other, at, baseSpan, otherSpan }: CompareQuery): Span | null {
  const from = Math.max(baseSpan.from, otherSpan.from);
  const until = Math.min(baseSpan.until, otherSpan.until);
  return base === other && at.base === at.other && from < until ? { from, until } : null;
}

/** Below this, rounding to a whole number changes an average by more than half a thousandth. */
const SMALL_AVERAGE = 1000;

/** What both sides are called where the page isn't seen: by what tells them apart, and in the title by what they share, too. */
function comparedNames({ baseSpan, otherSpan }: CompareQuery): Record<SideName | "title", string> {
  const { type, service, base, other } = diffRoute.peek();
  const labels = [base, other].map(({ filters }) => filters.map(matcherLabel).join(", "));
  const times = [baseSpan, otherSpan].map(datedSpanLabel);
  const parts = [labels, times].map(([first, second]) => ({ same: first === second, first, second }));
  const apart = parts.filter(({ same }) => !same);
  const shared = parts.flatMap(({ same, first }) => (same ? first : []));
  const [first, second] = (["first", "second"] as const).map((side) =>
    apart.map((part) => part[side] || "all labels").join(", "),
  );
  const begin = `${service} · ${typeLabel(type)}`;
  const title = [begin, apart.length > 0 ? `${first} → ${second}` : "difference", ...shared]
    .filter(Boolean)
    .join(" · ");
  const named = (side: string) => [begin, side].filter(Boolean).join(" · ");
  return { title, base: named(first), other: named(second) };
}

async function compare(query: CompareQuery, progress: Progress): Promise<Answer> {
  const { type } = diffRoute.peek();
  const gauge = isGauge(type);
  const names = comparedNames(query);
  // Nobody waits for it alone; where it fails, so does the comparison.
  const covered = gauge ? Promise.resolve([0, 0]) : coveredTimes(query, progress.signal);
  covered.catch(() => {});
  const merged = {
    base: await openMerged(query.at.base, query.base, query.baseSpan, progress, " for the baseline"),
    other: await openMerged(query.at.other, query.other, query.otherSpan, progress, " for the comparison"),
  };
  if (!merged.base || !merged.other) {
    const sides = (["base", "other"] as const).filter((side) => !merged[side]);
    return { state: "empty", sides };
  }
  const [baseCovered, otherCovered] = await covered;
  const base = { ...merged.base, coveredMillis: baseCovered };
  const other = { ...merged.other, coveredMillis: otherCovered };
  // Averages of snapshots compare as they are, and so do as many profiles of two times of one length.
  const isAsLong = lengthOf(query.baseSpan) === lengthOf(query.otherSpan);
  const isAlike = baseCovered === 0 && isAsLong && !profilesDiffer(base, other);
  const differs = !gauge && !isAlike && sidesDiffer(base, other);
  const timed = !gauge && base.coveredMillis > 0 && other.coveredMillis > 0;
  const measure = resolveMeasure(query.measure, differs, timed, !processesDiffer(base, other));
  progress.stage("comparing");
  const draw = drawingComparison((steps, invert) =>
    compareTrees(core, base, other, { measure, gauge, cpu: isCpu(type) }, { steps, invert }),
  );
  const drawn = await draw();
  const sideOf = async (side: SideName) => {
    const { profile, type, profiles, total, exact, unit, coveredMillis } = { base, other }[side];
    const isScaled = measure === "rate" && side === "other";
    // What leaves the page: averages of a gauge, and for loads the comparison scaled to the baseline's time.
    const [numerator, denominator] = gauge
      ? [1, profiles]
      : isScaled
        ? [baseCovered, otherCovered].map(Math.round)
        : [1, 1];
    const { id } =
      numerator === denominator ? { id: profile } : await core.scale(profile, type, numerator, denominator);
    if (id !== profile) progress.own(id);
    // Whole numbers of small averages can change where the averages hardly do.
    const isRounded = gauge && profiles > 1 && total / profiles < SMALL_AVERAGE;
    // First, since long names are cut at their end.
    const note = isScaled ? "scaled to as much time: " : isRounded ? "rounded to whole numbers: " : "";
    const name = note + names[side];
    const said = gauge ? { total: total / profiles, exact: quotient(exact, profiles) } : { total, exact };
    return { id, name, profiles, unit, coveredMillis, ...said };
  };
  return {
    state: "ready",
    ...drawn,
    draw,
    title: names.title,
    facts: [
      `${describeProfiles(base.profiles, type)} against ${gauge ? plural(other.profiles, "snapshot") : plural(other.profiles, "profile")}`,
      describeRead(base.read, other.read),
      formatMillis(base.millis + other.millis),
    ],
    warnings: [
      ...base.warnings.map((text) => `Baseline: ${text}`),
      ...other.warnings.map((text) => `Comparison: ${text}`),
    ],
    exported: null,
    compared: {
      measure,
      gauge,
      timed,
      coverageDiffers: !gauge && profilesDiffer(base, other),
      overlap: overlapOf(query),
      base: await sideOf("base"),
      other: await sideOf("other"),
    },
  };
}
