/** What is stored behind what is seen, as a bundle: all types of the service, as far as filters and range choose them. */
import { fetchBundle } from "../api.ts";
import { base } from "../base.ts";
import { makeSite, type SiteForm } from "../bundle/bundle.ts";
import { download } from "../state/page/download.ts";
import { notify } from "../state/page/notice.ts";
import { placeOf } from "../state/query/place.ts";
import { selector } from "../state/query/selector.ts";
import { span } from "../state/query/services.ts";
import { exploreRoute } from "../state/url/router.ts";

const MIME: Record<SiteForm, string> = { zip: "application/zip", html: "text/html" };
/** Longer than it takes. */
const UNTIL_DONE = 600_000;

export async function exportBundle(form: SiteForm): Promise<void> {
  const place = placeOf("base");
  const { service, base: side, window } = exploreRoute.peek();
  const query = selector(service, side.filters);
  const range = window ?? span.peek();
  const [from, until, when] = [Math.round(range.from), Math.round(range.until), new Date().toISOString()];
  notify("Gathering the profiles…", UNTIL_DONE);
  const of = place ? { place, query, from, until, when } : await fetchBundle(query, { from, until }, when);
  const made = of && (await makeSite({ of, form, pages: base.href }));
  if (!made) return notify("No profiles in this range.");
  download(new Blob([made.bytes], { type: MIME[form] }), made.name);
  notify(`Saved ${made.name}`);
}
