/** `pilotlight serve`: a whole server on this machine. workerd runs the worker; profiles are in a folder, or in an S3 bucket. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, isIPv6 } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { DIGEST_VARIABLE, makeToken } from "../admintoken.mjs";
import { commandName } from "../options.mjs";
import { startBucket } from "./bucket.mjs";
import { lockFolder, openFolder, readIfThere } from "./folder.mjs";
import { parseOptions } from "./options.mjs";
import { findWorkerd } from "./parts.mjs";
import { endLeftover, startWorkerd } from "./workerd.mjs";

/** Has the SHA-256 of the administrator's token, in the data folder. */
const DIGEST = "admin-token.sha256";
/** How long the port of a server that was killed may stay in use: its process is being taken apart. */
const RELEASED_MS = 3000;
/** What nobody needs on a server of one's own: nobody takes there what others need. */
const NO_LIMITS = '{"ingestion_rate_mb":0}';

/** Serves until it is stopped. Throws an `Error` whose message is for people. */
export async function serve(words) {
  const options = parseOptions(words);
  if (options === undefined) return;
  const stopping = signals();
  const program = findWorkerd();
  const data = resolve(options.data);
  openFolder(data);
  const lock = await lockFolder(data);
  const state = join(data, stateFolder(options));
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const wasKilled = await endLeftover(state);
  await checkPort(options, wasKilled ? RELEASED_MS : 0);
  const bucket = options.s3 ? undefined : await startBucket(join(data, "bucket"));
  const token = options.auth === "required" && !process.env[DIGEST_VARIABLE] ? adminToken() : {};
  const workerd = startWorkerd(program, {
    listen: `${bracketed(options.host)}:${options.port}`,
    state,
    variables: {
      LIMITS: options.auth === "open" ? NO_LIMITS : undefined,
      ...process.env,
      AUTH: options.auth,
      [DIGEST_VARIABLE]: token.digest ?? process.env[DIGEST_VARIABLE],
      ...(options.s3 ?? { S3_SESSION_TOKEN: undefined, ...bucket.variables }),
    },
  });
  const failed = workerd.ended.then((why) => {
    throw new Error(`workerd stopped: ${why}. Its output is above`);
  });
  failed.catch(() => {});
  try {
    const url = await Promise.race([ready(workerd, options), failed, stopping]);
    if (url !== undefined) {
      await lock.check();
      console.log(greeting(url, data, options, token));
      await Promise.race([failed, stopping]);
    }
    console.log("\nStopping");
  } finally {
    // A second Ctrl-C does not wait for requests that are being answered.
    const again = signals();
    await Promise.race([workerd.stop(), again.then(() => workerd.stop(true))]);
    bucket?.close();
    lock.release();
  }
}

/** Resolves when the user stops the server. */
function signals() {
  return Promise.race(["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => once(process, signal))).then(() => undefined);
}

/** The catalog is of one bucket: another one has its own. */
function stateFolder({ s3 }) {
  if (!s3) return "state";
  const digest = createHash("sha256").update(`${s3.S3_ENDPOINT}\n${s3.S3_BUCKET}`).digest("hex");
  return `state-s3-${digest.slice(0, 12)}`;
}

/** Waits until the port is free, so long at most. workerd would say the same as this, but not what to do. */
async function checkPort({ host, port }, patience) {
  const probe = createServer().listen(port, host);
  try {
    await once(probe, "listening");
  } catch ({ code, message }) {
    if (code === "EADDRINUSE" && patience > 0) {
      await pause(50);
      return checkPort({ host, port }, patience - 50);
    }
    if (code === "EADDRINUSE") throw new Error(`port ${port} is in use. Choose another one with --port`);
    if (code === "EACCES") throw new Error(`not allowed to listen on port ${port}. Choose one above 1023 with --port`);
    throw new Error(`cannot listen on --host ${host}: ${message}`);
  }
  probe.close();
  await once(probe, "close");
}

/** The administrator's token: made once, of which only the digest is kept. */
function adminToken() {
  const kept = readIfThere(DIGEST)?.trim();
  if (kept) return { digest: kept };
  const token = makeToken();
  writeFileSync(DIGEST, `${token.digest}\n`, { mode: 0o600 });
  return token;
}

/** Waits until the server answers, and gives its URL. */
async function ready(workerd, { host }) {
  const port = await workerd.port;
  const name = { "0.0.0.0": "127.0.0.1", "::": "::1" }[host] ?? host;
  const url = `http://${bracketed(name)}:${port}`;
  for (;;) {
    const answer = await fetch(`${url}/healthz`).catch(() => undefined);
    if (answer?.ok) return url;
    await pause(20);
  }
}

function bracketed(host) {
  return isIPv6(host) ? `[${host}]` : host;
}

function greeting(url, data, { s3, auth }, { text }) {
  const kept = s3 ? `profiles are in the bucket ${s3.S3_BUCKET}, the catalog in ${data}` : `data is in ${data}`;
  const lines = [`Pilotlight is at ${url} (Ctrl-C stops it; ${kept})`, ""];
  const command = commandName();
  const push = `${command} push cpu.pprof --name my.app${url === "http://127.0.0.1:4040" ? "" : ` --url ${url}`}`;
  if (auth === "open") {
    lines.push(`Push a profile:  ${push}`, `From an agent:   set its server address to ${url}`);
    return lines.join("\n");
  }
  if (text) lines.push("The administrator's token, which is shown only once:", "", `    ${text}`, "");
  lines.push(
    "Create a token for agents (enter the administrator's when asked), then push with the new one:",
    `  ${command} token create --url ${url} --tenant anonymous --scope push`,
    `  PILOTLIGHT_TOKEN=plt_… ${push}`,
  );
  return lines.join("\n");
}
