/**
 * The bucket that the pages ask in place of a server: one that the address of the page names (`bucket`), or the bundle that
 * the site came with. Empty with a server.
 */
import { base } from "../../base.ts";

const named = new URLSearchParams(location.search).get("bucket");
const own = document.querySelector<HTMLLinkElement>('link[rel="pilotlight-bundle"]')?.getAttribute("href");
const given = named ?? own ?? "";

export const place: string = given !== "" && URL.canParse(given, base.href) ? new URL(given, base).href : "";

/** The parameter that keeps a named bucket in the addresses of all pages. */
export function withPlace(address: string): string {
  if (!named || !place) return address;
  const url = new URL(address);
  url.searchParams.set("bucket", named);
  return url.href;
}
