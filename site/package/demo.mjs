/** `pilotlight demo`: fills a server with an hour of made-up profiles. */
import { commandName, readWords, UsageError, wrong } from "./options.mjs";
import { deleteDemo, pushDemo } from "./pushdemo.mjs";
import { authorization, DEFAULT_URL, explain, ServerFailure, send, serverUrl } from "./server.mjs";
import { loadWasm } from "./wasm.mjs";

const USAGE = `Fills a Pilotlight server with an hour of made-up profiles from four services, one of which
gets slower after a deploy.

Usage: pilotlight demo [OPTION…] [URL]

  URL            the server; ${DEFAULT_URL} by default
  --token TOKEN  a token with the push scope; PILOTLIGHT_TOKEN by default. Open servers need none
  --delete       delete all made-up profiles on the server instead; this needs the admin scope
  --help         print this help

Environment:
  PILOTLIGHT_TOKEN  the token; unlike with --token, other users of this machine can't see it

Examples:
  pilotlight demo
  pilotlight demo --delete https://profiles.example.com

The profiles have the label demo="true".`;

/** Throws an `Error` whose message is for people. */
export async function demo(words) {
  const read = readWords(words, USAGE, { token: { type: "string" }, delete: { type: "boolean" } });
  if (read === undefined) return;
  const { token = process.env.PILOTLIGHT_TOKEN, delete: isDeletion } = read.values;
  const [address = DEFAULT_URL, ...more] = read.positionals;
  if (more.length > 0) throw wrong(USAGE, "give only one URL");
  const url = serverUrl(address);
  if (!url) throw new UsageError(`the server must be a URL, such as ${DEFAULT_URL} (got ${address})`);
  const headers = authorization(token);
  await checkServer(url);
  const scope = isDeletion ? "admin" : "push";
  await (isDeletion ? remove(url, headers) : fill(url, headers)).catch((failure) => {
    throw failure instanceof ServerFailure ? new Error(explain(failure, url, scope)) : failure;
  });
}

async function fill(url, headers) {
  const began = performance.now();
  const profiles = await made();
  let shown = -1;
  await pushDemo(profiles, url, headers, (done, all) => {
    const percent = Math.floor((100 * done) / all);
    // A terminal has one line for it; a log gets the last state only.
    if (percent === shown || (!process.stdout.isTTY && done < all)) return;
    shown = percent;
    process.stdout.write(`${process.stdout.isTTY ? "\r" : ""}Pushed ${done} of ${all} profiles`);
  }).catch((failure) => {
    if (shown >= 0) process.stdout.write("\n");
    throw failure;
  });
  const seconds = (performance.now() - began) / 1000;
  console.log(` in ${seconds.toFixed(1)} s: checkout, catalog, payments and email-worker.

Look at them:   ${url}
Delete them:    ${commandName()} demo --delete ${url}`);
}

async function remove(url, headers) {
  await deleteDemo(url, headers);
  console.log("The server is deleting the made-up profiles. Queries may show them for a few more minutes.");
}

/** The profiles of the hour until now. */
async function made() {
  const { Demo } = await loadWasm("demo");
  return new Demo(Math.floor(Date.now() / 1000));
}

/** Before a push is tried: one that gets no answer is tried for half a minute. */
async function checkServer(url) {
  const response = await send(new URL("healthz", url)).catch((failure) => {
    if (failure.status === 0) throw new Error(explain(failure, url));
    throw new Error(`${url} is not a Pilotlight server (${url}healthz returned ${failure.status})`);
  });
  if ((await response.text()).trim() !== "ok") throw new Error(`${url} is not a Pilotlight server`);
}
