// What workerd runs: hands its events to the Rust worker, and keeps a panic from being the end.
//
// A panic leaves the WASM instance unusable and every call in flight without an answer: workerd
// would hold a client of the Durable Object until its time runs out. So a panic here fails all
// calls in flight at once, with 503 and Retry-After, and the next call starts a fresh instance. Which
// of them panicked is not known: tasks of the core run by themselves. Nothing acknowledged is lost:
// it is in the bucket.

import { DurableObject, WorkerEntrypoint, env as configured } from "cloudflare:workers";
import * as core from "./build/pilotlight.js";

// A worker whose variables are wrong does not start, so that a bad deployment is refused.
const wrong = core.configuration_problem(configured);
if (wrong !== undefined) throw new Error(wrong);

// Kept by the `worker` crate: `criticalError` is set by its panic hook, `instanceId` counts instances.
const state = core.__worker_init_state();
const inFlight = new Set();

function noticeCrash(error) {
  if (!(error instanceof WebAssembly.RuntimeError)) return;
  state.criticalError = true;
  for (const fail of inFlight) fail(error);
  inFlight.clear();
}

// A panic in a future that something else woke up does not pass through any call of ours.
addEventListener("error", (event) => noticeCrash(event.error));

async function guarded(call) {
  if (state.criticalError) {
    console.log("starting a fresh instance after a panic");
    core.__wbg_reset_state();
    state.criticalError = false;
  }
  const crash = Promise.withResolvers();
  inFlight.add(crash.reject);
  try {
    return await Promise.race([call(), crash.promise]);
  } catch (error) {
    noticeCrash(error);
    throw error;
  } finally {
    inFlight.delete(crash.reject);
  }
}

// What a client is told; it may send again, since nothing of its request was acknowledged.
function panicked() {
  const problem = { code: "unavailable", message: "the worker failed on this or another request and was restarted; try again" };
  return Response.json(problem, { status: 503, headers: { "retry-after": "1" } });
}

export default {
  // A Durable Object throws instead: its caller, this worker, turns that into 503 with Retry-After.
  fetch: (request, env, ctx) => guarded(() => core.fetch(request, env, ctx)).catch(panicked),
  scheduled: (event, env, ctx) => guarded(() => core.scheduled(event, env, ctx)),
};

// Where the schedule's visits and the parts of large queries run, each an invocation of its own. Only the
// binding SELF comes here: an entrypoint other than the default one has no address.
export class Visits extends WorkerEntrypoint {
  fetch(request) {
    return guarded(() => core.visit(request, this.env, this.ctx)).catch(panicked);
  }
}

export class Tenant extends DurableObject {
  #tenant;
  #instance;

  // The Rust object lives in one WASM instance; a new one needs a new object, which reads its
  // state from storage as after any restart.
  #live() {
    if (this.#instance !== state.instanceId) {
      this.#tenant = new core.Tenant(this.ctx, this.env);
      this.#instance = state.instanceId;
    }
    return this.#tenant;
  }

  fetch(request) {
    return guarded(() => this.#live().fetch(request));
  }

  alarm() {
    return guarded(() => this.#live().alarm());
  }
}
