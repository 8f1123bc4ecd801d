/** Reads parts of objects from a static host, with ranges or without. */
import { FileError } from "../files/source.ts";
import { formatBytes } from "../format/value.ts";
import { unreachable } from "./objectplace.ts";

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

type Bytes = Uint8Array<ArrayBuffer>;

/** An object that the catalog names and the host does not have: it was replaced, and the catalog is older. */
export class Gone extends Error {
  /** Whether the host says that it may not be read. */
  readonly forbidden: boolean;
  constructor(key: string, forbidden = false) {
    super(key);
    this.forbidden = forbidden;
  }
}

/** An object of another size: a bundle was replaced by another at its address, or a folder is of several times. */
export class Changed extends FileError {}

export class Host {
  /** Whether the host has answered a range with the whole object. */
  withoutRanges = false;
  /** How many requests were made. */
  requests = 0;
  readonly #objects: string;
  readonly #query: string;
  readonly #cache: RequestCache;
  /** Whether the host has answered a range with a part. */
  #withRanges = false;
  /** Whole objects, and what is on its way and may be one. */
  readonly #whole = new Map<string, { size: number; bytes: Promise<Bytes> }>();

  /** `objects` is what the names of objects begin with; of a bundle there is a digest, empty when it does not say. */
  constructor({ objects, digest }: { objects: string; digest?: string }) {
    this.#objects = objects;
    // Objects of a bucket never change. A bundle may replace another at its address, with other objects of the same names.
    this.#query = digest ? `?${encodeURIComponent(digest)}` : "";
    this.#cache = digest === "" ? "no-cache" : "force-cache";
  }

  /** The bytes of a part, checked for their number. */
  async read(part: Part, signal: AbortSignal): Promise<Bytes> {
    for (let kept = this.#whole.get(part.key); kept; kept = this.#whole.get(part.key)) {
      const bytes = await kept.bytes.catch(() => null);
      signal.throwIfAborted();
      if (bytes?.length === part.size) return cut(bytes, part);
      if (this.#whole.get(part.key) === kept) this.#whole.delete(part.key);
    }
    const answer = this.#request(part, signal);
    // Until the host has sent a part, it may send the whole object; other parts of it wait for that.
    if (this.withoutRanges || !this.#withRanges) this.#keep(part, answer);
    const bytes = await answer;
    return bytes.length === part.size ? cut(bytes, part) : bytes;
  }

  /** The bytes of a part, or of the whole object. */
  async #request(part: Part, signal: AbortSignal): Promise<Bytes> {
    const range = `bytes=${part.offset}-${part.offset + part.length - 1}`;
    const headers = this.withoutRanges ? undefined : { range };
    const response = await this.#fetch(part.key, { signal, headers, cache: this.#cache });
    if (response.status === 206) {
      this.#withRanges = true;
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
        "This host doesn't support range requests, and an object in this query is too large to read whole.",
        [
          `The object is ${formatBytes(part.size)}; at most ${formatBytes(MOST_WHOLE)} can be read.`,
          "Serve the folder from a host that supports range requests.",
        ],
      );
    }
    const bytes = await bodyOf(response, part.key, signal);
    if (bytes.length !== part.size) throw changed(part, bytes.length);
    return bytes;
  }

  /** A whole file that may have changed since it was last read. */
  async whole(key: string): Promise<Bytes> {
    return bodyOf(await this.#fetch(key, { cache: "no-cache" }), key);
  }

  async #fetch(key: string, how: RequestInit): Promise<Response> {
    const address = this.#objects + key.split("/").map(encodeURIComponent).join("/") + this.#query;
    this.requests++;
    const response = await fetch(address, how).catch((failure: unknown) => {
      how.signal?.throwIfAborted();
      throw unreachable(address, failure);
    });
    const isPage = response.headers.get("content-type")?.startsWith("text/html");
    // Buckets that may not be listed answer 403 for what is not there, and some hosts send their first page.
    if (response.status === 404 || response.status === 403 || (response.ok && isPage)) {
      await response.body?.cancel();
      throw new Gone(key, response.status === 403);
    }
    if (response.status === 416) throw short(key, 0, 0);
    if (!response.ok) {
      throw new FileError(`The bucket returned ${response.status} ${response.statusText}.`.replace(" .", "."), [
        "Try again in a moment.",
        address,
      ]);
    }
    return response;
  }

  /** Keeps an object; the oldest go when there are too many bytes. */
  #keep({ key, size }: Part, bytes: Promise<Bytes>): void {
    this.#whole.set(key, { size, bytes });
    let kept = 0;
    for (const { size } of this.#whole.values()) kept += size;
    for (const [oldest, { size }] of this.#whole) {
      if (kept <= MOST_KEPT || oldest === key) break;
      kept -= size;
      this.#whole.delete(oldest);
    }
  }
}

function cut(object: Bytes, { offset, length }: Part): Bytes {
  return object.slice(offset, offset + length);
}

/** Half a body is an error of the network. */
async function bodyOf(response: Response, key: string, signal?: AbortSignal): Promise<Bytes> {
  try {
    return new Uint8Array(await response.arrayBuffer());
  } catch (failure) {
    signal?.throwIfAborted();
    throw unreachable(key, failure);
  }
}

function changed({ key, size }: Part, found: number): Changed {
  return new Changed("An object in the bucket doesn't match its catalog entry.", [
    "If this is a copy of a bundle or bucket, copy it again: its files are from different times.",
    `${key} has ${found} bytes; expected ${size}.`,
  ]);
}

function short(key: string, wanted: number, found: number): FileError {
  return new FileError("An object in the bucket is incomplete.", [
    "If this is a copy of a bundle or bucket, copy it again.",
    wanted > 0 ? `${key}: expected ${wanted} bytes, got ${found}.` : `${key} ends before the requested bytes.`,
  ]);
}
