/**
 * Formats that few files have, and those that few ask for. Their WASM is one of its own, and its memory is large: it runs in a
 * worker that ends with its file.
 */
export interface Imported {
  format: string;
  pprof: Uint8Array<ArrayBuffer>;
  /** When each sample was taken, where the format says so. */
  times: BigInt64Array<ArrayBuffer> | undefined;
  warnings: string[];
}

/** What is written there. */
export type JsonFormat = "speedscope" | "flamebearer";

/** What the worker is asked: to read a file, or to write pprof in another format. */
export type ImportRequest =
  | { read: Uint8Array<ArrayBuffer> }
  | { write: JsonFormat; pprof: Uint8Array<ArrayBuffer>; type: number };

/** What the worker answers. */
export type ImportReply =
  | { imported: Imported }
  | { written: Uint8Array<ArrayBuffer> }
  | { error: string; name: string };

/** Reads a file that the viewer cannot read by itself. The bytes are gone afterwards. The signal ends it at once. */
export async function importProfile(bytes: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<Imported> {
  const reply = await ask({ read: bytes }, bytes, signal);
  if ("imported" in reply) return reply.imported;
  throw failure(reply);
}

/** Writes pprof in another format; of one that holds one sample type, this one. The bytes are gone afterwards. */
export async function writeProfile(
  pprof: Uint8Array<ArrayBuffer>,
  write: JsonFormat,
  type: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const reply = await ask({ write, pprof, type }, pprof);
  if ("written" in reply) return reply.written;
  throw failure(reply);
}

function ask(request: ImportRequest, bytes: Uint8Array<ArrayBuffer>, signal?: AbortSignal): Promise<ImportReply> {
  const worker = new Worker(new URL("./importer.ts", import.meta.url), { type: "module", name: "pilotlight imports" });
  const answered = new Promise<ImportReply>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<ImportReply>) => resolve(data);
    signal?.addEventListener("abort", () => reject(signal.reason));
    worker.onerror = (event) => reject(new Error(event.message || "this format's reader did not start"));
    worker.postMessage(request, [bytes.buffer]);
  });
  return answered.finally(() => worker.terminate());
}

function failure(reply: ImportReply): Error {
  return "error" in reply ? Object.assign(new Error(reply.error), { name: reply.name }) : new Error("another answer");
}
