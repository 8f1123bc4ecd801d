/** `pilotlight export`: a part of what a server stores becomes a folder, a zip or a page that answers queries by itself. */
import { parseArgs } from "node:util";
import { checkWhen, OUT, writeSite } from "./output.mjs";
import { authorization, reasonIn, serverUrl, unreachable } from "./server.mjs";

export const USAGE = `Exports a part of what a Pilotlight server stores, as what answers queries without a server.

Usage: pilotlight export --url URL [OPTION…]

  --url URL       the server
  --query TEXT    a selector, as {service_name="checkout"}, or <profile type>{service_name="checkout"}; all by default
  --from TIME     milliseconds since the epoch, 2026-11-23T12:00:00Z, or relative as now-1d; now-1h by default
  --until TIME    before when; now by default
${OUT}

A server that asks for one is given the token in PILOTLIGHT_TOKEN, which has to be one that may read.`;

/** Throws an `Error` whose message is for people. */
export async function exportSlice(words) {
  const text = { type: "string" };
  const options = { url: text, query: text, from: text, until: text, out: text, commit: text, when: text };
  const { values } = parseArgs({
    args: words,
    options: { ...options, help: { type: "boolean", short: "h", default: false } },
  });
  if (values.help) return console.log(USAGE);
  const url = serverUrl(values.url);
  if (!url) throw new Error(`--url is missing, or no address\n\n${USAGE}`);
  checkWhen(values.when);
  const address = new URL("api/v1/export", url);
  for (const name of ["query", "commit", "when"]) if (values[name]) address.searchParams.set(name, values[name]);
  for (const name of ["from", "until"]) if (values[name]) address.searchParams.set(name, time(name, values[name]));
  const headers = authorization(process.env.PILOTLIGHT_TOKEN);
  const response = await fetch(address, { headers }).catch((failure) => {
    throw new Error(`${address.origin} does not answer: ${unreachable(failure)}`);
  });
  if (response.status === 204) throw new Error("there is no profile of this selector in this range");
  if (!response.ok) {
    const text = await response.text();
    throw new Error(`the server answers ${response.status}: ${reasonIn(text) ?? text}`);
  }
  if (response.headers.get("content-type") !== "application/zip")
    throw new Error(`${address.origin} is no Pilotlight server`);
  const profiles = response.headers.get("x-pilotlight-profiles");
  const incomplete = response.headers.get("x-pilotlight-incomplete") === "true";
  const { path, hint } = await writeSite(new Uint8Array(await response.arrayBuffer()), values.out);
  console.log(`${profiles} profiles are in ${path} (${hint}).`);
  if (incomplete) console.log("It is incomplete: of some profiles in this range, only sums are left.");
}

/** What the server takes as it is, or a date as milliseconds. */
function time(name, given) {
  if (/^\d+$/.test(given) || given.startsWith("now")) return given;
  const millis = Date.parse(given);
  if (Number.isNaN(millis)) throw new Error(`--${name} ${given}: not a time, as 2026-11-23T12:00:00Z is`);
  return String(millis);
}
