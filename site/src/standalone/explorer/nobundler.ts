/** A page that stands alone does not carry the maker of bundles: it is one. */
export function makeSite(): Promise<never> {
  return Promise.reject(new Error("an exported page can't be exported again; use Pilotlight instead"));
}
