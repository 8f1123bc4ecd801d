/** The place of a page that holds a bundle. */
import { type Bundle, describedBundle } from "../../bucket/description.ts";
import { FileError } from "../../files/source.ts";
import { embedded } from "./objects.ts";

export async function placeOf(address: URL): Promise<Bundle> {
  return describedBundle(embedded?.description ?? null, address);
}

/** Nothing is fetched. */
export function unreachable(address: string): FileError {
  return new FileError("This page alone reads no other place.", [address]);
}
