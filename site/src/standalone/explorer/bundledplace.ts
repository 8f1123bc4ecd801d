/** The place of a page that holds a bundle. */
import { type Bundle, describedBundle } from "../../bucket/description.ts";
import { FileError } from "../../files/source.ts";
import { base } from "./explorerbase.ts";
import { embedded } from "./objects.ts";

/** What the page calls its own bundle; every other address is of another place. */
export const own: string = new URL("bundle.json", base).href;

export async function placeOf(address: URL): Promise<Bundle> {
  if (address.href !== own) throw unreachable(address.href);
  return describedBundle(embedded?.description ?? null, address);
}

/** Nothing is fetched. */
export function unreachable(address: string): FileError {
  return new FileError("This exported page can't load other addresses.", [address]);
}
