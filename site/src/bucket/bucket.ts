/** Questions to a bucket and sites made of bundles, as the page asks for them. */
import { CoreError } from "../core/core.ts";
import { FileError } from "../files/source.ts";
import type { Answer, Ask, Made, Reply, Request, SiteForm } from "./protocol.ts";

let worker: Worker | undefined;
let last = 0;
interface Waiting {
  resolve(result: Answer | Made): void;
  reject(failure: Error): void;
  progress(bytes: number): void;
}
const waiting = new Map<number, Waiting>();

/** Asks the bucket at an address. `progress` hears how many bytes have come. */
export async function askBucket(
  place: string,
  question: Ask,
  signal: AbortSignal,
  progress: (bytes: number) => void = () => {},
): Promise<Answer> {
  return (await send((id) => ({ id, place, question }), signal, progress)) as Answer;
}

/** Makes a site of the zip of a bundle. `pages` is where this site is. */
export async function makeSite(
  bundle: Uint8Array<ArrayBuffer>,
  form: SiteForm,
  pages: string,
  signal: AbortSignal,
): Promise<Made> {
  return (await send(
    (id) => ({ id, bundle, form, pages }),
    signal,
    () => {},
  )) as Made;
}

function send(
  request: (id: number) => Request,
  signal: AbortSignal,
  progress: (bytes: number) => void,
): Promise<Answer | Made> {
  const id = ++last;
  worker ??= start();
  const result = new Promise<Answer | Made>((resolve, reject) => waiting.set(id, { resolve, reject, progress }));
  const cancel = () => {
    worker?.postMessage({ id, cancel: true } satisfies Request);
    waiting.get(id)?.reject(signal.reason as Error);
    waiting.delete(id);
  };
  if (signal.aborted) cancel();
  else {
    signal.addEventListener("abort", cancel, { once: true });
    worker.postMessage(request(id));
  }
  return result.finally(() => signal.removeEventListener("abort", cancel));
}

/** The same, of a question that is answered with JSON. */
export async function askBucketJson<T>(place: string, question: Ask, signal: AbortSignal): Promise<T> {
  const { bytes } = await askBucket(place, question, signal);
  return JSON.parse(new TextDecoder().decode(bytes)) as T;
}

function start(): Worker {
  const started = new Worker(new URL("./bucketreader.ts", import.meta.url), {
    type: "module",
    name: "pilotlight bucket",
  });
  started.onmessage = ({ data }: MessageEvent<Reply>) => {
    const asked = waiting.get(data.id);
    if ("progress" in data) return asked?.progress(data.progress);
    waiting.delete(data.id);
    if ("answer" in data) asked?.resolve(data.answer);
    else if ("made" in data) asked?.resolve(data.made);
    else if ("meaning" in data) asked?.reject(new FileError(data.meaning, data.tries));
    else {
      if (data.fatal) stop();
      asked?.reject(new CoreError(data.error, data.fatal));
    }
  };
  started.onerror = (event) => {
    for (const asked of waiting.values()) {
      asked.reject(new CoreError(event.message || "the reader of buckets did not start", true));
    }
    waiting.clear();
    stop();
  };
  return started;
}

/** What broke is not asked again. */
function stop(): void {
  worker?.terminate();
  worker = undefined;
}
