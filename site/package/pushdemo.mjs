/** Pushes made-up profiles to a server, and deletes them. The command `pilotlight demo` and the front page use it. */

import { ServerFailure, send } from "./server.mjs";

export { ServerFailure };

/** The series that are demo data. */
export const DEMO = '{demo="true"}';

/** Requests at a time: a browser opens six connections to a server. */
const PARALLEL = 6;
/** With pauses that grow to two seconds this is half a minute. */
const ATTEMPTS = 20;
const LONGEST_PAUSE = 2000;

/**
 * Pushes all requests of a `Demo` to the server at `url`. `progress` hears how many of how many profiles the server has. Throws a
 * `ServerFailure` with the first request that fails for good; the others that are under way end before.
 */
export async function pushDemo(demo, url, headers, progress) {
  const target = new URL("push.v1.PusherService/Push", url);
  let [next, done] = [0, 0];
  const pushInTurn = async () => {
    while (next < demo.requests) {
      const index = next++;
      try {
        await push(target, headers, await gzip(demo.request(index)));
      } catch (failure) {
        next = demo.requests;
        throw failure;
      }
      progress(Math.round((demo.profiles * ++done) / demo.requests), demo.profiles);
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: PARALLEL }, pushInTurn));
  const failed = ended.find(({ status }) => status === "rejected");
  if (failed) throw failed.reason;
}

/** Tells the server to delete made-up profiles of any time. Queries may show them until its schedule has rewritten what holds them. */
export async function deleteDemo(url, headers) {
  const target = new URL("api/v1/admin/profiles", url);
  target.search = new URLSearchParams({ query: DEMO, from: "0", until: String(Date.now()) }).toString();
  await (await send(target, { method: "DELETE", headers })).text();
}

/** Pushes one request, again where the server is busy. It counts once, however often it is sent. */
async function push(target, headers, body) {
  const all = { ...headers, "content-type": "application/proto", "content-encoding": "gzip" };
  for (let attempt = 1; ; attempt++) {
    try {
      return await (await send(target, { method: "POST", headers: all, body })).text();
    } catch (failure) {
      const mayComeAgain = [0, 429, 502, 503, 504].includes(failure.status);
      if (!mayComeAgain || attempt === ATTEMPTS) throw failure;
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(100 * attempt, LONGEST_PAUSE)));
  }
}

async function gzip(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
