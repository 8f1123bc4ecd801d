// Runs before the shim in tests, for what Cloudflare's platform does at its own times:
//
// GET /clock?millis=N sets the clock to N milliseconds since the epoch; from there it runs on. Its first offset from this
// machine's clock comes from ahead.js, which serve.mjs generates.
// GET /cdn-cgi/handler/scheduled?time=N&cron=C runs the schedule once and answers when it is done.

import atStart from "./ahead.js";
import worker from "./shim.js";

export { Tenant, Visits } from "./shim.js";

const System = Date;
let ahead = atStart;

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
  async fetch(request, env, ctx) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/clock") {
      ahead = Number(searchParams.get("millis")) - System.now();
      return new Response("set");
    }
    if (pathname === "/cdn-cgi/handler/scheduled") {
      const scheduledTime = Number(searchParams.get("time") ?? Date.now());
      await worker.scheduled({ scheduledTime, cron: searchParams.get("cron") ?? "* * * * *", noRetry() {} }, env, ctx);
      return new Response("done");
    }
    return worker.fetch(request, env, ctx);
  },
  scheduled: (event, env, ctx) => worker.scheduled(event, env, ctx),
};
