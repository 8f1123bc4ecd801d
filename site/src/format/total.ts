/** All there is in a tree, in words. */
import type { TreeInfo } from "../core/types.ts";
import { formatValue, unitOf } from "./value.ts";

/** What the root says. */
export function rootLabel(tree: TreeInfo): string {
  return `${tree.average ? "average" : "total"} ${totalOf(tree)}`;
}

export function totalOf(tree: TreeInfo): string {
  const { diff, total } = tree;
  const unit = unitOf(tree);
  return diff ? `${formatValue(diff.base, unit)} → ${formatValue(diff.comparison, unit)}` : formatValue(total, unit);
}
