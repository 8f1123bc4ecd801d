/** The function that views of one function begin with where nobody has chosen one. */
import { useEffect, useRef } from "preact/hooks";
import { core } from "../../core/index.ts";
import type { TableRow, TreeInfo } from "../../core/types.ts";
import { inTurn, tree } from "./focus.ts";
import { sortOf } from "./sort.ts";

/**
 * Calls once for a tree with the function that has most in itself, of a comparison with the one that changed most in the
 * direction of the whole, where none is chosen. Who takes the choice back has none.
 */
export function useHeaviest(chosen: boolean, choose: (row: TableRow, tree: number) => Promise<void> | void): void {
  const info = tree.value;
  const asked = useRef<number | null>(null);
  useEffect(() => {
    if (!info || asked.current === info.id) return;
    asked.current = info.id;
    if (chosen) return;
    const stop = new AbortController();
    void inTurn(async (id) => {
      if (id !== info.id) return;
      const first = await firstOf(info);
      if (first && !stop.signal.aborted) await choose(first, id);
    });
    return () => stop.abort();
  }, [info?.id]);
}

/** The first of the table in the order that it begins with. */
async function firstOf(info: TreeInfo): Promise<TableRow | undefined> {
  const { column, descending } = sortOf(info, { column: "self", descending: true });
  const { rows } = await core.table(info.id, { sort: column, descending, filter: "", offset: 0, limit: 1 });
  return rows[0];
}
