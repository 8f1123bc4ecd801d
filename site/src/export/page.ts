/** One HTML file that shows what is seen, without a server and without a network. */
import { fetchTemplate } from "../api.ts";
import { core } from "../core/index.ts";
import type { TreeInfo } from "../core/types.ts";
import { gzip } from "../state/page/download.ts";
import type { Source } from "../state/profile/sources.ts";
import { urlState } from "../state/url/router.ts";
import { formatUrlState, initialUrlState, type UrlState } from "../state/url/urlstate.ts";
import { base64Of } from "./base64.ts";

/** What a page that stands alone holds. */
export interface Embedded {
  /** Query of the address of `/file`: what is seen of the profiles. */
  view: string;
  profiles: { name: string; base64: string }[];
}

/** Where it stands in the template. */
const PLACE = '<script type="application/json" id="embedded">';

export async function pageOf(tree: TreeInfo, sources: Source[]): Promise<Blob> {
  const [template, ...profiles] = await Promise.all([fetchTemplate(), ...sources.map(embed)]);
  const view = formatUrlState(viewOf(tree)).replace(/^[^?]*/, "");
  return new Blob([fillTemplate(template, { view, profiles })], { type: "text/html" });
}

async function embed({ id, name }: Source): Promise<Embedded["profiles"][number]> {
  return { name, base64: await base64Of(await gzip(await core.exportPprof(id))) };
}

/** What is seen, on the page of files, which knows no services and no times. */
export function viewOf(tree: TreeInfo): UrlState {
  const { view, zoom, extent, selection, search, sort, wholeFile, graph, compare, measure, route } = urlState.peek();
  const seen = { view, zoom, extent, selection, search, sort, wholeFile, graph };
  const compared = route === "file" ? { compare, measure } : {};
  return { ...initialUrlState("file"), type: tree.type, ...seen, ...compared };
}

export function fillTemplate(template: string, embedded: Embedded): string {
  const at = template.indexOf(PLACE) + PLACE.length;
  if (at < PLACE.length) throw new Error("viewer.html beside this page holds no place for a profile");
  // A script element ends at the first "</script", wherever that stands.
  const json = JSON.stringify(embedded).replace(/</g, "\\u003c");
  return template.slice(0, at) + json + template.slice(at);
}
