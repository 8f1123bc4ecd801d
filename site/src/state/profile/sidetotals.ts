/** What each side of the comparison on the screen has in all. */
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

/** Without filters what the profiles have; of what filters leave, and of rates, the tree says how much there is, in its unit. */
export function sideTotals({ unit }: Pick<TreeInfo, "unit">, diff: DiffTotals): SideTotals {
  const { compared, totals } = shown.value.state === "ready" ? shown.value : {};
  // A group changes names alone.
  const filtered = takenSteps.value.some((step) => !step.startsWith("group:"));
  const ofTree = {
    base: diff.base,
    other: diff.comparison,
    unit,
    exact: { base: formatExact(diff.base_exact, unit), other: formatExact(diff.comparison_exact, unit) },
  };
  if (filtered) return ofTree;
  if (compared && compared.measure !== "rate") {
    const { base, other } = compared;
    const exact = { base: formatExact(base.exact, base.unit), other: formatExact(other.exact, other.unit) };
    return { base: base.total, other: other.total, unit: base.unit, exact };
  }
  if (compared || !totals) return ofTree;
  const { base, other } = totals;
  const exact = {
    base: formatExact(base.total_exact, base.unit),
    other: formatExact(other.total_exact, base.unit),
  };
  return { base: base.total, other: other.total, unit: base.unit, exact };
}
