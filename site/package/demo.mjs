/** `pilotlight demo`: fills a server with an hour of made-up profiles. */
import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { parseArgs } from "node:util";
import { deleteDemo, PushFailure, pushDemo } from "./pushdemo.mjs";
import { authorization, serverUrl, unreachable } from "./server.mjs";

export const USAGE = `Fills a Pilotlight server with made-up profiles: an hour of four services, one of which a deploy makes slower.

Usage: pilotlight demo [OPTION…] [URL]

  URL            the server; http://localhost:4040 by default
  --token TOKEN  a token with the scope push; PILOTLIGHT_TOKEN by default. Open servers need none
  --delete       delete all made-up profiles of the server instead; this needs the scope admin
  --help         print this

The profiles have the label demo="true".`;

/** Throws an `Error` whose message is for people. */
export async function demo(words) {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: {
      token: { type: "string", default: process.env.PILOTLIGHT_TOKEN ?? "" },
      delete: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  const [address = "http://localhost:4040", ...more] = positionals;
  if (more.length > 0) throw new Error(`name one server\n\n${USAGE}`);
  const url = serverUrl(address);
  if (!url) throw new Error(`${address} is not the URL of a server, like http://localhost:4040`);
  const headers = authorization(values.token);
  await checkServer(url);
  const scope = values.delete ? "admin" : "push";
  await (values.delete ? remove(url, headers) : fill(url, headers)).catch((failure) => {
    throw failure instanceof PushFailure ? new Error(explain(failure, url, scope)) : failure;
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
Delete them:    ${command()} demo --delete ${url}`);
}

async function remove(url, headers) {
  await deleteDemo(url, headers);
  console.log("The server deletes the made-up profiles. Queries may show them for some more minutes.");
}

/** How this program was started: installed, or from a clone. */
function command() {
  const path = process.argv[1];
  return path.endsWith(".mjs") ? `node ${relative(".", path)}` : "pilotlight";
}

/** The profiles of the hour until now. */
async function made() {
  // In the package it is beside this file, in the repository where the build puts it.
  const folders = ["./wasm-demo/", "../src/wasm/demo/"].map((folder) => new URL(folder, import.meta.url));
  const folder = folders.find((folder) => existsSync(new URL("pilotlight_bg.wasm", folder)));
  if (!folder) throw new Error("the generator is not built: run `cargo xtask run` first");
  const { default: init, Demo } = await import(new URL("pilotlight.js", folder));
  await init({ module_or_path: readFileSync(new URL("pilotlight_bg.wasm", folder)) });
  return new Demo(Math.floor(Date.now() / 1000));
}

async function checkServer(url) {
  let response;
  try {
    response = await fetch(new URL("healthz", url));
  } catch (failure) {
    throw new Error(`${url} does not answer (${unreachable(failure)}). Start a server there, or name another one:
  pilotlight serve                              starts one on http://localhost:4040
  cargo xtask run                               does, too, in a clone of Pilotlight
  pilotlight demo https://profiles.example.com`);
  }
  if (!response.ok || (await response.text()).trim() !== "ok")
    throw new Error(`${url} is not a Pilotlight server (${url}healthz answers ${response.status})`);
}

function explain({ status, message }, url, scope) {
  if (status === 401 || status === 403)
    return `${url} needs a token with the scope ${scope}: pass it with --token or in PILOTLIGHT_TOKEN (${status}: ${message})`;
  return status === 0 ? `${url} does not answer any more (${message})` : `${url} answers ${status}: ${message}`;
}
