/** The Web Worker that reads one file of a format that few have. */
import init, { read } from "../wasm/imports/pilotlight.js";
import type { ImportReply } from "./imports.ts";

const port = self as unknown as {
  onmessage: (event: MessageEvent<Uint8Array>) => void;
  postMessage(reply: ImportReply, transfer?: Transferable[]): void;
};

port.onmessage = async ({ data }) => {
  try {
    await init();
    const file = read(data);
    const pprof = file.take_pprof() as Uint8Array<ArrayBuffer>;
    const times = file.take_times() as BigInt64Array<ArrayBuffer> | undefined;
    const imported = { format: file.format, pprof, times, warnings: file.warnings };
    port.postMessage({ imported }, times ? [pprof.buffer, times.buffer] : [pprof.buffer]);
  } catch (failure) {
    const { message, name } = failure instanceof Error ? failure : new Error(String(failure));
    port.postMessage({ error: message, name });
  }
};
