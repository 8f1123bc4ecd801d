/** Questions to the bundle that is in the page; they are answered on the page's own thread. */
import type { Answer, Ask } from "../../bucket/protocol.ts";
import { answerOf, type Bucket, described } from "../../bucket/reading.ts";
import { CoreError } from "../../core/core.ts";
import { FileError } from "../../files/source.ts";
import { onDemand } from "../../ondemand.ts";
import init, { Reader } from "../../wasm/bucket/pilotlight.js";
import { embeddedEngine } from "../engine.ts";
import { own, unreachable } from "./bundledplace.ts";
import { EmbeddedObjects, embedded } from "./objects.ts";

const bucket = onDemand(open);

async function open(): Promise<Bucket> {
  await init({ module_or_path: await embeddedEngine("bucket-engine") });
  const [reader, host] = [new Reader(), new EmbeddedObjects(embedded?.objects ?? {})];
  for (const name of embedded?.description.catalog ?? []) reader.add_day(name, host.whole(name));
  return { reader, host, catalog: { written: 0, cover: async () => {} } };
}

export async function askBucket(
  place: string,
  question: Ask,
  signal: AbortSignal,
  progress: (bytes: number) => void = () => {},
): Promise<Answer> {
  if (place !== own) throw unreachable(place);
  try {
    return await answerOf(await bucket.get(), question, signal, progress);
  } catch (failure) {
    signal.throwIfAborted();
    const said = described(failure);
    throw "meaning" in said ? new FileError(said.meaning, said.tries) : new CoreError(said.error, said.fatal);
  }
}

export async function askBucketJson<T>(place: string, question: Ask, signal: AbortSignal): Promise<T> {
  const { bytes } = await askBucket(place, question, signal);
  return JSON.parse(new TextDecoder().decode(bytes)) as T;
}
