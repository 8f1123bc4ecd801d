import { trackWork } from "../settled.ts";
import { type Core, CoreError, type Reply, type Request } from "./core.ts";

/** The Web Worker form of the core. Calls are answered in the order they are made. */
export function remoteCore(worker: Worker): Core {
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  let last = 0;

  worker.onmessage = ({ data }: MessageEvent<Reply>) => {
    const call = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.error === undefined) call?.resolve(data.value);
    else call?.reject(new CoreError(data.error, data.fatal === true, data.kind));
  };
  worker.onerror = (event) => {
    for (const call of waiting.values()) call.reject(new CoreError(event.message || "the viewer did not start", true));
    waiting.clear();
  };

  const send = (call: Request["call"], args: unknown[]) =>
    new Promise((resolve, reject) => {
      const id = ++last;
      waiting.set(id, { resolve, reject });
      const transfer = args.filter((arg) => arg instanceof Uint8Array).map((arg) => arg.buffer as ArrayBuffer);
      worker.postMessage({ id, call, args } satisfies Request, transfer);
    });
  return new Proxy({} as Core, {
    get:
      (_, call) =>
      (...args: unknown[]) =>
        trackWork(send(call as Request["call"], args)),
  });
}
