// Stands before the shim: a clock that tests set. GET /clock?millis=N makes it N milliseconds since the epoch; from there it
// goes on.

import worker from "./shim.js";

export { Tenant, Visits } from "./shim.js";

const System = Date;
let ahead = 0;

globalThis.Date = class extends System {
  constructor(...words) {
    if (words.length > 0) super(...words);
    else super(System.now() + ahead);
  }
  static now() {
    return System.now() + ahead;
  }
};

export default {
  fetch(request, env, ctx) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== "/clock") return worker.fetch(request, env, ctx);
    ahead = Number(searchParams.get("millis")) - System.now();
    return new Response("set");
  },
  scheduled: (event, env, ctx) => worker.scheduled(event, env, ctx),
};
