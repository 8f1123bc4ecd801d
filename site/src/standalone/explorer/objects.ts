/** The bundle that is in the page. */
import type { Part } from "../../bucket/host.ts";
import type { Objects } from "../../bucket/reading.ts";
import { bytesOf } from "../../core/encoding.ts";

interface Embedded {
  description: { digest: string; catalog: string[]; made: { from: number; until: number } };
  /** By name, in base64. */
  objects: Record<string, string>;
}

const text = document.getElementById("bundle")?.textContent ?? "";
/** Null in the template, which holds none. */
export const embedded = text === "" ? null : (JSON.parse(text) as Embedded);

/** The objects of a bundle. */
export class EmbeddedObjects implements Objects {
  readonly withoutRanges = false;
  readonly requests = 0;
  readonly #objects: Record<string, string>;
  /** Those that were read. */
  readonly #read = new Map<string, Uint8Array<ArrayBuffer>>();

  constructor(objects: Record<string, string>) {
    this.#objects = objects;
  }

  async read({ key, offset, length }: Part): Promise<Uint8Array<ArrayBuffer>> {
    return this.whole(key).slice(offset, offset + length);
  }

  whole(key: string): Uint8Array<ArrayBuffer> {
    const bytes = this.#read.get(key) ?? bytesOf(this.#objects[key] ?? "");
    this.#read.set(key, bytes);
    return bytes;
  }
}
