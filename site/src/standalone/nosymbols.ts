/** A page that stands alone does not carry the reader of programs; names that were found are in its profile. */
export function readSymbols(): Promise<never> {
  return Promise.reject(new Error("this exported page can't read binaries; use Pilotlight instead"));
}
