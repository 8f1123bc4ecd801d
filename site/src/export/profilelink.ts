/** A link that holds the profile itself, behind the #, which browsers do not send. */
import { base } from "../base.ts";
import { urlSafe } from "../core/encoding.ts";
import { core } from "../core/index.ts";
import type { TreeInfo } from "../core/types.ts";
import type { Source } from "../state/profile/sources.ts";
import { takenSteps } from "../state/profile/stepchanges.ts";
import { formatRoute } from "../state/url/route.ts";
import { viewOf } from "./page.ts";

/** What chats, mail programs and browsers pass on whole. */
export const LONGEST_LINK = 32_000;

export async function linkOf(tree: TreeInfo, { id, name }: Source): Promise<string> {
  const link = new URL(formatRoute(viewOf(tree, [])), base);
  // As it is seen: what was filtered out would only make it longer.
  const base64 = await core.exportBase64(id, takenSteps.peek());
  const profile = urlSafe(new TextDecoder().decode(base64));
  link.hash = `p=${profile}&title=${encodeURIComponent(name)}`;
  return link.href;
}
