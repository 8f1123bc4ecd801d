/** Reads parts of objects from a static host, with ranges or without. */
import { FileError } from "../files/source.ts";
import { formatBytes } from "../format/value.ts";
import { unreachable } from "./place.ts";

/** A part of an object. */
export interface Part {
  key: string;
  offset: number;
  length: number;
  /** How many bytes the object has, as the catalog says. */
  size: number;
}

/** What a host without ranges may send for one part. */
const MOST_WHOLE = 32 << 20;
/** How many bytes of whole objects are kept: several parts are read of each. */
const MOST_KEPT = 128 << 20;

/** An object that the catalog names and the host does not have: it was replaced, and the catalog is older. */
export class Gone extends Error {}

export class Host {
  /** Whether the host has answered a range with the whole object. */
  withoutRanges = false;
  /** How many requests were made. */
  requests = 0;
  readonly #objects: string;
  readonly #whole = new Map<string, Uint8Array<ArrayBuffer>>();

  /** `objects` is what the names of objects begin with. */
  constructor(objects: string) {
    this.#objects = objects;
  }

  /** The bytes of a part, checked for their number. */
  async read(part: Part, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
    const kept = this.#whole.get(part.key);
    if (kept) return cut(kept, part);
    const range = `bytes=${part.offset}-${part.offset + part.length - 1}`;
    // Objects never change.
    const headers = this.withoutRanges ? undefined : { range };
    const response = await this.#fetch(part.key, { signal, headers, cache: "force-cache" });
    if (response.status === 206) {
      const total = /\/(\d+)$/.exec(response.headers.get("content-range") ?? "")?.[1];
      if (total && Number(total) !== part.size) throw changed(part, Number(total));
      const bytes = await bodyOf(response, part.key, signal);
      if (bytes.length !== part.length) throw short(part.key, part.length, bytes.length);
      return bytes;
    }
    this.withoutRanges = true;
    if (part.size > MOST_WHOLE) {
      await response.body?.cancel();
      throw new FileError(
        "This host sends no parts of files, and an object of this query is too large to be read whole.",
        [
          `It has ${formatBytes(part.size)}; up to ${formatBytes(MOST_WHOLE)} are read.`,
          "Serve the folder from a host that answers range requests.",
        ],
      );
    }
    const bytes = await bodyOf(response, part.key, signal);
    if (bytes.length !== part.size) throw changed(part, bytes.length);
    this.#keep(part.key, bytes);
    return cut(bytes, part);
  }

  /** A whole file that may have changed since it was last read; null when there is none. */
  async whole(key: string): Promise<Uint8Array<ArrayBuffer> | null> {
    try {
      return await bodyOf(await this.#fetch(key, { cache: "no-cache" }), key);
    } catch (failure) {
      if (failure instanceof Gone) return null;
      throw failure;
    }
  }

  async #fetch(key: string, how: RequestInit): Promise<Response> {
    const address = this.#objects + key.split("/").map(encodeURIComponent).join("/");
    this.requests++;
    const response = await fetch(address, how).catch((failure: unknown) => {
      how.signal?.throwIfAborted();
      throw unreachable(address, failure);
    });
    // Buckets that may not be listed answer 403 for what is not there.
    if (response.status === 404 || response.status === 403) throw new Gone(key);
    if (response.status === 416) throw short(key, 0, 0);
    if (!response.ok) {
      throw new FileError(`The bucket answers ${response.status} ${response.statusText}.`.replace(" .", "."), [
        "Try again in a moment.",
        address,
      ]);
    }
    return response;
  }

  /** Keeps an object; the oldest go when there are too many bytes. */
  #keep(key: string, bytes: Uint8Array<ArrayBuffer>): void {
    this.#whole.set(key, bytes);
    let kept = 0;
    for (const object of this.#whole.values()) kept += object.length;
    for (const [oldest, object] of this.#whole) {
      if (kept <= MOST_KEPT || oldest === key) break;
      kept -= object.length;
      this.#whole.delete(oldest);
    }
  }
}

function cut(object: Uint8Array<ArrayBuffer>, { offset, length }: Part): Uint8Array<ArrayBuffer> {
  return object.slice(offset, offset + length);
}

/** Half a body is an error of the network. */
async function bodyOf(response: Response, key: string, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await response.arrayBuffer());
  } catch (failure) {
    signal?.throwIfAborted();
    throw unreachable(key, failure);
  }
}

function changed({ key, size }: Part, found: number): FileError {
  return new FileError("An object of the bucket is not the one that its catalog names.", [
    "Copy the folder again: some of its files are of another time.",
    `${key} has ${found} bytes, and should have ${size}.`,
  ]);
}

function short(key: string, wanted: number, found: number): FileError {
  return new FileError("An object of the bucket is cut off.", [
    "Copy the folder again.",
    wanted > 0 ? `${key}: ${wanted} bytes were asked for, ${found} came.` : `${key} ends before what was asked for.`,
  ]);
}
