/** One HTML file that shows what is seen, without a server and without a network. */
import { fetchTemplate } from "../api.ts";
import { core } from "../core/index.ts";
import { timeOf } from "../core/steps.ts";
import type { TreeInfo } from "../core/types.ts";
import { comparing } from "../state/profile/files.ts";
import { shown } from "../state/profile/shown.ts";
import type { Source } from "../state/profile/sources.ts";
import { takenSteps } from "../state/profile/stepchanges.ts";
import { formatRoute, initialRoute, type RouteOf } from "../state/url/route.ts";
import { fileRoute, pictureRoute, route } from "../state/url/router.ts";

/** What a page that stands alone holds. */
export interface Embedded {
  /** Query of the address of `/file`: what is seen of the profiles. */
  view: string;
  profiles: { name: string; base64: string }[];
}

/** Where it stands in the template. */
const PLACE = '<script type="application/json" id="embedded">';

/** The page of profiles after some steps; of whole ones it has the steps in its address, where they can be removed. */
export async function pageOf(tree: TreeInfo, sources: Source[], steps: string[]): Promise<Blob> {
  const embedded = sources.map(async ({ id, name }) => ({ name, base64: await core.exportBase64(id, steps) }));
  const [template, ...profiles] = await Promise.all([fetchTemplate(), ...embedded]);
  const left = steps.length > 0 ? [] : takenSteps.peek();
  const view = formatRoute(viewOf(tree, left)).replace(/^[^?]*/, "");
  return new Blob(fillTemplate(template, view, profiles), { type: "text/html" });
}

/**
 * What is seen, on the page of files, which knows no services. What it shows has no times, so it takes no part of them, and
 * has no chart: its frames are others.
 */
export function viewOf(tree: TreeInfo, steps: string[]): RouteOf<"file"> {
  const { view, invert, sandwich, zoom, extent, selection, search, sort, wholeFile, graph } = pictureRoute.peek();
  const untimed = steps.filter((step) => timeOf(step) === null);
  const drawn = view === "chart" ? {} : { view, zoom, extent, selection };
  const seen = { ...drawn, steps: untimed, invert, sandwich, search, sort, wholeFile, graph };
  const { measure } = fileRoute.peek();
  const compared = route.peek().page === "file" ? { compare: comparing.peek(), measure } : comparedPage();
  return { ...initialRoute("file"), type: tree.type, ...seen, ...compared };
}

/** A page doesn't know which time its profiles cover: what is compared by loads is there scaled to the same time. */
function comparedPage(): Partial<RouteOf<"file">> {
  const answer = shown.peek();
  const compared = answer.state === "ready" ? answer.compared : undefined;
  if (!compared) return {};
  return { compare: true, measure: compared.measure === "share" ? "share" : "amount" };
}

/** A profile to embed: base64, in ASCII. */
export interface EncodedProfile {
  name: string;
  base64: Uint8Array<ArrayBuffer>;
}

/** The parts of the file. Profiles are parts of their own: as base64 they are JSON already, and long. */
export function fillTemplate(template: string, view: string, profiles: EncodedProfile[]): BlobPart[] {
  const at = template.indexOf(PLACE) + PLACE.length;
  if (at < PLACE.length) throw new Error("viewer.html next to this page contains no placeholder for a profile");
  // A script element ends at the first "</script", wherever that stands.
  const json = (text: string) => JSON.stringify(text).replace(/</g, "\\u003c");
  const entries = profiles.flatMap(({ name, base64 }, i) => [
    `${i > 0 ? "," : ""}{"name":${json(name)},"base64":"`,
    base64,
    '"}',
  ]);
  return [template.slice(0, at), `{"view":${json(view)},"profiles":[`, ...entries, "]}", template.slice(at)];
}
