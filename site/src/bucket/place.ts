/** Where objects are that pages read without a server: a bucket, or a folder of any static host. */
import { FileError } from "../files/source.ts";

/** A place that says itself what it has, or a tenant's part of a bucket, whose catalog is found day by day. */
export type Place = { objects: string; catalog: string[]; made: Made | null } | { objects: string; tenant: string };

/** What a bundle was made of. */
export interface Made {
  selector: string;
  /** Milliseconds since the epoch. */
  from: number;
  until: number;
  commit: string;
}

/** The version of the file that describes a bundle. */
const VERSION = 1;

/** The place behind an address: that of a bundle's description (`….json`), or of a tenant (`…/t/<tenant>/`). */
export async function placeOf(address: URL): Promise<Place> {
  if (address.pathname.endsWith(".json")) return describedPlace(address);
  const found = /^(.*\/)t\/([^/]+)\/?$/.exec(address.pathname);
  if (!found) {
    throw new FileError("This is not the address of a bucket that Pilotlight writes.", [
      "Give the address of a tenant in it, which ends with /t/<tenant>/, or that of a bundle's bundle.json.",
    ]);
  }
  return { objects: new URL(found[1], address).href, tenant: decodeURIComponent(found[2]) };
}

async function describedPlace(address: URL): Promise<Place> {
  const response = await fetch(address, { cache: "no-cache" }).catch((failure: unknown) => {
    throw unreachable(address.href, failure);
  });
  if (!response.ok)
    throw new FileError(`There is no bundle here: the host answers ${response.status}.`, [address.href]);
  const description: unknown = await response.json().catch(() => null);
  if (!isDescription(description)) {
    throw new FileError("This file does not describe a bundle.", ["Check the address.", address.href]);
  }
  if (description.version !== VERSION) {
    throw new FileError(`This bundle has version ${description.version}, and this page reads version ${VERSION}.`, [
      "Open it with the page that came with it.",
    ]);
  }
  const { catalog, made } = description;
  return { objects: new URL(".", address).href, catalog, made: made ?? null };
}

interface Description {
  version: number;
  catalog: string[];
  made?: Made;
}

function isDescription(value: unknown): value is Description {
  const { version, catalog } = (value ?? {}) as Partial<Description>;
  return typeof version === "number" && Array.isArray(catalog) && catalog.every((name) => typeof name === "string");
}

/** The browser does not tell a host that is not there from one that forbids. */
export function unreachable(address: string, failure: unknown): FileError {
  const reason = failure instanceof Error ? failure.message : String(failure);
  return new FileError("The bucket did not answer, or does not allow this page to read it.", [
    "Check that you are online, and the address.",
    "A bucket on another host has to allow this page by its CORS rules: GET and HEAD, and the header range.",
    `${address}: ${reason}`,
  ]);
}
