/** The function that views of one function begin with where nobody has chosen one. */
import { useEffect, useRef } from "preact/hooks";
import { core } from "../../core/index.ts";
import type { TableRow } from "../../core/types.ts";
import { inTurn, tree } from "./focus.ts";

/**
 * Calls once for a tree with the function that has most in itself, of a comparison with the one that grew most, where none is
 * chosen. Who takes the choice back has none.
 */
export function useHeaviest(chosen: boolean, choose: (row: TableRow, tree: number) => Promise<void> | void): void {
  const info = tree.value;
  const asked = useRef<number | null>(null);
  useEffect(() => {
    if (!info || asked.current === info.id) return;
    asked.current = info.id;
    if (chosen) return;
    const stop = new AbortController();
    const query = { sort: info.diff ? "delta" : "self", descending: true, filter: "", offset: 0, limit: 1 } as const;
    void inTurn(async (id) => {
      if (id !== info.id) return;
      const [heaviest] = (await core.table(id, query)).rows;
      if (heaviest && !stop.signal.aborted) await choose(heaviest, id);
    });
    return () => stop.abort();
  }, [info?.id]);
}
