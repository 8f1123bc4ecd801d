/** The core of a page that stands alone: its WASM is in the page, and it runs on the page's own thread. */
import type { Core } from "../core/core.ts";
import { bytesOf } from "../core/encoding.ts";
import { localCore } from "../core/local.ts";
import { loadEngine } from "../core/viewer.ts";

export const core: Core = localCore(readEngine().then(loadEngine));

async function readEngine(): Promise<ArrayBuffer> {
  const zipped = new Blob([bytesOf(document.getElementById("engine")?.textContent ?? "")]);
  return new Response(zipped.stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}
