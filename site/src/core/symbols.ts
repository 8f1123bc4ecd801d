/** Names for addresses, from a program: for open profiles, or as tables that a server keeps. Their reader is a WASM of its own in a worker that ends with it: programs are large. */

/** What a program did for a profile. */
export interface Named {
  /** The profile with names; none when nothing was named. */
  pprof: Uint8Array<ArrayBuffer> | undefined;
  /** Whether the program is part of the profile. */
  fits: boolean;
  /** Whether it was told by its file's name, for want of a build id. */
  byName: boolean;
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
  /** Whether its tables are wanted, too. */
  tables: boolean;
}

/** What was read of a program. */
export interface Symbols {
  named: Named[];
  /** What names its addresses, as a server keeps it: one for each processor. None where no build id says that it is part of a profile. */
  tables: Uint8Array<ArrayBuffer>[];
  /** Why there are none of a program that is part of a profile, as where they are too large; else empty. */
  refused: string;
}

/** What the worker answers. */
export type SymbolsReply = Symbols | { error: string };

/** Names the addresses of profiles with a program, which the worker itself reads. The signal ends it at once. */
export function readSymbols(request: SymbolsRequest, signal: AbortSignal): Promise<Symbols> {
  const worker = new Worker(new URL("./symbolizer.ts", import.meta.url), {
    type: "module",
    name: "pilotlight symbols",
  });
  const read = new Promise<Symbols>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<SymbolsReply>) => {
      if ("error" in data) reject(new Error(data.error));
      else resolve(data);
    };
    signal.addEventListener("abort", () => reject(signal.reason));
    worker.onerror = (event) => reject(new Error(event.message || "the binary reader did not start"));
    worker.postMessage(
      request,
      request.profiles.map((profile) => profile.buffer),
    );
  });
  return read.finally(() => worker.terminate());
}
