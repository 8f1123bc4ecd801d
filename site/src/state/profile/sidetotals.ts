/** What each side of the comparison on the screen has in all. */
import { SHARE } from "../../core/divided.ts";
import type { DiffTotals, TreeInfo } from "../../core/types.ts";
import { formatExact } from "../../format/value.ts";
import type { SideName } from "../url/urlstate.ts";
import { shown } from "./shown.ts";
import { takenSteps } from "./steps.ts";

export interface SideTotals extends Record<SideName, number> {
  unit: string;
  /** In words, to the last digit. */
  exact: Record<SideName, string>;
}

/** Without filters what the profiles have; of what filters leave, and of rates, the tree says how much there is. */
export function sideTotals({ unit }: Pick<TreeInfo, "unit">, diff: DiffTotals): SideTotals {
  const { compared, totals } = shown.value.state === "ready" ? shown.value : {};
  // A group changes names alone.
  const filtered = takenSteps.value.some((step) => !step.startsWith("group:"));
  const scaled = diff.normalised && unit !== SHARE && totals && totals.other.total > 0 && totals.base.total > 0;
  const other = scaled ? Math.round((diff.comparison * totals.other.total) / totals.base.total) : diff.comparison;
  const ofTree = {
    base: diff.base,
    other,
    unit,
    exact: {
      base: formatExact(diff.base_exact, unit),
      other: formatExact(scaled ? String(other) : diff.comparison_exact, unit),
    },
  };
  if (filtered) return ofTree;
  if (compared && compared.measure !== "rate") {
    const { base, other } = compared;
    const exact = { base: formatExact(base.exact, base.unit), other: formatExact(other.exact, other.unit) };
    return { base: base.total, other: other.total, unit: base.unit, exact };
  }
  if (compared || !totals) return ofTree;
  const exact = {
    base: formatExact(totals.base.total_exact, unit),
    other: formatExact(totals.other.total_exact, unit),
  };
  return { base: totals.base.total, other: totals.other.total, unit, exact };
}
