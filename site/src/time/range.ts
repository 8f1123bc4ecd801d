/** Time ranges as people and URLs write them: `now`, `now-15m`, or Unix milliseconds. */
import { parseLocalInput, wallClock, zone } from "./zone.ts";

const UNIT = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

export interface Range {
  from: string;
  until: string;
}

/** A range with its clock read: Unix milliseconds. */
export interface Span {
  from: number;
  until: number;
}

/** How far back the ranges on offer reach. */
export const PRESETS = ["5m", "15m", "1h", "3h", "6h", "12h", "24h", "2d", "7d", "30d"].map((back) => {
  const from = `now-${back}`;
  return { label: lastLabel(from) ?? from, from };
});

/** Unix milliseconds of an expression, or null when it is none. */
export function resolveTime(expression: string, now: number): number | null {
  if (/^\d{1,15}$/.test(expression)) return Number(expression);
  const match = /^now(?:-(\d{1,6})([smhdw]))?$/.exec(expression);
  if (!match) return null;
  return match[1] === undefined ? now : now - Number(match[1]) * UNIT[match[2] as keyof typeof UNIT];
}

/** The span of a range; one that makes no sense becomes the last hour. */
export function resolve(range: Range, now: number): Span {
  return spanOf(range, now) ?? { from: now - UNIT.h, until: now };
}

/** The same, or null for a range that makes no sense: with what is no time, or an end before its beginning. */
export function spanOf(range: Range, now: number): Span | null {
  const from = resolveTime(range.from, now);
  const until = resolveTime(range.until, now);
  return from === null || until === null || from >= until ? null : { from, until };
}

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+ -]\d\d:\d\d)$/i;

/**
 * A time of an address as a range has it, which may also be written as in RFC 3339; null when it is none. A plus sign of an
 * address is a space.
 */
export function parseTime(text: string): string | null {
  const millis = RFC_3339.test(text) ? Date.parse(text.replace(" ", "+").toUpperCase()) : Number.NaN;
  if (millis >= 0) return String(millis);
  return resolveTime(text, 0) === null ? null : text;
}

/** Where a time is in a span, from 0 to 1. */
export function placeIn({ from, until }: Span, time: number): number {
  return Math.min(1, Math.max(0, (time - from) / (until - from || 1)));
}

/** How long a span is, in milliseconds. */
export const lengthOf = ({ from, until }: Span) => until - from;

/** Which part of a span another one is, from 0 to 1. */
export function partIn(whole: Span, { from, until }: Span): [number, number] {
  return [placeIn(whole, from), placeIn(whole, until)];
}

/** A span as a range that always means the same: what a link needs. */
export function fixed(span: Span): Range {
  return { from: String(Math.round(span.from)), until: String(Math.round(span.until)) };
}

/** First and second half: the comparison people start from. */
export function halves({ from, until }: Span): [Span, Span] {
  const middle = Math.round((from + until) / 2);
  return [
    { from, until: middle },
    { from: middle, until },
  ];
}

/** "last 1 h" of what moves with the clock, else the two times. */
export function rangeLabel(range: Range, now: number): string {
  const last = range.until === "now" ? lastLabel(range.from) : null;
  return last ?? spanLabel(resolve(range, now), now);
}

/** "last 90 min" of `now-90m`; null of another time. */
function lastLabel(from: string): string | null {
  const match = /^now-(\d{1,6})([smhdw])$/.exec(from);
  const count = Number(match?.[1]);
  if (!match || !(count > 0)) return null;
  const unit = match[2];
  return unit === "w" ? `last ${7 * count} d` : `last ${count} ${unit === "m" ? "min" : unit}`;
}

/** Times since then need no day, although midnight may lie between. */
const RECENT = 12 * UNIT.h;

/** "14:03 – 14:33", with the day where it is neither today's nor recent. */
export function spanLabel({ from, until }: Span, now: number, seconds = needsSeconds({ from, until })): string {
  const isRecent = from > now - RECENT && until < now + RECENT;
  const sameDay = dayOf(from) === dayOf(until);
  if (sameDay || isRecent)
    return `${isRecent || dayOf(from) === dayOf(now) ? "" : `${dayOf(from)} `}${clocks({ from, until }, seconds)}`;
  return `${dayOf(from)} ${clock(from, seconds)} – ${dayOf(until)} ${clock(until, seconds)}`;
}

/** Two times of which one follows the other: both with seconds where one is, or they meet within a minute. */
export function followingLabels(first: Span, second: Span, now: number): [string, string] {
  const seconds = [first, second].some(needsSeconds) || [first.until, second.from].some(isWithinMinute);
  return [spanLabel(first, now, seconds), spanLabel(second, now, seconds)];
}

/** The same with the day, for what is read on another day. */
export function datedSpanLabel(span: Span): string {
  return spanLabel(span, 0);
}

/** "14:03:30 – 14:04:00" or, of a day and more, "21 Nov – 22 Nov": what a bucket of a timeline covers. */
export function bucketLabel({ from, until }: Span): string {
  if (until - from >= UNIT.d) return `${dayOf(from)} – ${dayOf(until)}`;
  return otherDay(from) + clocks({ from, until });
}

const isWithinMinute = (time: number) => time % UNIT.m >= UNIT.s;

/** Whether two times are less than an hour apart and one isn't on a whole minute. */
function needsSeconds({ from, until }: Span): boolean {
  return until - from < UNIT.h && [from, until].some(isWithinMinute);
}

/** Both times; one of less than a minute that read alike. */
function clocks({ from, until }: Span, seconds = needsSeconds({ from, until })): string {
  const [first, last] = [clock(from, seconds), clock(until, seconds)];
  // An hour reads alike, too, when the clock goes back.
  return first === last && until - from < UNIT.m ? first : `${first} – ${last}`;
}

/**
 * Labels of an axis, at Unix seconds. Where the range is a day or more, midnights are dates and the first label has one;
 * what does not fit is empty.
 */
export function tickLabels(
  splits: number[],
  increment: number,
  dated: boolean,
  fits: (seconds: number, text: string) => boolean,
): string[] {
  let first = dated;
  return splits.map((seconds) => {
    const millis = seconds * 1000;
    const [time, day] = [clock(millis, increment < 60), dayOf(millis)];
    if (increment * 1000 >= 4 * UNIT.w)
      return wallClock(millis).toLocaleDateString("en-GB", { month: "short", year: "numeric", timeZone: "UTC" });
    const plain = increment * 1000 >= UNIT.d || (dated && time === "00:00") ? day : time;
    const full = first && plain === time ? `${day} ${time}` : plain;
    if (fits(seconds, full)) {
      first = false;
      return full;
    }
    return fits(seconds, plain) ? plain : "";
  });
}

/** "UTC", "UTC+2": the zone at an instant. */
export function zoneLabel(time: number): string {
  const minutes = Math.round((wallClock(time).getTime() - time) / 60_000);
  if (minutes === 0) return "UTC";
  const [size, rest] = [Math.abs(minutes), Math.abs(minutes) % 60];
  return `UTC${minutes < 0 ? "−" : "+"}${Math.floor(size / 60)}${rest ? `:${two(rest)}` : ""}`;
}

/** "UTC", or "in this browser's time zone, Europe/Berlin". */
export function zoneName(): string {
  if (zone.value === "utc") return "UTC";
  return `in this browser's time zone, ${localZone()}`;
}

/** "Europe/Berlin". */
export function localZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Value of a datetime-local input. */
export function toLocalInput(time: number): string {
  const d = wallClock(time);
  return `${d.getUTCFullYear()}-${two(d.getUTCMonth() + 1)}-${two(d.getUTCDate())}T${clock(time, true)}`;
}

/** What such an input says that showed `time` first: that itself where it was not changed, as an hour may come twice. */
export function readLocalInput(text: string, time: number): number {
  return text === toLocalInput(time) ? time : parseLocalInput(text);
}

/** "14:03". */
export function formatClock(time: number): string {
  return clock(time, false);
}

/** "21 Nov 14:03", without the day where it is today. */
export function formatMinute(time: number): string {
  return otherDay(time) + clock(time, false);
}

/** "21 Nov 14:03:30", without the day where it is today. */
export function formatInstant(time: number): string {
  return otherDay(time) + clock(time, true);
}

/** "14 Mar ", and nothing today. */
function otherDay(time: number): string {
  return dayOf(time) === dayOf(Date.now()) ? "" : `${dayOf(time)} `;
}

/** "14 Mar", with the year where it is not this one. */
function dayOf(time: number): string {
  const date = wallClock(time);
  const year = date.getUTCFullYear() === wallClock(Date.now()).getUTCFullYear() ? undefined : "numeric";
  return date.toLocaleDateString("en-GB", { day: "numeric", month: "short", year, timeZone: "UTC" });
}

function clock(time: number, seconds: boolean): string {
  const d = wallClock(time);
  return `${two(d.getUTCHours())}:${two(d.getUTCMinutes())}${seconds ? `:${two(d.getUTCSeconds())}` : ""}`;
}

function two(n: number): string {
  return String(n).padStart(2, "0");
}
