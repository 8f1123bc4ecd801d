/** Labels as one filters and compares by them. */

/** Two values of a label, one for each side of a comparison. */
export interface LabelSides {
  name: string;
  values: [string, string];
}

/** Comparisons offered at once. */
const MAX_COMPARISONS = 3;

/** What tells one deploy from the next is what most people compare. */
const VERSION = /(^|[^a-z])(version|release|revision|commit|sha|build|tag|git[^a-z]*ref)($|[^a-z])/i;

/** "1.9" before "1.10". */
export const natural = new Intl.Collator("en", { numeric: true }).compare;

/** Names in the order in which they are worth filtering by: those with several values first. */
export function labelOrder(labels: Record<string, string[]>): string[] {
  const own = Object.keys(labels).filter((name) => name !== "service_name" && !/^__.*__$/.test(name));
  const rank = (name: string) => (labels[name].length < 2 ? 2 : isVersion(name) ? 0 : 1);
  return own.sort((a, b) => rank(a) - rank(b) || natural(a, b));
}

export function isVersion(name: string): boolean {
  return VERSION.test(separateWords(name));
}

/** A new word in a name begins behind a sign, or with a capital letter. */
function separateWords(name: string): string {
  return name.replace(/([a-z])(?=[A-Z])/g, "$1_");
}

/**
 * Labels with several values, each with the last two: "version: 1.8.2 ↔ 1.9.0". Names do not tell which values of `versions`
 * came last: what is known of that label is `latest`.
 */
export function labelComparisons(
  labels: Record<string, string[]>,
  versions?: string,
  latest?: LabelSides,
): LabelSides[] {
  const others = labelOrder(labels)
    .filter((name) => labels[name].length > 1 && name !== versions)
    .map((name): LabelSides => {
      const [before, after] = [...labels[name]].sort(natural).slice(-2);
      return { name, values: [before, after] };
    });
  return [...(latest ? [latest] : []), ...others].slice(0, MAX_COMPARISONS);
}

export function comparisonLabel({ name, values: [before, after] }: LabelSides): string {
  return `${name}: ${before || "empty"} ↔ ${after || "empty"}`;
}
