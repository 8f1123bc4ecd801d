/** Questions to a bucket, as the page asks them. */
import { CoreError } from "../core/core.ts";
import { FileError } from "../files/source.ts";
import { onDemand } from "../ondemand.ts";
import { trackWork } from "../settled.ts";
import type { Answer, Ask, Reply, Request } from "./protocol.ts";
import { notePublished } from "./published.ts";

type Reader = (place: string, question: Ask, signal: AbortSignal, progress: (bytes: number) => void) => Promise<Answer>;

const reader = onDemand(start);

/** Asks the bucket at an address. `progress` hears how many bytes have come. */
export function askBucket(
  place: string,
  question: Ask,
  signal: AbortSignal,
  progress: (bytes: number) => void = () => {},
): Promise<Answer> {
  const answer = reader.get()(place, question, signal, progress);
  void answer.then(
    ({ written }) => notePublished(place, written),
    () => {},
  );
  return trackWork(answer);
}

/** The same, of a question that is answered with JSON. */
export async function askBucketJson<T>(place: string, question: Ask, signal: AbortSignal): Promise<T> {
  const { bytes } = await askBucket(place, question, signal);
  return JSON.parse(new TextDecoder().decode(bytes)) as T;
}

function start(): Reader {
  const worker = new Worker(new URL("./bucketreader.ts", import.meta.url), {
    type: "module",
    name: "pilotlight bucket",
  });
  const waiting = new Map<
    number,
    { resolve(answer: Answer): void; reject(failure: Error): void; progress(bytes: number): void }
  >();
  let last = 0;
  /** What broke is not asked again, and answers nothing that it was asked. */
  const stop = (failure: CoreError) => {
    for (const asked of waiting.values()) asked.reject(failure);
    waiting.clear();
    worker.terminate();
    reader.drop();
  };
  worker.onmessage = ({ data }: MessageEvent<Reply>) => {
    const asked = waiting.get(data.id);
    if ("progress" in data) return asked?.progress(data.progress);
    waiting.delete(data.id);
    if ("answer" in data) asked?.resolve(data.answer);
    else if ("meaning" in data) asked?.reject(new FileError(data.meaning, data.tries));
    else {
      const failure = new CoreError(data.error, data.fatal);
      asked?.reject(failure);
      if (data.fatal) stop(failure);
    }
  };
  worker.onerror = (event) => stop(new CoreError(event.message || "the bucket reader did not start", true));
  return (place, question, signal, progress) => {
    const id = ++last;
    const answer = new Promise<Answer>((resolve, reject) => waiting.set(id, { resolve, reject, progress }));
    const cancel = () => {
      worker.postMessage({ id, cancel: true } satisfies Request);
      waiting.get(id)?.reject(signal.reason as Error);
      waiting.delete(id);
    };
    if (signal.aborted) cancel();
    else {
      signal.addEventListener("abort", cancel, { once: true });
      worker.postMessage({ id, place, question } satisfies Request);
    }
    return answer.finally(() => signal.removeEventListener("abort", cancel));
  };
}
