/** Bundles for the person: a slice of what is stored, with the pages around it. Its WASM is large, and ends with its bundle. */

import type { Failure } from "../bucket/protocol.ts";
import { FileError } from "../files/source.ts";

/** A site as a zip, or as one page. */
export type SiteForm = "zip" | "html";

/** What is selected of a bucket. Times are milliseconds since the epoch. */
export interface Slice {
  place: string;
  query: string;
  from: number;
  until: number;
  /** When the bundle is made, as text. */
  when: string;
}

/** What the worker is asked: to take a slice of a bucket, or the zip of a bundle, as a site. `pages` is where this site is. */
export interface BundleRequest {
  of: Slice | Uint8Array<ArrayBuffer>;
  form: SiteForm;
  pages: string;
}

/** A file for the person. */
export interface MadeSite {
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** What the worker answers; null when nothing was selected. */
export type BundleReply = { made: MadeSite | null } | Failure;

export async function makeSite(request: BundleRequest): Promise<MadeSite | null> {
  const worker = new Worker(new URL("./bundler.ts", import.meta.url), { type: "module", name: "pilotlight bundle" });
  const answered = new Promise<BundleReply>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<BundleReply>) => resolve(data);
    worker.onerror = (event) => reject(new Error(event.message || "the bundle builder did not start"));
    worker.postMessage(request);
  });
  const reply = await answered.finally(() => worker.terminate());
  if ("made" in reply) return reply.made;
  if ("meaning" in reply) throw new FileError(reply.meaning, reply.tries);
  throw new Error(reply.error);
}
