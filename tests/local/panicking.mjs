// Stands for the core behind the worker's shim: `/panic` ends the instance as a panic does, in a task of its own; `/slow` takes
// a second; every other path says which instance answers.

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
  if (pathname === "/slow") await scheduler.wait(1000);
  return new Response(String(state.instanceId));
}

export const scheduled = () => undefined;
export const visit = fetch;
export class Tenant {}
