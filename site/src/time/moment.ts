/** Points in time of a recording, in seconds since its first sample: ticks of an axis, and words for them. */

import { withoutZeros } from "../format/number.ts";

/** Steps between ticks that people count in, in seconds beyond the minute. Below it they are 1, 2 and 5 times a power of ten. */
const LONG_STEPS = [60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];

/** The smallest step that leaves at most so many ticks in a length. */
export function tickStep(length: number, most: number): number {
  const least = length / Math.max(most, 1);
  if (!(least > 0)) return 1;
  if (least > 30) {
    const days = 86400 * Math.ceil(least / 86400);
    return LONG_STEPS.find((step) => step >= least) ?? days;
  }
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least * (1 - 1e-9)) ?? 10 * power;
  // Of a minute thirty and fifteen seconds are parts, fifty are not.
  return step > 20 ? 30 : step;
}

/** The ticks of an axis, at most so many of them. */
export function ticks(from: number, until: number, most: number): { at: number; step: number }[] {
  const step = tickStep(until - from, most);
  const first = Math.ceil(from / step - 1e-6);
  const count = Math.floor(until / step + 1e-6) - first + 1;
  return Array.from({ length: Math.max(0, Math.min(count, most + 2)) }, (_, i) => ({ at: (first + i) * step, step }));
}

/** 12.5 s, 340 ms, 3:20: with as many digits as steps of this length need. */
export function formatMoment(seconds: number, step: number): string {
  if (seconds === 0) return "0";
  const size = Math.abs(seconds);
  if (size < 119.9995 || !Number.isFinite(size)) {
    const [name, unit] =
      size < 0.9995e-6 ? ["ns", 1e9] : size < 0.9995e-3 ? ["µs", 1e6] : size < 0.9995 ? ["ms", 1e3] : ["s", 1];
    return `${trimmed(seconds * Number(unit), step * Number(unit))} ${name}`;
  }
  const sign = seconds < 0 ? "−" : "";
  const digits = step < 1 ? decimals(step) : 0;
  const rounded = Number(size.toFixed(digits));
  const rest = (rounded % 60).toFixed(digits).padStart(digits > 0 ? 3 + digits : 2, "0");
  const minutes = Math.floor(rounded / 60);
  if (minutes < 60) return `${sign}${minutes}:${rest}`;
  return `${sign}${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`;
}

/** How many digits behind the point tell steps apart; nanoseconds are the finest there are. */
function decimals(step: number): number {
  return step > 0 ? Math.min(Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)), 9) : 3;
}

function trimmed(value: number, step: number): string {
  const text = value.toFixed(decimals(step));
  return (text.includes(".") ? withoutZeros(text) : text).replace("-", "−");
}
