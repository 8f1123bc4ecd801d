/** Bytes as text, and back. */

/** Bytes encoded at once: a few milliseconds' worth. A multiple of three, so that only the last piece is padded. */
const PIECE = 3 << 15;
/** Few enough arguments for one call of a function. */
const CHUNK = 0x8000;

/** In pieces, between which the page answers. */
export async function base64Of(file: Blob): Promise<string> {
  let base64 = "";
  for (let from = 0; from < file.size; from += PIECE) {
    const bytes = new Uint8Array(await file.slice(from, from + PIECE).arrayBuffer());
    let text = "";
    for (let i = 0; i < bytes.length; i += CHUNK) text += String.fromCharCode(...bytes.subarray(i, i + CHUNK));
    base64 += btoa(text);
  }
  return base64;
}

/** Throws on what is no base64. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  // Uint8Array.from takes twenty times as long.
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** The letters that need no escape in an address. */
export function urlSafe(base64: string): string {
  return base64.replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

export function fromUrlSafe(text: string): string {
  return text.replace(/-/g, "+").replace(/_/g, "/");
}
