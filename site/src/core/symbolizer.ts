/** The Web Worker that names addresses with one program. */
import init, { symbolize } from "../wasm/symbols/pilotlight.js";
import type { Named, SymbolsReply, SymbolsRequest } from "./symbols.ts";

const port = self as unknown as {
  onmessage: (event: MessageEvent<SymbolsRequest>) => void;
  postMessage(reply: SymbolsReply, transfer?: Transferable[]): void;
};

port.onmessage = async ({ data: { name, program, profiles } }) => {
  try {
    await init();
    const bytes = new Uint8Array(await program.arrayBuffer());
    const named = symbolize(name, bytes, profiles).map((answer): Named => {
      const { fits, named, addresses, ids, warnings, wanted } = answer;
      const pprof = answer.take_pprof() as Uint8Array<ArrayBuffer> | undefined;
      return { pprof, fits, named, addresses, ids, warnings, wanted };
    });
    port.postMessage(
      { named },
      named.flatMap(({ pprof }) => (pprof ? [pprof.buffer] : [])),
    );
  } catch (failure) {
    port.postMessage({ error: describe(failure) });
  }
};

function describe(failure: unknown): string {
  // A bare trap: no room for more, in the memory or on the stack.
  if (failure instanceof WebAssembly.RuntimeError || failure instanceof RangeError)
    return "they need more memory than their reader has";
  return failure instanceof Error ? failure.message : String(failure);
}
