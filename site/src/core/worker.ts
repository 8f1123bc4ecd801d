/** The Web Worker: an engine behind a message port. */
import { describeFailure, type Reply, type Request } from "./core.ts";
import { loadEngine } from "./viewer.ts";

const engine = loadEngine();
const port = self as unknown as {
  onmessage: (event: MessageEvent<Request>) => void;
  postMessage(reply: Reply, transfer?: Transferable[]): void;
};

port.onmessage = async ({ data: { id, call, args } }) => {
  try {
    const value = await ((await engine)[call] as (...args: unknown[]) => unknown)(...args);
    port.postMessage({ id, value }, buffers(value));
  } catch (failure) {
    port.postMessage({ id, ...describeFailure(failure) });
  }
};

/** Big answers move instead of being copied. */
function buffers(value: unknown): Transferable[] {
  if (value instanceof Uint8Array) return [value.buffer as ArrayBuffer];
  const boxes = (value as { boxes?: unknown } | undefined)?.boxes;
  return boxes instanceof Uint32Array ? [boxes.buffer as ArrayBuffer] : [];
}
