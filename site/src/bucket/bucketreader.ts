/** The Web Worker that answers questions from a bucket of a static host, and makes sites of bundles. */
import init, { Reader } from "../wasm/bucket/pilotlight.js";
import { makeSite } from "./bundlesite.ts";
import { Catalog } from "./catalog.ts";
import { Gone, Host } from "./host.ts";
import { placeOf } from "./place.ts";
import type { Answer, Ask, Reply, Request } from "./protocol.ts";
import { answerOf, type Bucket, described } from "./reading.ts";

const port = self as unknown as {
  onmessage: (event: MessageEvent<Request>) => void;
  postMessage(reply: Reply, transfer?: Transferable[]): void;
};

const ready = init();
const opened = new Map<string, Promise<Bucket>>();
const running = new Map<number, AbortController>();

port.onmessage = async ({ data }) => {
  const { id } = data;
  if ("cancel" in data) return running.get(id)?.abort();
  const stop = new AbortController();
  running.set(id, stop);
  try {
    await ready;
    if ("bundle" in data) {
      const made = await makeSite(data.bundle, data.form, new URL(data.pages), stop.signal);
      port.postMessage({ id, made }, [made.bytes.buffer]);
    } else {
      const progress = (progress: number) => port.postMessage({ id, progress });
      const answer = await answerAt(data.place, data.question, stop.signal, progress);
      port.postMessage({ id, answer }, [answer.bytes.buffer]);
    }
  } catch (failure) {
    if (!stop.signal.aborted) port.postMessage({ id, ...described(failure) });
  }
  running.delete(id);
};

/** The bucket at an address, opened once for all questions, also where the first is given up. A failure is not kept. */
function bucketAt(address: string): Promise<Bucket> {
  const known = opened.get(address);
  if (known) return known;
  const bucket = open(address);
  opened.set(address, bucket);
  bucket.catch(() => opened.delete(address));
  return bucket;
}

/**
 * Answers a question. Where objects were replaced or deleted since the catalog was read, perhaps whole days of it, the
 * bucket is opened anew, once for all who find out.
 */
async function answerAt(
  address: string,
  question: Ask,
  signal: AbortSignal,
  progress: (bytes: number) => void,
): Promise<Answer> {
  const bucket = bucketAt(address);
  try {
    return await answerOf(await bucket, question, signal, progress);
  } catch (failure) {
    if (!(failure instanceof Gone)) throw failure;
    if (opened.get(address) === bucket) opened.delete(address);
    return answerOf(await bucketAt(address), question, signal, progress);
  }
}

async function open(address: string): Promise<Bucket> {
  const place = await placeOf(new URL(address));
  const [reader, host] = [new Reader(), new Host(place.objects)];
  return { reader, host, catalog: new Catalog(place, host, (name, bytes) => reader.add_day(name, bytes)) };
}
