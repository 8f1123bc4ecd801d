/** By what the functions of a tree are sorted. */
import type { TreeInfo } from "../../core/types.ts";
import type { Sort } from "../url/values.ts";

/** A total that is lower by less is about the same. */
const ABOUT_THE_SAME = 0.98;

/**
 * The order in force: a difference has no column of self values, a tree no changes. A comparison in the order that addresses
 * leave out begins with what changed in the direction of the whole, or grew where that is about the same.
 */
export function sortOf({ diff }: Pick<TreeInfo, "diff">, { column, descending }: Sort): Sort {
  if (!diff) return { column: column.endsWith("delta") ? "self" : column, descending };
  if (column !== "self") return { column, descending };
  return { column: "delta", descending: descending && diff.comparison >= ABOUT_THE_SAME * diff.base };
}
