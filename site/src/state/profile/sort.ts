/** By what the functions of a tree are sorted. */
import type { TreeInfo } from "../../core/types.ts";
import type { Sort } from "../url/values.ts";

/**
 * The order in force: a difference has no column of self values, a tree no changes. A comparison in the order that addresses
 * leave out begins with what changed in the direction of the whole.
 */
export function sortOf({ diff }: Pick<TreeInfo, "diff">, { column, descending }: Sort): Sort {
  if (!diff) return { column: column.endsWith("delta") ? "self" : column, descending };
  if (column !== "self") return { column, descending };
  return { column: "delta", descending: descending && diff.comparison >= diff.base };
}
