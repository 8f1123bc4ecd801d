/** What each side of the comparison on the screen has in all. */
import type { DiffTotals, TreeInfo } from "../../core/types.ts";
import { formatExact, unitOf } from "../../format/value.ts";
import type { SideName } from "../url/values.ts";
import { shown } from "./shown.ts";
import { takenSteps } from "./stepchanges.ts";

export interface SideTotals extends Record<SideName, number> {
  unit: string;
  /** In words, to the last digit. */
  exact: Record<SideName, string>;
}

/** Without filters what the profiles have; of what filters leave, and of rates, the tree says how much there is, in its unit. */
export function sideTotals(tree: Pick<TreeInfo, "type" | "unit">, diff: DiffTotals): SideTotals {
  const unit = unitOf(tree);
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
    const own = unitOf({ type: tree.type, unit: base.unit });
    const exact = { base: formatExact(base.exact, own), other: formatExact(other.exact, own) };
    return { base: base.total, other: other.total, unit: own, exact };
  }
  if (compared || !totals) return ofTree;
  const { base, other } = totals;
  const own = unitOf(base);
  const exact = { base: formatExact(base.total_exact, own), other: formatExact(other.total_exact, own) };
  return { base: base.total, other: other.total, unit: own, exact };
}
