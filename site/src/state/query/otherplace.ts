/** The way to another bundle, by what a person has of it. */
import { base } from "../../base.ts";
import { initialRoute } from "../url/route.ts";
import { href } from "../url/router.ts";

/** The address that describes a bundle: of its folder, of one of its pages, or its own. That of a bucket's tenant stays. */
export function bundleAddress(typed: string): URL | null {
  const text = typed.trim();
  if (text === "" || !URL.canParse(text, base.href)) return null;
  const url = new URL(text, base);
  // "localhost:8000" would be an address of a kind "localhost".
  if (!/^(https?|file):$/.test(url.protocol)) return null;
  url.hash = "";
  if (url.pathname.endsWith(".json") || /\/t\/[^/]+\/?$/.test(url.pathname)) return url;
  url.search = "";
  const page = /\/[^/]*\.html$/.test(url.pathname);
  url.pathname = page || url.pathname.endsWith("/") ? url.pathname : `${url.pathname}/`;
  return new URL("bundle.json", url);
}

/** Goes to the comparison of the first place with another. The page loads anew, with the times of both. */
export function compareWith(other: URL): void {
  const target = new URL(href(initialRoute("diff")));
  const text = other.origin === base.origin ? other.pathname + other.search : other.href;
  target.searchParams.set("bucket2", text);
  location.assign(target);
}
