/** Profile values in words: values come in the unit their profile states. */
import { A_SECOND, CORES, SHARE } from "../core/divided.ts";
import type { SampleType } from "../core/types.ts";
import { count, decimal, grouped, percent, scaled, short, withoutZeros } from "./number.ts";

const NANOSECONDS: Record<string, number> = {
  nanoseconds: 1,
  nanosecond: 1,
  ns: 1,
  microseconds: 1e3,
  us: 1e3,
  milliseconds: 1e6,
  ms: 1e6,
  seconds: 1e9,
  s: 1e9,
};
const BYTES: Record<string, number> = { bytes: 1, byte: 1, kilobytes: 1024, megabytes: 1024 ** 2 };

const HOUR = 3_600_000;

/** Units that do not say what is counted. */
const BARE = ["", "count", "objects", "none"];

const TIME: [string, number][] = [
  ["ns", 1],
  ["µs", 1e3],
  ["ms", 1e6],
  ["s", 1e9],
  ["min", 60e9],
  ["h", 3600e9],
  ["d", 86400e9],
];
const SIZE: [string, number][] = [
  ["B", 1],
  ["KiB", 1024],
  ["MiB", 1024 ** 2],
  ["GiB", 1024 ** 3],
  ["TiB", 1024 ** 4],
];

/** A unit of which so many make up one of another: count/1000, of folded stacks with decimals. */
function fraction(unit: string): { places: number; of: string } | null {
  const [, of, zeros] = /^(.*)\/1(0+)$/.exec(unit) ?? [];
  return zeros === undefined ? null : { places: zeros.length, of };
}

/** The unit that values are shown in, and how many of a profile's own make up one. */
export function wholeUnit(unit: string): { of: string; parts: number } {
  const part = fraction(unit);
  return part ? { of: part.of, parts: 10 ** part.places } : { of: unit, parts: 1 };
}

/** Whether two units count the same thing, perhaps in parts of different size. */
export function convertible(unit: string, other: string): boolean {
  return wholeUnit(unit).of === wholeUnit(other).of;
}

/** A total in the finer of its own unit and another that counts the same thing, as a comparison has it. */
export function inFinerUnit(total: SampleType, unit: string): SampleType {
  const factor = wholeUnit(unit).parts / wholeUnit(total.unit).parts;
  if (factor <= 1) return total;
  const zeros = total.total_exact === "0" ? "" : String(factor).slice(1);
  return { ...total, unit, total: total.total * factor, total_exact: total.total_exact + zeros };
}

/** 23.4 min, 1.2 GiB, 12,400 samples, and 12,400 of a bare count; see unitOf. */
export function formatValue(value: number, unit: string): string {
  const part = fraction(unit);
  if (part) {
    const whole = value / 10 ** part.places;
    const isShort = !isScaled(part.of) && Math.abs(whole) < 100_000;
    return isShort ? withUnit(grouped(decimal(whole)), part.of) : formatValue(whole, part.of);
  }
  if (unit === SHARE) return percent(value / 100);
  if (unit === CORES) return formatCores(value);
  if (unit.endsWith(A_SECOND)) return `${formatSmall(value, unit.slice(0, -A_SECOND.length))}${A_SECOND}`;
  if (value === 0 && isScaled(unit)) return "0";
  if (unit in NANOSECONDS) return scaled(value * NANOSECONDS[unit], TIME);
  if (unit in BYTES) return scaled(value * BYTES[unit], SIZE);
  return withUnit(Number.isInteger(value) || Math.abs(value) >= 1000 ? count(value) : short(value), unit);
}

/** The same where there is little room: the unit of a count is said elsewhere. */
export function formatTick(value: number, unit: string): string {
  return formatValue(value, isScaled(unit) ? unit : "");
}

/** As formatValue, with three digits of a count below one: an event in an hour is not none. */
function formatSmall(value: number, unit: string): string {
  if (isScaled(unit) || value === 0 || Math.abs(value) >= 1) return formatValue(value, unit);
  return withUnit(grouped(String(Number(value.toPrecision(3)))), unit);
}

/** 1.28 cores, 0.0461 cores, 0.0046 cores; 460 µcores where that would be lost in zeros. */
function formatCores(value: number): string {
  const size = Math.abs(value);
  if (size >= 1 || size === 0) return withUnit(short(value), CORES);
  if (size >= 0.001) return withUnit(grouped(String(Number(value.toPrecision(3)))), CORES);
  return scaled(value, [[`µ${CORES}`, 1e-6]]);
}

/** "30 s", "2 min", "1 h 46 min", "1 d": how long a time is, as on a clock. */
export function formatStep(millis: number): string {
  const long = (part: number) => scaled(part * 1e6, TIME);
  if (millis < HOUR) return long(millis);
  const [large, small] = millis < 24 * HOUR ? [HOUR, HOUR / 60] : [24 * HOUR, HOUR];
  const rounded = Math.round(millis / small) * small;
  const rest = rounded % large;
  return [rounded - rest, rest].filter(Boolean).map(long).join(" ");
}

/** Every digit, with the profile's own unit: 1,404,000,000,000 ns. */
export function formatExact(decimal: string, unit: string): string {
  const part = fraction(unit);
  if (part && /^-?\d+$/.test(decimal)) return formatExact(withPoint(decimal, part.places), part.of);
  return withUnit(grouped(decimal), unit);
}

/** 205500 with three decimal places is 205.5. */
function withPoint(digits: string, places: number): string {
  const sign = digits.startsWith("-") ? "-" : "";
  const padded = digits.slice(sign.length).padStart(places + 1, "0");
  return withoutZeros(`${sign}${padded.slice(0, -places)}.${padded.slice(-places)}`);
}

/** With its sign, for a difference: +1.2 s. */
export function formatDelta(value: number, unit: string): string {
  // Of two percentages the difference is in points: "+5 %" would be read as a twentieth more.
  if (unit === SHARE) return `${value > 0 ? "+" : ""}${percent(value / 100).slice(0, -2)} pp`;
  return (value > 0 ? "+" : "") + formatValue(value, unit);
}

/** Sizes of files and answers, in the decimal units people know from downloads. */
export function formatBytes(bytes: number): string {
  return scaled(bytes, [
    ["B", 1],
    ["kB", 1e3],
    ["MB", 1e6],
    ["GB", 1e9],
  ]);
}

export function formatMillis(millis: number): string {
  return millis < 1000 ? `${short(Math.max(millis, 0))} ms` : scaled(millis * 1e6, TIME);
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/** "12 samples", "1 sample", "1 cache-miss"; a count of nothing known is a number. */
function withUnit(amount: string, unit: string): string {
  if (BARE.includes(unit)) return amount;
  return `${amount} ${amount === "1" ? unit.replace(/(ss)es$|s$/, "$1") : unit}`;
}

/** Sample types that do not name what they count: clocks, the sides of a comparison, applications with labels. */
const NOT_COUNTED = /^(cpu|wall|itimer|baseline|comparison)$|[{ ]/;

/** The unit of a value in words. What a bare count counts is said by its type: cycles, samples, objects. */
export function unitOf({ type, unit }: { type: string; unit: string }): string {
  const [, bare, rest = ""] = /^(.*?)(\/.*)?$/.exec(unit) ?? [];
  if (!BARE.includes(bare) || NOT_COUNTED.test(type)) return unit;
  const what = type.replace(/^.*_(?=(objects|samples)$)/, "").replace(/_/g, " ");
  return `${/^(goroutine|thread)$/.test(what) ? `${what}s` : what}${rest}`;
}

export function isScaled(unit: string): boolean {
  return unit in NANOSECONDS || unit in BYTES;
}

/** "0.92 → 1.28 cores", or both with their units where these differ. */
export function fromTo(first: string, second: string): string {
  const [number, unit] = first.split(/ (.*)/s);
  return `${second.endsWith(` ${unit}`) ? number : first} → ${second}`;
}
