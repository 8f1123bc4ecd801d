/** The two sides of a comparison: what each is, and the choices that set both at once. */
import type { Mark } from "../../time/marks.ts";
import { fixed, halves, type Range, resolve, type Span } from "../../time/range.ts";
import { SHORTEST_STEP } from "../../time/series.ts";
import { clock } from "../url/clock.ts";
import { initialRoute, type Route, type RouteOf } from "../url/route.ts";
import { diffRoute, exploreRoute, go } from "../url/router.ts";
import type { Side, SideName } from "../url/values.ts";
import type { LabelSides } from "./labels.ts";
import { apart, places, swapped, wholeSpan } from "./place.ts";
import { formatMatcher, type Matcher, parseMatcher, toggleMatcher } from "./selector.ts";
import { span } from "./services.ts";

export type Sides = Record<SideName, Side>;

export const SIDE_TITLES: Record<SideName, string> = { base: "baseline", other: "comparison" };

export function sideSpan(side: SideName): Span {
  return resolve(diffRoute.value[side], clock.value);
}

/** Sets a filter of what is explored, or takes it back. */
export function toggleFilter(matcher: Matcher): void {
  const { base } = exploreRoute.peek();
  go({ base: { ...base, filters: toggleMatcher(base.filters, matcher) } });
}

/** The sides for the halves of a span. */
export function halfSides(whole: Span, filters: [string[], string[]]): Sides {
  const [first, second] = halves(whole);
  return { base: { ...fixed(first), filters: filters[0] }, other: { ...fixed(second), filters: filters[1] } };
}

/** The span against the one of equal length just before it. */
export function periodSides(whole: Span, filters: [string[], string[]]): Sides {
  const before = { from: whole.from - (whole.until - whole.from), until: whole.from };
  return { base: { ...fixed(before), filters: filters[0] }, other: { ...fixed(whole), filters: filters[1] } };
}

/** The span against the same one so many milliseconds before. */
export function earlierSides(span: Span, millis: number, filters: [string[], string[]]): Sides {
  const before = { from: span.from - millis, until: span.until - millis };
  return { base: { ...fixed(before), filters: filters[0] }, other: { ...fixed(span), filters: filters[1] } };
}

/** What Compare shows: a brushed window against the equal time before it, else the halves of the range. */
export function comparedSides(whole: Span, window: Span | null, filters: string[]): Sides {
  return window ? periodSides(window, [filters, filters]) : halfSides(whole, [filters, filters]);
}

/** Before and after a version. */
interface VersionSides {
  label: string;
  sides: Sides;
  /** Whether it has run before. */
  isBack: boolean;
}

/** How many versions are offered. */
const NEWEST = 3;

/**
 * A comparison for each of the newest versions that begin inside a span, as long before it as after it, up to the versions
 * that begin before and after it. The time that it shares with others, as in a rollout, is on neither side; one that shares all
 * of its time has no such comparison.
 */
export function versionSides(marks: Mark[], within: Span, filters: string[]): VersionSides[] {
  return marks
    .map(({ time, text, isBack = false, isGone = false, sharedUntil: begin = time }, i) => {
      const between = (from: number, until: number) => Math.min(time - from, until - begin);
      const whole = between(within.from, within.until);
      const [previous, next] = [marks[i - 1], marks[i + 1]];
      const since = previous ? (previous.sharedUntil ?? previous.time) : within.from;
      const alone = Math.min(whole, between(since, next?.time ?? within.until));
      // Of versions that follow each other in steps too long to tell them apart, others are on both sides.
      return { time, begin, text, isBack, isGone, length: alone >= SHORTEST_STEP ? alone : whole };
    })
    .filter(({ length, isGone }) => length >= SHORTEST_STEP && !isGone)
    .slice(-NEWEST)
    .reverse()
    .map(({ time, begin, text, isBack, length }) => {
      const base = { ...fixed({ from: time - length, until: time }), filters };
      const other = { ...fixed({ from: begin, until: begin + length }), filters };
      return { label: `Before and after ${text}`, sides: { base, other }, isBack };
    });
}

/** One range, and a value of a label on each side. */
export function labelSides(range: Range, filters: string[], { name, values }: LabelSides): Sides {
  const kept = filters.filter((filter) => parseMatcher(filter)?.name !== name);
  const side = (value: string): Side => ({
    from: range.from,
    until: range.until,
    filters: [...kept, formatMatcher({ name, op: "=", value })],
  });
  return { base: side(values[0]), other: side(values[1]) };
}

/** The difference of two values of a label, over the range or the window that is seen. */
export function comparedLabels({ service, type, base, window }: RouteOf<"explore">, sides: LabelSides): Route {
  const compared = labelSides(window ? fixed(window) : base, base.filters, sides);
  return { ...initialRoute("diff"), service, type, ...compared };
}

export function compareLabels(sides: LabelSides): void {
  go(comparedLabels(exploreRoute.peek(), sides), "push", { ...places.peek(), other: null });
}

/** The widest range that is offered where there is nothing. */
export function widest(): { label: string; range: Range } {
  const whole = wholeSpan("base");
  if (whole) return { label: "Show the whole bundle", range: fixed(whole) };
  return { label: "Show the last 7 days", range: { from: "now-7d", until: "now" } };
}

export function setSide(name: SideName, patch: Partial<Side>): void {
  go({ [name]: { ...diffRoute.peek()[name], ...patch } });
}

export function swapSides(): void {
  const { base, other } = diffRoute.peek();
  go({ base: other, other: base }, "push", swapped());
}

/**
 * The time that a side's timeline spans: that of both sides, so that they can be seen side by side, and what is `around` them.
 * Where each side has a place of its own, all of a bundle, else the side's range.
 */
export function timelineSpan(side: SideName): Span {
  const [range, whole] = apart.value ? [sideSpan(side), wholeSpan(side)] : [span.value, diffRoute.value.around];
  return whole ? { from: Math.min(range.from, whole.from), until: Math.max(range.until, whole.until) } : range;
}

/** To one side alone, in its place. */
export function exploreSide(side: SideName): void {
  const { service, type, [side]: base } = diffRoute.peek();
  const at = side === "other" ? swapped() : places.peek();
  go({ ...initialRoute("explore"), service, type, base }, "push", at);
}
