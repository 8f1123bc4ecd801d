/** What each side of the comparison on the screen has in all. */
import type { DiffTotals, TreeInfo } from "../../core/types.ts";
import { change } from "../../format/number.ts";
import { formatExact, formatValue, unitOf } from "../../format/value.ts";
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

/** Of totals that read alike, a change by less than this part is none. */
const NO_CHANGE = 0.001;

/** The totals as they are shown, and how much changed between them. */
export function changeOfTotals({ base, other, unit }: Omit<SideTotals, "exact">): [totals: string, change: string] {
  const [from, to] = [formatValue(base, unit), formatValue(other, unit)];
  const isSame = from === to && Math.abs(other - base) <= NO_CHANGE * base;
  return [`${from} → ${to}`, isSame ? "±0 %" : change(base, other)];
}

/** What steps leave of each side, from 0 to 1; nothing where that isn't known. */
export function sidesLeft({ whole }: Pick<TreeInfo, "whole">, diff: DiffTotals): [number, number] | null {
  if (diff.base + diff.comparison === whole) return [1, 1];
  const parts = partsOfWhole(diff);
  if (!parts) return null;
  const [base, other] = parts;
  // Values that were scaled are rounded: what is all of a side may be a little less.
  const share = (left: number, part: number) => Number((part > 0 ? left / whole / part : 0).toPrecision(6));
  return [share(diff.base, base / (base + other)), share(diff.comparison, other / (base + other))];
}

/** How much of both sides together each of them is before the steps, in any unit. */
function partsOfWhole(diff: DiffTotals): [number, number] | null {
  if (diff.normalised_to !== null) return [1, 1];
  const { compared, totals } = shown.value.state === "ready" ? shown.value : {};
  if (!compared) return totals ? [totals.base.total, totals.other.total] : null;
  const { measure, base, other } = compared;
  return measure === "rate"
    ? [base.total / base.coveredMillis, other.total / other.coveredMillis]
    : [base.total, other.total];
}
