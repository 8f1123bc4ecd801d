/** By what the functions of a tree are sorted. */
import type { TreeInfo } from "../../core/types.ts";
import type { Sort } from "../url/values.ts";

/** The order in force: a difference has no self column, a tree no change. */
export function sortOf(info: TreeInfo, { column, descending }: Sort): Sort {
  const fitting = info.diff ? (column === "self" ? "delta" : column) : column === "delta" ? "self" : column;
  return { column: fitting, descending };
}
