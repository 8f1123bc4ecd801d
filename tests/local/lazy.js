// Stands before the shim for tests/benches/cold.rs: loads the worker with the first request that needs it, so that its
// compilation can be timed from outside, apart from the start of workerd. GET /nothing is answered without it.

import { DurableObject } from "cloudflare:workers";

const load = () => import("./shim.js");

export default {
  async fetch(request, env, ctx) {
    if (new URL(request.url).pathname === "/nothing") return new Response("nothing");
    return (await load()).default.fetch(request, env, ctx);
  },
  async scheduled(event, env, ctx) {
    return (await load()).default.scheduled(event, env, ctx);
  },
};

export class Tenant extends DurableObject {
  #tenant;

  async #loaded() {
    const shim = await load();
    this.#tenant ??= new shim.Tenant(this.ctx, this.env);
    return this.#tenant;
  }

  async fetch(request) {
    return (await this.#loaded()).fetch(request);
  }

  async alarm() {
    return (await this.#loaded()).alarm();
  }
}
