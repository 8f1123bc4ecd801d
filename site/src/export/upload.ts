/** What is seen, put on the server for a while, and the link to it. */
import { askServer } from "../api.ts";
import { ApiError, noServer } from "../apierror.ts";
import { base } from "../base.ts";
import { core } from "../core/index.ts";
import type { TreeInfo } from "../core/types.ts";
import { FileError } from "../files/source.ts";
import type { Source } from "../state/profile/sources.ts";
import { takenSteps } from "../state/profile/stepchanges.ts";
import { formatRoute } from "../state/url/route.ts";
import { fileName } from "./index.ts";
import { viewOf } from "./page.ts";

/** The link, and the id of the share in it. */
export async function upload(
  tree: TreeInfo,
  { id, name }: Source,
  days: number,
): Promise<{ link: string; id: string }> {
  const link = viewOf(tree, []);
  // As it is seen: what was filtered out stays here.
  const body = await core.exportPprof(id, takenSteps.peek());
  const params = { days: String(days), name: `${fileName(name).slice(0, 200)}.pb.gz` };
  const response = await askServer("shares", params, null, { method: "POST", body }).catch((failure) => {
    throw (failure instanceof ApiError && refusal(failure)) || failure;
  });
  if (!response.headers.get("content-type")?.startsWith("application/json")) throw noServer();
  const share = ((await response.json()) as { id: string }).id;
  return { link: new URL(formatRoute({ ...link, shares: [share] }), base).href, id: share };
}

/** What an answer means for who uploads; undefined where it means the same as for every call. */
function refusal({ kind, status, reason, retryAfter }: ApiError): FileError | undefined {
  if (kind === "absent" || status === 405) return new FileError("This address has no Pilotlight server.", []);
  if (status === 413) return new FileError("The profile is too large to upload: the server accepts up to 16 MiB.", []);
  if (status === 429 && retryAfter === 0)
    return new FileError(`The server accepts no more shared profiles: ${reason}.`, []);
  return undefined;
}
