/** The Web Worker that makes up profiles and pushes them to the server. */
import { pushDemo, ServerFailure } from "../../package/pushdemo.mjs";
import init, { Demo } from "../wasm/demo/pilotlight.js";
import type { FillReply, FillRequest } from "./filldemo.ts";

const port = self as unknown as {
  onmessage: (event: MessageEvent<FillRequest>) => void;
  postMessage(reply: FillReply): void;
};

port.onmessage = async ({ data: { url, headers, end } }) => {
  try {
    await init();
    await pushDemo(new Demo(end), url, headers, (done, profiles) => port.postMessage({ done, profiles }));
    port.postMessage({ filled: true });
  } catch (failure) {
    const status = failure instanceof ServerFailure ? failure.status : null;
    port.postMessage({ status, message: failure instanceof Error ? failure.message : String(failure) });
  }
};
