/** Drives the questions that the core plans with requests to a host. */
import { FileError } from "../files/source.ts";
import type { Asked, Reader } from "../wasm/bucket/pilotlight.js";
import type { Catalog } from "./catalog.ts";
import { Changed, Gone, type Part } from "./host.ts";
import type { Answer, Ask, Failure } from "./protocol.ts";

/** Requests that are under way at a time: as many as a browser makes to one host over HTTP/1. */
const AT_ONCE = 6;

/** Where objects are read. */
export interface Objects {
  readonly withoutRanges: boolean;
  readonly requests: number;
  read(part: Part, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>>;
}

/** What is read in steps. */
export interface Steps {
  wants(): unknown;
  provide(key: string, offset: number, length: number, bytes: Uint8Array): void;
  free(): void;
}

/** A bucket that is open. */
export interface Bucket {
  reader: Reader;
  host: Objects;
  catalog: Pick<Catalog, "cover" | "written">;
}

/**
 * Attempts once more where objects are gone or others: they were replaced or deleted since the catalog was read, perhaps
 * whole days of it. `renew` is what opens the bucket anew for the second time.
 */
export async function afresh<T>(attempt: () => Promise<T>, renew: () => void = () => {}): Promise<T> {
  try {
    return await attempt();
  } catch (failure) {
    if (!(failure instanceof Gone || failure instanceof Changed)) throw failure;
    renew();
    return await attempt().catch((failure: unknown) => {
      if (!(failure instanceof Gone)) throw failure;
      throw new FileError("An object is missing from the bucket, although its catalog lists it.", [
        "If the bucket is a copy, copy the folder again.",
        "If a server writes to the bucket, try again in a minute.",
        failure.message,
      ]);
    });
  }
}

/** Answers a question. Rejects with `Gone` where an object is not there that the catalog names. */
export async function answerOf(
  { reader, host, catalog }: Bucket,
  question: Ask,
  signal: AbortSignal,
  progress: (bytes: number) => void,
): Promise<Answer> {
  const before = host.requests;
  // Services are compared with the time before.
  const earliest = question.ask === "services" ? 2 * question.from - question.until : question.from;
  await catalog.cover(earliest);
  signal.throwIfAborted();
  const said = () => ({
    written: catalog.written,
    requests: host.requests - before,
    withoutRanges: host.withoutRanges,
  });
  if (question.ask === "labels") {
    const text = reader.labels(question.query, question.from, question.until);
    const none = { profiles: 0, bytesRead: 0, saturated: false, rounded: false };
    return { bytes: new TextEncoder().encode(text), ...none, ...said() };
  }
  const asked = ask(reader, question);
  await drive(asked, host, signal, progress);
  const found = asked.finish();
  const { profiles, bytes_read: bytesRead, saturated, rounded } = found;
  const bytes = found.take_bytes() as Uint8Array<ArrayBuffer>;
  found.free();
  return { bytes, profiles, bytesRead, saturated, rounded, ...said() };
}

function ask(reader: Reader, question: Exclude<Ask, { ask: "labels" }>): Asked {
  switch (question.ask) {
    case "services":
      return reader.services(question.from, question.until, question.points);
    case "timeline":
      return reader.timeline(question.query, question.from, question.until, question.points);
    case "profile":
      return reader.profile(question.query, question.from, question.until);
  }
}

/** Reads until nothing is wanted. After a failure what was asked is of no use, and is given up. */
export async function drive(
  asked: Steps,
  host: Objects,
  signal: AbortSignal,
  progress: (bytes: number) => void,
): Promise<void> {
  let read = 0;
  try {
    for (let wants = asked.wants() as Part[]; wants.length > 0; wants = asked.wants() as Part[]) {
      const queue = wants.values();
      const take = async () => {
        for (const part of queue) {
          const bytes = await host.read(part, signal);
          signal.throwIfAborted();
          asked.provide(part.key, part.offset, part.length, bytes);
          read += bytes.length;
          progress(read);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, take));
    }
  } catch (failure) {
    asked.free();
    throw failure;
  }
}

/** A failure in words. */
export function described(failure: unknown): Failure {
  if (failure instanceof FileError) return { meaning: failure.message, tries: failure.tries };
  const error = failure instanceof Error ? failure.message : String(failure);
  if (failure instanceof Error && failure.name === "damaged") {
    return {
      meaning: "The data in the bucket is damaged.",
      tries: ["If this is a copy of a bundle or bucket, copy it again.", error],
    };
  }
  if (failure instanceof Error && failure.name === "invalid") {
    return { meaning: error, tries: ["Check the filters and the time range."] };
  }
  return { error, fatal: failure instanceof WebAssembly.RuntimeError || error.startsWith("internal error") };
}
