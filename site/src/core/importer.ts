/** The Web Worker that reads one file of a format that few have, or writes one. */
import init, { read, write } from "../wasm/imports/pilotlight.js";
import type { ImportReply, ImportRequest } from "./imports.ts";

const port = self as unknown as {
  onmessage: (event: MessageEvent<ImportRequest>) => void;
  postMessage(reply: ImportReply, transfer?: Transferable[]): void;
};

port.onmessage = async ({ data }) => {
  try {
    await init();
    if ("read" in data) answerRead(data.read);
    else {
      const written = write(data.write, data.pprof, data.type) as Uint8Array<ArrayBuffer>;
      port.postMessage({ written }, [written.buffer]);
    }
  } catch (failure) {
    const { message, name } = failure instanceof Error ? failure : new Error(String(failure));
    port.postMessage({ error: message, name });
  }
};

function answerRead(bytes: Uint8Array<ArrayBuffer>): void {
  const file = read(bytes);
  const pprof = file.take_pprof() as Uint8Array<ArrayBuffer>;
  const times = file.take_times() as BigInt64Array<ArrayBuffer> | undefined;
  const imported = { format: file.format, pprof, times, warnings: file.warnings };
  port.postMessage({ imported }, times ? [pprof.buffer, times.buffer] : [pprof.buffer]);
}
