/** All there is in a tree, in words. */
import type { TreeInfo } from "../core/types.ts";
import { formatValue, unitOf } from "./value.ts";

/** What the root says. */
export function rootLabel(tree: TreeInfo): string {
  return `${tree.average ? "average" : totalWord(tree.start)} ${totalOf(tree)}`;
}

/** What the width of a frame means. Frames of a chart, which have a start, are as wide as they last. */
export const totalWord = (start: number | null | undefined) => (typeof start === "number" ? "duration" : "total");

export function totalOf(tree: TreeInfo): string {
  const { diff, total } = tree;
  const unit = unitOf(tree);
  return diff ? `${formatValue(diff.base, unit)} → ${formatValue(diff.comparison, unit)}` : formatValue(total, unit);
}
