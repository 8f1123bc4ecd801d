/** The function that views of one function begin with where nobody has chosen one. */
import { useEffect, useRef } from "preact/hooks";
import { core } from "../../core/index.ts";
import type { TableRow, TreeInfo } from "../../core/types.ts";
import { inTurn, tree } from "./focus.ts";

/**
 * Calls once for a tree with the function that has most in itself, of a comparison with the one that changed most, where none
 * is chosen. Who takes the choice back has none.
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
      const heaviest = await heaviestOf(info);
      if (heaviest && !stop.signal.aborted) await choose(heaviest, id);
    });
    return () => stop.abort();
  }, [info?.id]);
}

async function heaviestOf({ id, diff }: TreeInfo): Promise<TableRow | undefined> {
  const sort = diff ? "delta" : "self";
  const ends = await Promise.all(
    [true, false].map((descending) => core.table(id, { sort, descending, filter: "", offset: 0, limit: 1 })),
  );
  return ends.flatMap(({ rows }) => rows).sort((a, b) => weight(b) - weight(a))[0];
}

/** In a comparison, how much a function changed, in either direction. */
const weight = ({ self, diff }: TableRow) => (diff ? Math.abs(diff.comparison_total - diff.base_total) : self);
