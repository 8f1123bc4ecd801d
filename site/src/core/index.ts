/** The core this page uses: in a Web Worker where there are module workers, else on the page's own thread. */
import type { Core } from "./core.ts";
import { localCore } from "./local.ts";
import { remoteCore } from "./remote.ts";

export const core: Core = start();

function start(): Core {
  try {
    return remoteCore(new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "pilotlight" }));
  } catch {
    // The browser has no module workers, or does not allow one here.
    return localCore(import("./viewer.ts").then((module) => module.loadEngine()));
  }
}
