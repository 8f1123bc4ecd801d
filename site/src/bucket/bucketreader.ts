/** The Web Worker that answers questions from a bucket of a static host. */
import { FileError } from "../files/source.ts";
import { onDemand } from "../ondemand.ts";
import init, { Reader } from "../wasm/bucket/pilotlight.js";
import { Catalog } from "./catalog.ts";
import { Host } from "./host.ts";
import { placeOf } from "./objectplace.ts";
import type { Answer, Ask, Reply, Request } from "./protocol.ts";
import { afresh, answerOf, type Bucket, described } from "./reading.ts";

const port = self as unknown as {
  onmessage: (event: MessageEvent<Request>) => void;
  postMessage(reply: Reply, transfer?: Transferable[]): void;
};

const engine = onDemand(init);
const opened = new Map<string, Promise<Bucket>>();
const running = new Map<number, AbortController>();

port.onmessage = async ({ data }) => {
  const { id } = data;
  if ("cancel" in data) return running.get(id)?.abort();
  const stop = new AbortController();
  running.set(id, stop);
  try {
    await load();
    const progress = (progress: number) => port.postMessage({ id, progress });
    const answer = await answerAt(data.place, data.question, stop.signal, progress);
    port.postMessage({ id, answer }, [answer.bytes.buffer]);
  } catch (failure) {
    if (!stop.signal.aborted) port.postMessage({ id, ...described(failure) });
  }
  running.delete(id);
};

/** The reader's code, which is asked for again where it did not come. */
async function load(): Promise<void> {
  try {
    await engine.get();
  } catch (failure) {
    engine.drop();
    const reason = failure instanceof Error ? failure.message : String(failure);
    throw new FileError("The bucket reader did not load.", ["Check that you are online, and try again.", reason]);
  }
}

/** The bucket at an address, opened once for all questions, also where the first is given up. A failure is not kept. */
function bucketAt(address: string): Promise<Bucket> {
  const known = opened.get(address);
  if (known) return known;
  const bucket = open(address);
  opened.set(address, bucket);
  bucket.catch(() => opened.delete(address));
  return bucket;
}

function answerAt(
  address: string,
  question: Ask,
  signal: AbortSignal,
  progress: (bytes: number) => void,
): Promise<Answer> {
  let bucket: Promise<Bucket>;
  const attempt = async () => {
    bucket = bucketAt(address);
    return answerOf(await bucket, question, signal, progress);
  };
  // Once for all who find out.
  return afresh(attempt, () => opened.get(address) === bucket && opened.delete(address));
}

async function open(address: string): Promise<Bucket> {
  if (!URL.canParse(address)) throw new FileError("This is not the address of a bucket.", [address]);
  const place = await placeOf(new URL(address));
  const [reader, host] = [new Reader(), new Host(place)];
  return { reader, host, catalog: new Catalog(place, host, (name, bytes) => reader.add_day(name, bytes)) };
}
