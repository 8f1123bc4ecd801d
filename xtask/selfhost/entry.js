// What workerd runs where there is no Cloudflare: stands before the shim, and does what the platform does there.
// It serves the site, names the sender, and fires the schedule once a minute.

import "./environment.js";
import { env as configured, DurableObject } from "cloudflare:workers";
import { pages } from "./pages.js";
import worker, { Tenant, Visits } from "./shim.js";

export { Tenant, Visits };

const seconds = Number(configured.SCHEDULE_SECONDS ?? 60);
if (!(seconds >= 1))
  throw new Error(`variable SCHEDULE_SECONDS must be a number from 1 (got ${configured.SCHEDULE_SECONDS})`);

// Whether this process has seen to it that the clock runs.
let clockRuns = false;

export default {
  async fetch(request, env, ctx) {
    if (!clockRuns) {
      clockRuns = true;
      ctx.waitUntil(startClock(env));
    }
    return (await page(request, env)) ?? worker.fetch(withSender(request, env), env, ctx);
  },
};

// Fires the schedule. workerd has no cron, but alarms: they are on disk, so the clock goes on after a restart.
export class Clock extends DurableObject {
  async start() {
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now() + seconds * 1000);
  }

  // Sets the next alarm first: whatever becomes of this run, the clock goes on.
  async alarm() {
    await this.ctx.storage.setAlarm(Date.now() + seconds * 1000);
    try {
      const event = { type: "scheduled", cron: "* * * * *", scheduledTime: Date.now() };
      await worker.scheduled(event, this.env, this.ctx);
    } catch (error) {
      console.error(`schedule: ${error}`);
    }
  }
}

// The next request tries again what fails here.
async function startClock(env) {
  try {
    await env.CLOCK.get(env.CLOCK.idFromName("clock")).start();
  } catch (error) {
    clockRuns = false;
    console.error(`clock: ${error}`);
  }
}

// A file of the site, as Cloudflare's static assets answer it: without the worker, and for GET and HEAD alone.
async function page(request, env) {
  if (request.method !== "GET" && request.method !== "HEAD") return undefined;
  const { pathname, search } = new URL(request.url);
  const found = pages.get(pathname);
  if (found === undefined) return undefined;
  const { file, location, headers } = found;
  if (location !== undefined) return new Response(null, { status: 307, headers: { location: location + search } });
  if (request.headers.get("if-none-match") === headers.etag) return new Response(null, { status: 304, headers });
  const answer = await env.PAGES.fetch(`http://pages/${file}`, { method: request.method });
  if (!answer.ok) return undefined;
  return new Response(answer.body, { headers: { ...headers, "content-length": answer.headers.get("content-length") } });
}

// Says who sent a request, in the header in which Cloudflare says it; what the sender wrote there counts for nothing.
// Behind a proxy, SENDER_HEADER names the header in which the proxy says it.
function withSender(request, env) {
  const headers = new Headers(request.headers);
  headers.delete("cf-connecting-ip");
  const sender = env.SENDER_HEADER ? lastAddress(headers.get(env.SENDER_HEADER)) : withoutPort(request.cf?.clientIp);
  if (sender) headers.set("cf-connecting-ip", sender);
  return new Request(request, { headers });
}

// The nearest proxy writes behind what it was sent.
function lastAddress(list) {
  return list?.split(",").at(-1).trim();
}

// "1.2.3.4:5678" and "[::1]:5678".
function withoutPort(address) {
  return address?.replace(/:\d+$/, "").replace(/^\[|\]$/g, "");
}
