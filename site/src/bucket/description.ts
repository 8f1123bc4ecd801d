/** What bundle.json says of a bundle. */
import { FileError } from "../files/source.ts";

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
  /** Of some profiles in its range only sums were left, which are not in it. */
  incomplete?: boolean;
}

/** The version of the file that describes a bundle. */
const VERSION = 1;

/** Reads a description; `address` is where it stands. */
export function describedBundle(description: unknown, address: URL): Bundle {
  if (!isDescription(description)) {
    throw new FileError("This file does not describe a bundle.", ["Check the address.", address.href]);
  }
  if (description.version !== VERSION) {
    throw new FileError(
      `This bundle has version ${description.version}, but this page supports only version ${VERSION}.`,
      ["Open the bundle with the page that came with it."],
    );
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
  const { selector, from, until, commit, when, files, incomplete } = (value ?? {}) as Record<keyof Made, unknown>;
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
    incomplete: incomplete === true,
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function isDescription(value: unknown): value is Description {
  const { version, catalog } = (value ?? {}) as Partial<Description>;
  return typeof version === "number" && Array.isArray(catalog) && catalog.every((name) => typeof name === "string");
}
