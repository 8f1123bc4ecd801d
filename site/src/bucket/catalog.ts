/** Which days of a catalog a range needs, and what was last read of them. */
import { FileError } from "../files/source.ts";
import { Gone, type Host } from "./host.ts";
import type { Place } from "./objectplace.ts";

const DAY = 86_400_000;
/** A day that may have changed is not asked for again for so long. */
const FRESH = 60_000;
/** Most days that are looked for: one after the other, since a static host does not list. */
const MOST_DAYS = 1000;
/** Most shards that are looked for. */
const MOST_SHARDS = 64;
/** A shard is there when it has one of so many of the newest days that the shards before it have. */
const NEWEST = 3;
/** Days that are asked for at a time. */
const AT_ONCE = 8;

/** Takes a day's name and bytes; gives when it was written. */
type Take = (name: string, bytes: Uint8Array<ArrayBuffer>) => number;

export class Catalog {
  /** When the newest day was written, in milliseconds since the epoch; 0 when there is none. */
  written = 0;
  readonly #place: Place;
  readonly #host: Host;
  readonly #take: Take;
  /** When each name was last asked for, and what comes of it. Questions at the same time share a request. */
  readonly #asked = new Map<string, { at: number; read: Promise<void> }>();
  /** Names that have a day. */
  readonly #there = new Set<string>();
  /** Names that may not be read, or have no day: hosts that forbid do not tell the two apart. */
  readonly #forbidden = new Set<string>();

  constructor(place: Place, host: Host, take: Take) {
    this.#place = place;
    this.#host = host;
    this.#take = take;
  }

  /** Reads the days that a range needs. A profile arrives on the day of its time or later; clocks may go ahead by a day. */
  async cover(from: number): Promise<void> {
    if ("catalog" in this.#place) return this.#read(this.#place.catalog);
    const [first, today] = [Math.floor(from / DAY) - 1, Math.floor(Date.now() / DAY)];
    if (today - first >= MOST_DAYS) throw tooLong(today - first + 1);
    const { tenant } = this.#place;
    // Numbers as names of days have them.
    const days = Array.from({ length: Math.max(0, today - first + 1) }, (_, i) => String(first + i).padStart(5, "0"));
    const found = new Set<string>();
    for (let shard = 0; shard < MOST_SHARDS; shard++) {
      const name = (day: string) => `t/${tenant}/s${shard}/catalog/${day}`;
      const isThere = (day: string) => this.#there.has(name(day));
      if (shard > 0) {
        const newest = days.filter((day) => found.has(day)).slice(-NEWEST);
        await this.#read(newest.map(name));
        if (!newest.some(isThere)) return;
      }
      await this.#read(days.map(name));
      if (days.length > 0 && days.every((day) => this.#forbidden.has(name(day)))) throw forbidden(days.length);
      for (const day of days.filter(isThere)) found.add(day);
    }
  }

  async #read(names: string[]): Promise<void> {
    const now = Date.now();
    const read = (name: string) => {
      const asked = this.#asked.get(name);
      if (asked && !(now - asked.at >= FRESH && this.#changes(name, asked.at))) return asked.read;
      const read = this.#readDay(name);
      this.#asked.set(name, { at: now, read });
      read.catch(() => this.#asked.delete(name));
      return read;
    };
    for (let at = 0; at < names.length; at += AT_ONCE) await Promise.all(names.slice(at, at + AT_ONCE).map(read));
  }

  /** Whether a day may have changed since it was asked for. Profiles arrive on a day until the next one is over. */
  #changes(name: string, asked: number): boolean {
    const day = Number(name.slice(name.lastIndexOf("/") + 1));
    return !("catalog" in this.#place) && day >= Math.floor(asked / DAY) - 1;
  }

  async #readDay(name: string): Promise<void> {
    let bytes: Uint8Array<ArrayBuffer>;
    this.#forbidden.delete(name);
    try {
      bytes = await this.#host.whole(name);
    } catch (failure) {
      // Of a tenant's days it is not known which there are; a bundle names its own.
      if (!(failure instanceof Gone) || "catalog" in this.#place) throw failure;
      if (failure.forbidden) this.#forbidden.add(name);
      return;
    }
    this.written = Math.max(this.written, this.#take(name, bytes));
    this.#there.add(name);
  }
}

function forbidden(days: number): FileError {
  return new FileError("The bucket has no profiles in this range, or doesn't allow this page to read it.", [
    "Objects under t/ must be publicly readable.",
    "Choose a range that begins earlier.",
    `The bucket returned 403 for all ${days} days of the catalog.`,
  ]);
}

function tooLong(days: number): FileError {
  return new FileError("This range is too long to read without a server.", [
    `The range needs the catalog of the last ${days} days; at most ${MOST_DAYS} days can be read.`,
    "Choose a range that begins later.",
  ]);
}
