/** What modules of the state expect of a browser's page, for tests under Node: an address, a server and a core. */

import type { Reply, Request } from "../src/core/core.ts";
import type { Engine } from "../src/core/viewer.ts";

type Calls = { [Call in keyof Engine]?: (...args: never[]) => unknown };

/** What answers, by name; a test fills in what it needs. A call that is missing fails. */
export const engine: Calls = {};
export const server: { answer: (url: URL) => Response | Promise<Response> } = {
  answer: () => Response.json({ services: [], ended: [], labels: {} }),
};

class EngineWorker {
  onmessage: ((event: { data: Reply }) => void) | null = null;
  async postMessage({ id, call, args }: Request) {
    // As in a browser, an answer comes in a task of its own.
    await new Promise((resolve) => setTimeout(resolve));
    try {
      this.onmessage?.({ data: { id, value: await (engine[call] as (...args: unknown[]) => unknown)(...args) } });
    } catch (failure) {
      this.onmessage?.({ data: { id, error: String(failure) } });
    }
  }
}

const location = new URL("http://localhost/");
const goTo = (_: unknown, __: string, url: string) => {
  location.href = url;
};
/** A page's timers end with it: the time of a notice keeps no process alive. */
const window = Object.create(globalThis, {
  setTimeout: { value: (work: () => void, millis: number) => setTimeout(work, millis).unref() },
});
Object.assign(globalThis, {
  window,
  document: { baseURI: "http://localhost/", querySelector: () => null },
  location,
  history: { pushState: goTo, replaceState: goTo },
  addEventListener: () => {},
  Worker: EngineWorker,
  fetch: async (url: URL, { signal }: { signal: AbortSignal }) => {
    const answer = await server.answer(url);
    signal.throwIfAborted();
    return answer;
  },
});

/** Until nothing is on its way any more. */
export async function idle(): Promise<void> {
  for (let i = 0; i < 30; i++) await new Promise((resolve) => setTimeout(resolve));
}
