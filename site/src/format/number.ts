/** Three significant digits, no trailing zeros, thousands grouped: 1.24, 23.4, 1,024. */
export function short(value: number): string {
  const digits = decimals(value);
  const text = value.toFixed(digits);
  return grouped(digits === 0 ? text : withoutZeros(text));
}

/** A decimal less zeros at its end; it has a point. */
export function withoutZeros(decimal: string): string {
  return decimal.replace(/\.?0+$/, "");
}

/** Three digits behind the point, more where a smaller value needs them for three of its own: 205.5, 0.0000125. */
export function decimal(value: number): string {
  const first = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)));
  return withoutZeros(value.toFixed(Math.min(Math.max(3, 2 - first), 100)));
}

/** How many digits behind the point make three in all. */
function decimals(value: number): number {
  const size = Math.abs(value);
  return size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
}

/** Groups the digits of a decimal number given as text, so that integers beyond 2^53 stay exact. */
export function grouped(decimal: string): string {
  const sign = decimal.startsWith("-") ? "−" : "";
  const [whole] = /\d*/.exec(decimal.slice(sign.length)) ?? [""];
  return sign + whole.replace(/\B(?=(\d{3})+$)/g, ",") + decimal.slice(sign.length + whole.length);
}

/** A count of things: exact while it is short, then 240 k, 1.24 M. */
export function count(value: number): string {
  if (Math.abs(value) < 100_000) return grouped(String(Math.round(value)));
  return scaled(value, [
    ["k", 1e3],
    ["M", 1e6],
    ["G", 1e9],
    ["T", 1e12],
  ]);
}

/** A share of the whole: 31.4 %, 0.25 %. Never 0 for something, never 100 for less than all. */
export function percent(fraction: number): string {
  const value = Math.abs(fraction) * 100;
  const sign = fraction < 0 ? "−" : "";
  if (!Number.isFinite(value) || value === 0) return "0 %";
  if (value < 0.005) return `${sign}<0.01 %`;
  if (value < 0.095) return `${sign}${value.toFixed(2)} %`;
  if (value < 100 && value >= 99.95) return `${sign}>99.9 %`;
  return `${sign}${grouped(value.toFixed(value >= 1000 ? 0 : 1).replace(/\.0$/, ""))} %`;
}

/** How much changed against before: +12 %, −3.4 %, "new", "gone". */
export function change(before: number, after: number): string {
  if (before === after) return "±0 %";
  if (before === 0) return "new";
  if (after === 0) return "gone";
  const part = (after - before) / before;
  if (part >= 10) return `×${short(after / before)}`;
  // Only a share must not read as 100 % before it is all.
  if (part >= 0.9995 && part < 1) return "+100 %";
  return (part > 0 ? "+" : "") + percent(part);
}

/** As `change`, to a whole percent: "+39 %" where pages that cut time into other steps find 38.6 and 39.1, and "±0 %". */
export function roughChange(before: number, after: number): string {
  const part = (after - before) / before;
  const isRough = part > -0.99 && part < 10;
  return isRough ? change(100, Math.round(100 + 100 * part)) : change(before, after);
}

/** The largest unit that leaves at least one before the point, rounding included (999.7 ms is 1 s). */
export function scaled(value: number, units: [name: string, factor: number][]): string {
  const size = Math.abs(value);
  let [name, factor] = units[0];
  for (const [next, nextFactor] of units) {
    const shown = Number((size / factor).toFixed(decimals(size / factor)));
    if (shown * factor < nextFactor) break;
    [name, factor] = [next, nextFactor];
  }
  return `${short(value / factor)} ${name}`;
}
