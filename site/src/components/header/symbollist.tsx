import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { formatBytes, plural } from "../../format/value.ts";
import { useAction } from "../../state/action.ts";
import { deleteSymbols, listSymbols, type SymbolTable } from "../../state/query/storedsymbols.ts";
import { DeleteForEveryone } from "../controls/deleteforeveryone.tsx";
import { ProblemNote } from "../status/problemnote.tsx";

/** Programs whose symbols name addresses, each to be deleted. */
export function SymbolList() {
  const tables = useSignal<SymbolTable[] | null>(null);
  const { problem, run } = useAction("list the stored symbols");
  const list = (signal: AbortSignal | null) =>
    run(async () => {
      tables.value = await listSymbols(signal);
    });
  useEffect(() => {
    const stop = new AbortController();
    void list(stop.signal);
    return () => stop.abort();
  }, []);
  return (
    <section class="pins" aria-label="Symbols">
      <h3>Symbols</h3>
      {problem.value && <ProblemNote problem={problem.value} />}
      {tables.value?.length === 0 && (
        <p class="hint">None. Drop a binary or its debug file on a service's page to symbolize its profiles.</p>
      )}
      {tables.value && tables.value.length > 0 && (
        <ul>
          {tables.value.map((table) => (
            <li key={table.id} data-testid="symbol-table">
              <DeleteForEveryone
                name={`the symbols of ${table.file}`}
                testid="symbol-table-delete"
                remove={async () => {
                  await deleteSymbols(table.id);
                  await list(null);
                }}
              >
                <span title={table.build_ids.join(" ")}>
                  {table.file}{" "}
                  <span class="soft">
                    {plural(table.functions, "function")}
                    {table.lines ? " with lines" : ""}, {formatBytes(table.size)}
                  </span>
                </span>
              </DeleteForEveryone>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
