/** The function that views of one function begin with where nobody has chosen one. */
import { useEffect } from "preact/hooks";
import { core } from "../../core/index.ts";
import type { TableRow } from "../../core/types.ts";
import { inTurn, tree } from "./focus.ts";

/** Calls with the function that has most in itself, of a comparison the one that grew most, while none is chosen. */
export function useHeaviest(chosen: boolean, choose: (row: TableRow, tree: number) => void): void {
  const info = tree.value;
  useEffect(() => {
    if (chosen || !info) return;
    let gone = false;
    const query = { sort: info.diff ? "delta" : "self", descending: true, filter: "", offset: 0, limit: 1 } as const;
    void inTurn(async (id) => {
      if (id !== info.id) return;
      const [heaviest] = (await core.table(id, query)).rows;
      if (heaviest && !gone) choose(heaviest, id);
    });
    return () => {
      gone = true;
    };
  }, [chosen, info?.id]);
}
