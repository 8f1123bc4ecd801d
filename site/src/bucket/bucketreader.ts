/** The Web Worker that answers questions from a bucket: it drives what the core plans with requests to a static host. */
import { FileError } from "../files/source.ts";
import init, { type Asked, Reader } from "../wasm/bucket/pilotlight.js";
import { Catalog } from "./catalog.ts";
import { Gone, Host, type Part } from "./host.ts";
import { placeOf } from "./place.ts";
import type { Answer, Ask, Reply, Request } from "./protocol.ts";

const port = self as unknown as {
  onmessage: (event: MessageEvent<Request>) => void;
  postMessage(reply: Reply, transfer?: Transferable[]): void;
};

/** Requests that are under way at a time: as many as a browser makes to one host over HTTP/1. */
const AT_ONCE = 6;

/** A bucket that is open. */
interface Open {
  reader: Reader;
  host: Host;
  catalog: Catalog;
}

const ready = init();
const opened = new Map<string, Promise<Open>>();
const running = new Map<number, AbortController>();

port.onmessage = async ({ data }) => {
  if ("cancel" in data) return running.get(data.id)?.abort();
  const { id, place, question } = data;
  const stop = new AbortController();
  running.set(id, stop);
  try {
    const answer = await answerOf(place, question, stop.signal, (progress) => port.postMessage({ id, progress }));
    port.postMessage({ id, answer }, [answer.bytes.buffer]);
  } catch (failure) {
    if (!stop.signal.aborted) port.postMessage({ id, ...described(failure) });
  }
  running.delete(id);
};

async function open(address: string, signal: AbortSignal): Promise<Open> {
  await ready;
  const place = await placeOf(new URL(address), signal);
  const [reader, host] = [new Reader(), new Host(place.objects)];
  return { reader, host, catalog: new Catalog(place, host, (name, bytes) => reader.add_day(name, bytes)) };
}

/** The bucket at an address, opened once; a failure is not kept. */
function bucketAt(address: string, signal: AbortSignal): Promise<Open> {
  const known = opened.get(address);
  if (known) return known;
  const bucket = open(address, signal);
  opened.set(address, bucket);
  bucket.catch(() => opened.delete(address));
  return bucket;
}

async function answerOf(
  address: string,
  question: Ask,
  signal: AbortSignal,
  progress: (bytes: number) => void,
): Promise<Answer> {
  const bucket = bucketAt(address, signal);
  try {
    return await answer(await bucket, question, signal, progress);
  } catch (failure) {
    if (!(failure instanceof Gone)) throw failure;
    // Objects were replaced or deleted since the catalog was read, perhaps whole days of it: it is opened anew, once for
    // all who find out.
    if (opened.get(address) === bucket) opened.delete(address);
    return await answer(await bucketAt(address, signal), question, signal, progress).catch((failure: unknown) => {
      if (!(failure instanceof Gone)) throw failure;
      throw new FileError("The bucket lacks an object that its catalog names.", [
        "If this is a copy, copy the folder again.",
        "If a worker writes to it, try again in a minute.",
        failure.message,
      ]);
    });
  }
}

async function answer(
  { reader, host, catalog }: Open,
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
    const none = { profiles: 0, objects: 0, bytesRead: 0, saturated: false, rounded: false };
    return { bytes: new TextEncoder().encode(text), ...none, ...said() };
  }
  const asked = ask(reader, question);
  await drive(asked, host, signal, progress);
  const found = asked.finish();
  const { profiles, objects, bytes_read: bytesRead, saturated, rounded } = found;
  const bytes = found.take_bytes() as Uint8Array<ArrayBuffer>;
  found.free();
  return { bytes, profiles, objects, bytesRead, saturated, rounded, ...said() };
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

/** Reads until nothing is wanted. After a failure the question is of no use, and is given up. */
async function drive(asked: Asked, host: Host, signal: AbortSignal, progress: (bytes: number) => void): Promise<void> {
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

function described(failure: unknown): { meaning: string; tries: string[] } | { error: string; fatal: boolean } {
  if (failure instanceof FileError) return { meaning: failure.message, tries: failure.tries };
  const error = failure instanceof Error ? failure.message : String(failure);
  if (failure instanceof Error && failure.name === "damaged") {
    return { meaning: "What is stored in the bucket is damaged.", tries: ["Copy the folder again.", error] };
  }
  if (failure instanceof Error && failure.name === "invalid") {
    return { meaning: error, tries: ["Check the filters and the time range."] };
  }
  return { error, fatal: failure instanceof WebAssembly.RuntimeError || error.startsWith("internal error") };
}
