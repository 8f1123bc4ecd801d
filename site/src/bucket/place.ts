/** Where objects are that pages read without a server: a bucket, or a folder of any static host. */
import { FileError } from "../files/source.ts";

/** A place that says itself what it has, or a tenant's part of a bucket, whose catalog is found day by day. */
export type Place = Bundle | { objects: string; tenant: string };

export interface Bundle {
  objects: string;
  catalog: string[];
  /** Of its objects; empty when it does not say. */
  digest: string;
  made: Made;
}

/** What a bundle was made of, as far as it says so. */
export interface Made {
  selector?: string;
  /** When its profiles begin and end, in milliseconds since the epoch. */
  from?: number;
  until?: number;
  commit?: string;
  /** When it was made, in milliseconds since the epoch. */
  when?: number;
  /** How many files it was made of. */
  files?: number;
}

/** The version of the file that describes a bundle. */
const VERSION = 1;

/** The place behind an address: that of a bundle's description (`….json`), or of a tenant (`…/t/<tenant>/`). */
export async function placeOf(address: URL, signal: AbortSignal): Promise<Place> {
  if (address.pathname.endsWith(".json")) return describedPlace(address, signal);
  const found = /^(.*\/)t\/([^/]+)\/?$/.exec(address.pathname);
  if (!found) {
    throw new FileError("This is not the address of a bucket that Pilotlight writes.", [
      "Give the address of a tenant in it, which ends with /t/<tenant>/, or that of a bundle's bundle.json.",
    ]);
  }
  return { objects: new URL(found[1], address).href, tenant: decodeURIComponent(found[2]) };
}

async function describedPlace(address: URL, signal: AbortSignal): Promise<Place> {
  const response = await fetch(address, { signal, cache: "no-cache" }).catch((failure: unknown) => {
    signal.throwIfAborted();
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
  const { catalog, digest, made } = description;
  return { objects: new URL(".", address).href, catalog, digest: textOf(digest) ?? "", made: madeOf(made) };
}

interface Description {
  version: number;
  catalog: string[];
  digest?: unknown;
  made?: unknown;
}

/** What a calendar can say. */
const LATEST = 8.64e15;

/** What makes no sense is as if absent. */
function madeOf(value: unknown): Made {
  const { selector, from, until, commit, when, files } = (value ?? {}) as Record<keyof Made, unknown>;
  const number = (value: unknown) => (Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined);
  const time = (value: unknown) => (Number(value) <= LATEST ? number(value) : undefined);
  const parsed = Date.parse(textOf(when) ?? "");
  return {
    selector: textOf(selector),
    from: time(from),
    until: time(until),
    commit: textOf(commit),
    when: Number.isNaN(parsed) ? undefined : parsed,
    files: number(files),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
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
    "A bucket on another host has to allow this page by its CORS rules: GET and HEAD, and the header range. The page has to allow that host, too: PROFILE_ORIGINS when the site is built.",
    `${address}: ${reason}`,
  ]);
}
