/** Where objects are that pages read without a server: a bucket, or a folder of any static host. */
import { FileError } from "../files/source.ts";
import { type Bundle, describedBundle } from "./description.ts";

/** A place that says itself what it has, or a tenant's part of a bucket, whose catalog is found day by day. */
export type Place = Bundle | { objects: string; tenant: string };

/** The place behind an address: that of a bundle's description (`….json`), or of a tenant (`…/t/<tenant>/`). */
export async function placeOf(address: URL): Promise<Place> {
  if (address.pathname.endsWith(".json")) return describedPlace(address);
  const found = /^(.*\/)t\/([^/]+)\/?$/.exec(address.pathname);
  const tenant = found && decoded(found[2]);
  if (!tenant) {
    throw new FileError("This is not the address of a Pilotlight bucket.", [
      "Use a tenant's address, which ends with /t/<tenant>/, or the address of a bundle.json.",
    ]);
  }
  return { objects: new URL(found[1], address).href, tenant };
}

/** Empty where a percent sign escapes nothing. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return "";
  }
}

async function describedPlace(address: URL): Promise<Place> {
  const response = await fetch(address, { cache: "no-cache" }).catch((failure: unknown) => {
    throw unreachable(address.href, failure);
  });
  const isPage = response.headers.get("content-type")?.startsWith("text/html");
  if (!response.ok || isPage) {
    const answer = response.ok ? "a web page" : response.status;
    throw new FileError(`No bundle found: the host returned ${answer}.`, [address.href]);
  }
  return describedBundle(await response.json().catch(() => null), address);
}

/** The browser does not tell a host that is not there from one that forbids. */
export function unreachable(address: string, failure: unknown): FileError {
  const reason = failure instanceof Error ? failure.message : String(failure);
  return new FileError("The bucket did not answer, or doesn't allow this page to read it.", [
    "Check the address, and that you are online.",
    "The CORS rules of a bucket on another host must allow this page to send GET and HEAD requests with the Range header. Also build the site with PROFILE_ORIGINS set to that host.",
    `${address}: ${reason}`,
  ]);
}
