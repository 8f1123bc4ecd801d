/** What the page and the worker that reads a bucket say to each other. */

/** A question. Times are milliseconds since the epoch. */
export type Ask =
  | { ask: "services"; from: number; until: number; points: number }
  | { ask: "labels"; query: string; from: number; until: number }
  | { ask: "timeline"; query: string; from: number; until: number; points: number }
  | { ask: "profile"; query: string; from: number; until: number };

export type Request = { id: number; place: string; question: Ask } | { id: number; cancel: true };

/** JSON as text, or a profile as the bytes of a chunk, and how it came about. */
export interface Answer {
  bytes: Uint8Array<ArrayBuffer>;
  profiles: number;
  bytesRead: number;
  saturated: boolean;
  rounded: boolean;
  /** When the newest day of the catalog was written; 0 when there is none. */
  written: number;
  /** How many requests were made for it, and whether the host sends parts of files. */
  requests: number;
  withoutRanges: boolean;
}

export type Reply = { id: number; progress: number } | { id: number; answer: Answer } | ({ id: number } & Failure);

/** What went wrong: in words for the person, or in those of the code. */
export type Failure = { meaning: string; tries: string[] } | { error: string; fatal: boolean };
