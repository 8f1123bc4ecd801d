/** The Web Worker that reads one program, and names addresses with it. */
import init, { symbolize, tables } from "../wasm/symbols/pilotlight.js";
import type { Named, SymbolsReply, SymbolsRequest } from "./symbols.ts";

const port = self as unknown as {
  onmessage: (event: MessageEvent<SymbolsRequest>) => void;
  postMessage(reply: SymbolsReply, transfer?: Transferable[]): void;
};

port.onmessage = async ({ data: { name, program, profiles, tables: wantsTables } }) => {
  try {
    await init();
    const bytes = new Uint8Array(await program.arrayBuffer());
    const named = symbolize(name, bytes, profiles).map((answer): Named => {
      const { fits, by_name: byName, named, addresses, ids, warnings, wanted } = answer;
      const pprof = answer.take_pprof() as Uint8Array<ArrayBuffer> | undefined;
      return { pprof, fits, byName, named, addresses, ids, warnings, wanted };
    });
    const stored = wantsTables && named.some(({ fits, byName }) => fits && !byName);
    const { made, refused } = stored ? makeTables(name, bytes) : { made: [], refused: "" };
    port.postMessage(
      { named, tables: made, refused },
      [...named.flatMap(({ pprof }) => pprof ?? []), ...made].map(({ buffer }) => buffer),
    );
  } catch (failure) {
    port.postMessage({ error: describe(failure) });
  }
};

/** What names the profiles need not be small enough to be kept. */
function makeTables(name: string, bytes: Uint8Array) {
  try {
    return { made: tables(name, bytes) as Uint8Array<ArrayBuffer>[], refused: "" };
  } catch (failure) {
    return { made: [], refused: describe(failure) };
  }
}

function describe(failure: unknown): string {
  // A bare trap: no room for more, in the memory or on the stack.
  if (failure instanceof WebAssembly.RuntimeError || failure instanceof RangeError)
    return "they need more memory than is available";
  return failure instanceof Error ? failure.message : String(failure);
}
