/** Formats that few files have. Their reader is a WASM of its own, and its memory is large: it runs in a worker that ends with it. */
export interface Imported {
  format: string;
  pprof: Uint8Array<ArrayBuffer>;
  /** When each sample was taken, where the format says so. */
  times: BigInt64Array<ArrayBuffer> | undefined;
  warnings: string[];
}

/** What the worker answers. */
export type ImportReply = { imported: Imported } | { error: string; name: string };

/** Reads a file that the viewer cannot read by itself. The bytes are gone afterwards. The signal ends it at once. */
export function importProfile(bytes: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<Imported> {
  const worker = new Worker(new URL("./importer.ts", import.meta.url), { type: "module", name: "pilotlight imports" });
  const read = new Promise<Imported>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<ImportReply>) => {
      if ("imported" in data) resolve(data.imported);
      else reject(Object.assign(new Error(data.error), { name: data.name }));
    };
    signal.addEventListener("abort", () => reject(signal.reason));
    worker.onerror = (event) => reject(new Error(event.message || "the reader of this format did not start"));
    worker.postMessage(bytes, [bytes.buffer]);
  });
  return read.finally(() => worker.terminate());
}
