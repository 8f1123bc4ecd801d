/** A link that holds the profile itself, behind the #, which browsers do not send. */
import { base } from "../base.ts";
import { core } from "../core/index.ts";
import type { TreeInfo } from "../core/types.ts";
import { gzip } from "../state/page/download.ts";
import type { Source } from "../state/profile/sources.ts";
import { takenSteps } from "../state/profile/steps.ts";
import { formatUrlState } from "../state/url/urlstate.ts";
import { base64Of, urlSafe } from "./base64.ts";
import { viewOf } from "./page.ts";

/** What chats, mail programs and browsers pass on whole. */
export const LONGEST_LINK = 32_000;

export async function linkOf(tree: TreeInfo, { id, name }: Source): Promise<string> {
  const link = new URL(formatUrlState(viewOf(tree, [])), base);
  // As it is seen: what was filtered out would only make it longer.
  const pprof = await core.exportPprof(id, takenSteps.peek());
  const profile = urlSafe(await base64Of(await gzip(pprof)));
  link.hash = `p=${profile}&title=${encodeURIComponent(name)}`;
  return link.href;
}
