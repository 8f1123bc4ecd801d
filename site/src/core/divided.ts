/**
 * What is shown of a tree's values. The core's are sums over all profiles; an average, a rate or a share is such a sum
 * divided. That is done here and nowhere else, so that the picture, the table and the drawer agree.
 */

/** How the values of a tree are divided. */
export interface Division {
  by: number;
  /** Of the quotient; that of the profile when absent. */
  unit?: string;
}

/** The unit of a value that is a share of the whole, in hundredths. */
export const SHARE = "%";
/** Behind the unit of a value that is a rate. */
export const A_SECOND = "/s";
/** CPU time a time: the load that keeps so many processors busy. */
export const CORES = "cores";

/** What makes shares of values of which `total` are 100 %. */
export function sharesOf(total: number): Division {
  return { by: total / 100 || 1, unit: SHARE };
}

/** Values as they are. */
export const WHOLE: Division = { by: 1 };

/** Fields of the core's answers that are amounts; counts, depths and fractions are not. */
const AMOUNTS = new Set([
  "self",
  "total",
  "whole",
  "function_self",
  "function_total",
  "base",
  "comparison",
  "base_self",
  "base_total",
  "comparison_self",
  "comparison_total",
]);

/** An answer of the core with its amounts divided: those in `…_exact` exactly, those of `…diff` in it too. */
export function divided<T extends object>(answer: T, { by }: Division): T {
  if (by === 1) return answer;
  const fields = Object.entries(answer).map(([name, value]) => {
    if (typeof value === "number" && AMOUNTS.has(name)) return [name, value / by];
    if (typeof value === "string" && name.endsWith("_exact")) return [name, quotient(value, by)];
    return [name, value && name.endsWith("diff") ? divided(value as object, { by }) : value];
  });
  return Object.fromEntries(fields) as T;
}

/** Fractions with larger divisors are unreadable. */
const LARGEST_DIVISOR = 1_000n;

/** An exact quotient as text: "41", "41 2/3". Six digits where there is no readable one. */
export function quotient(decimal: string, by: number): string {
  if (by === 1) return decimal;
  if (!Number.isInteger(by) || by < 1) return String(Number((Number(decimal) / by).toPrecision(6)));
  const [value, divisor] = [BigInt(decimal), BigInt(by)];
  const [size, sign] = value < 0n ? [-value, "-"] : [value, ""];
  const [whole, rest] = [size / divisor, size % divisor];
  if (rest === 0n) return `${sign}${whole}`;
  const common = greatestDivisor(rest, divisor);
  if (divisor / common > LARGEST_DIVISOR) return String(Number((Number(decimal) / by).toPrecision(6)));
  return `${sign}${whole} ${rest / common}/${divisor / common}`;
}

function greatestDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : greatestDivisor(b, a % b);
}
