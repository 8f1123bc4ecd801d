/** Which days of a catalog a range needs, and what was last read of them. */
import type { Host } from "./host.ts";
import type { Place } from "./place.ts";

const DAY = 86_400_000;
/** A day that was read is not asked for again for so long: the worker publishes once a minute. */
const FRESH = 60_000;
/** Most shards that are looked for. */
const MOST_SHARDS = 64;
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
  /** When each name was last asked for. */
  readonly #asked = new Map<string, number>();
  /** Names that have a day. */
  readonly #there = new Set<string>();

  constructor(place: Place, host: Host, take: Take) {
    this.#place = place;
    this.#host = host;
    this.#take = take;
  }

  /** Reads the days that a range needs. A profile arrives on the day of its time or later; clocks may go ahead by a day. */
  async cover(from: number, signal: AbortSignal): Promise<void> {
    if ("catalog" in this.#place) return this.#read(this.#place.catalog, signal);
    const days = range(Math.floor(from / DAY) - 1, Math.floor(Date.now() / DAY));
    for (let shard = 0; shard < MOST_SHARDS; shard++) {
      const names = days.map((day) => `t/${(this.#place as { tenant: string }).tenant}/s${shard}/catalog/${day}`);
      await this.#read(names, signal);
      if (!names.some((name) => this.#there.has(name))) break;
    }
  }

  /** All days are asked for anew when they are next needed. */
  forget(): void {
    this.#asked.clear();
  }

  async #read(names: string[], signal: AbortSignal): Promise<void> {
    const now = Date.now();
    const due = names.filter((name) => now - (this.#asked.get(name) ?? 0) >= FRESH);
    for (let at = 0; at < due.length; at += AT_ONCE) {
      await Promise.all(due.slice(at, at + AT_ONCE).map((name) => this.#readDay(name, now, signal)));
    }
  }

  async #readDay(name: string, now: number, signal: AbortSignal): Promise<void> {
    const bytes = await this.#host.whole(name, signal);
    this.#asked.set(name, now);
    if (!bytes) return;
    this.written = Math.max(this.written, this.#take(name, bytes));
    this.#there.add(name);
  }
}

/** Numbers as names of days have them. */
function range(first: number, last: number): string[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => String(first + i).padStart(5, "0"));
}
