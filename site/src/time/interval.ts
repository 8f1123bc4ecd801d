/**
 * How sure the change of a share is. A side is cut into parts, windows of time or processes, and what varies between its
 * parts says how far its share may be off.
 *
 * The share of a side is the sum of its parts' values over the sum of their wholes, so that it equals what a comparison of
 * both sides says. Its variance is that of a ratio estimate, from the residuals of the parts (Cochran, Sampling Techniques,
 * 3rd edition, 1977, chapter 6); of parts of equal size that is the standard error of their mean share. The interval of the
 * difference is Welch's, with the degrees of freedom of Satterthwaite (Welch, "The generalization of Student's problem when
 * several different population variances are involved", Biometrika 34, 1947).
 */

/** One part of a side: what is looked at, and all there is. */
export interface Part {
  value: number;
  whole: number;
}

/** The share of a side, the variance of that estimate, and from how many parts it is. */
export interface Share {
  share: number;
  variance: number;
  parts: number;
}

export interface Interval {
  low: number;
  high: number;
}

/** Below three parts the variance of a side is a guess. */
export const FEWEST_PARTS = 3;

export function shareOf(parts: Part[]): Share {
  const whole = parts.reduce((sum, part) => sum + part.whole, 0);
  const n = parts.length;
  if (whole <= 0) return { share: 0, variance: Number.POSITIVE_INFINITY, parts: n };
  const share = parts.reduce((sum, part) => sum + part.value, 0) / whole;
  const squares = parts.reduce((sum, part) => sum + (part.value - share * part.whole) ** 2, 0);
  const variance = n < 2 ? Number.POSITIVE_INFINITY : ((n / (n - 1)) * squares) / whole ** 2;
  return { share, variance, parts: n };
}

/** Welch's interval of `after` less `before`, which misses the truth in a part `error` of cases. */
export function welch(before: Share, after: Share, error: number): Interval & { freedom: number } {
  const difference = after.share - before.share;
  const variance = before.variance + after.variance;
  if (!Number.isFinite(variance)) return { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY, freedom: 0 };
  if (variance === 0) return { low: difference, high: difference, freedom: Number.POSITIVE_INFINITY };
  const freedom = variance ** 2 / (before.variance ** 2 / (before.parts - 1) + after.variance ** 2 / (after.parts - 1));
  const reach = studentQuantile(error / 2, freedom) * Math.sqrt(variance);
  return { low: difference - reach, high: difference + reach, freedom };
}

/** Both together: the interval that holds what either does. */
export function wider(a: Interval, b: Interval): Interval {
  return { low: Math.min(a.low, b.low), high: Math.max(a.high, b.high) };
}

/** The value above which Student's distribution has the part `tail`, at most a half. */
export function studentQuantile(tail: number, freedom: number): number {
  let high = 1;
  while (studentTail(high, freedom) > tail && high < 1e12) high *= 2;
  let low = 0;
  for (let i = 0; i < 60 && high - low > high * 1e-10; i++) {
    const middle = (low + high) / 2;
    if (studentTail(middle, freedom) > tail) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The part of Student's distribution above `t`, which is not negative. */
export function studentTail(t: number, freedom: number): number {
  return incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2;
}

/** The regularised incomplete beta function, by its continued fraction (DLMF 8.17.22), evaluated after Lentz. */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  // The fraction converges quickly on this side of the mean.
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  const tiny = 1e-300;
  const kept = (value: number) => (Math.abs(value) < tiny ? tiny : value);
  let c = 1;
  let d = 1 / kept(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m < 300; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / kept(1 + even * d);
    c = kept(1 + even / c);
    fraction *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / kept(1 + odd * d);
    c = kept(1 + odd / c);
    fraction *= d * c;
    if (Math.abs(d * c - 1) < 1e-14) break;
  }
  return (front * fraction) / a;
}

/** Stirling's series, after the recurrence has made the argument large (DLMF 5.11.1). */
function logGamma(x: number): number {
  let shift = 0;
  let z = x;
  for (; z < 10; z++) shift -= Math.log(z);
  const series = 1 / (12 * z) - 1 / (360 * z ** 3) + 1 / (1260 * z ** 5) - 1 / (1680 * z ** 7);
  return shift + (z - 0.5) * Math.log(z) - z + Math.log(2 * Math.PI) / 2 + series;
}
