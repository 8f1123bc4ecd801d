// Stands for the core behind the worker's shim: `/panic` ends the instance as a panic does, in a task of its own; `/slow`
// answers after a minute, `/waiting` says how many wait for it, and every other path which instance answers.

let waiting = 0;
const state = { criticalError: false, instanceId: 0 };

export const __worker_init_state = () => state;
export const configuration_problem = () => undefined;
export const __wbg_reset_state = () => {
  state.instanceId += 1;
};

export async function fetch(request) {
  const { pathname } = new URL(request.url);
  if (pathname === "/panic") {
    queueMicrotask(() => {
      throw new WebAssembly.RuntimeError("unreachable");
    });
    return new Promise(() => {});
  }
  if (pathname === "/slow") {
    waiting++;
    await scheduler.wait(60_000);
  }
  if (pathname === "/waiting") return new Response(String(waiting));
  return new Response(String(state.instanceId));
}

export const scheduled = () => undefined;
export const visit = fetch;
export class Tenant {}
