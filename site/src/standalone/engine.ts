/** WASM that is in the page itself. */
import { bytesOf } from "../core/encoding.ts";

/** What a script element holds: base64 of gzip. */
export async function embeddedEngine(id: string): Promise<ArrayBuffer> {
  const zipped = new Blob([bytesOf(document.getElementById(id)?.textContent ?? "")]);
  return new Response(zipped.stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}
