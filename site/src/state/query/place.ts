/**
 * The bucket that the pages ask in place of a server: one that the address of the page names (`bucket`), or the bundle that
 * the site came with. Empty with a server.
 */
import { base } from "../../base.ts";

const named = new URLSearchParams(location.search).get("bucket");
const link = document.querySelector<HTMLLinkElement>('link[rel="pilotlight-bundle"]');
const own = link?.getAttribute("href");
const given = named ?? own ?? "";

export const place: string = given !== "" && URL.canParse(given, base.href) ? new URL(given, base).href : "";

/** When the profiles of the own bundle begin and end; without one the pages begin with the last hour. */
export const ownSpan: { from: number; until: number } | null =
  named === null && link ? { from: Number(link.dataset.from), until: Number(link.dataset.until) } : null;

/** The address of a page: with the bucket that was named, and as the name of a file where any static host may serve it. */
export function withPlace(address: string): string {
  const url = new URL(address);
  if (named && place) url.searchParams.set("bucket", named);
  else if (link && !/(\/|\.html)$/.test(url.pathname)) url.pathname += ".html";
  else return address;
  return url.href;
}
