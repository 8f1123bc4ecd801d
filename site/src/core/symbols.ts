/** Names for addresses, from a program. Their reader is a WASM of its own in a worker that ends with it: programs are large. */

/** What a program did for a profile. */
export interface Named {
  /** The profile with names; none when nothing was named. */
  pprof: Uint8Array<ArrayBuffer> | undefined;
  /** Whether the program is part of the profile. */
  fits: boolean;
  /** Addresses that were named, of how many without a name in the program. */
  named: number;
  addresses: number;
  /** Build ids of the program. */
  ids: string[];
  warnings: string[];
  /** Modules that had addresses without names, with their build ids. */
  wanted: string[];
}

export interface SymbolsRequest {
  name: string;
  program: Blob;
  /** As pprof. They are gone afterwards. */
  profiles: Uint8Array<ArrayBuffer>[];
}

/** What the worker answers. */
export type SymbolsReply = { named: Named[] } | { error: string };

/** Names the addresses of profiles with a program, which the worker itself reads. The signal ends it at once. */
export function nameAddresses(request: SymbolsRequest, signal: AbortSignal): Promise<Named[]> {
  const worker = new Worker(new URL("./symbolizer.ts", import.meta.url), {
    type: "module",
    name: "pilotlight symbols",
  });
  const read = new Promise<Named[]>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<SymbolsReply>) => {
      if ("named" in data) resolve(data.named);
      else reject(new Error(data.error));
    };
    signal.addEventListener("abort", () => reject(signal.reason));
    worker.onerror = (event) => reject(new Error(event.message || "the reader of programs did not start"));
    worker.postMessage(
      request,
      request.profiles.map((profile) => profile.buffer),
    );
  });
  return read.finally(() => worker.terminate());
}
