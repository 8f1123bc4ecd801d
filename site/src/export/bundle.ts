/** What is stored behind what is seen, as a bundle: all types of the service, as far as filters and range choose them. */
import { fetchBundle } from "../api.ts";
import { base } from "../base.ts";
import { makeSite } from "../bucket/bucket.ts";
import type { SiteForm } from "../bucket/protocol.ts";
import { download } from "../state/page/download.ts";
import { notify } from "../state/page/notice.ts";
import { selector } from "../state/query/selector.ts";
import { span } from "../state/query/services.ts";
import { urlState } from "../state/url/router.ts";

const MIME: Record<SiteForm, string> = { zip: "application/zip", html: "text/html" };

export async function exportBundle(form: SiteForm): Promise<void> {
  const { service, base: side, window } = urlState.peek();
  const { signal } = new AbortController();
  notify("Gathering the profiles…", 60_000);
  const bundle = await fetchBundle(selector(service, side.filters), window ?? span.peek(), new Date(), signal);
  if (!bundle) return notify("There is no profile in this range.");
  const { name, bytes } = await makeSite(bundle, form, base.href, signal);
  download(new Blob([bytes], { type: MIME[form] }), name);
  notify(`${name} is made.`);
}
