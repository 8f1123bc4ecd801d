/** `pilotlight export`: a part of what a server stores becomes a folder, a zip or a page that answers queries by itself. */
import { readOptions, timeOption, UsageError, wrong } from "./options.mjs";
import { checkWhen, OUT, writeSite } from "./output.mjs";
import { authorization, explain, send, serverUrl } from "./server.mjs";

const USAGE = `Saves profiles from a Pilotlight server as pages that can be queried without a server.

Usage: pilotlight export --url URL [OPTION…]

  --url URL       the server
  --query TEXT    a selector such as {service_name="checkout"}, optionally after a profile type;
                  everything by default
  --from TIME     the start of the range: 2026-11-23T12:00:00Z, milliseconds since 1970, or a
                  relative time like now-1d; now-1h by default
  --until TIME    the end of the range; now by default
${OUT}
  --help          print this help

Environment:
  PILOTLIGHT_TOKEN  a token with the read scope; open servers need none

Examples:
  pilotlight export --url https://profiles.example.com --from now-1d --out day.html
  pilotlight export --url http://localhost:4040 --query '{service_name="checkout"}' --out checkout`;

/** Throws an `Error` whose message is for people. */
export async function exportSlice(words) {
  const text = { type: "string" };
  const options = { url: text, query: text, from: text, until: text, out: text, commit: text, when: text };
  const values = readOptions(words, USAGE, options);
  if (values === undefined) return;
  if (values.url === undefined) throw wrong(USAGE, "--url is missing: give the URL of the server");
  const url = serverUrl(values.url);
  if (!url)
    throw new UsageError(`--url must be the URL of a server, such as https://profiles.example.com (got ${values.url})`);
  checkWhen(values.when);
  const address = new URL("api/v1/export", url);
  for (const name of ["query", "commit", "when"]) if (values[name]) address.searchParams.set(name, values[name]);
  for (const name of ["from", "until"])
    if (values[name]) address.searchParams.set(name, timeOption(name, values[name]));
  const headers = authorization(process.env.PILOTLIGHT_TOKEN);
  const response = await send(address, { headers }).catch((failure) => {
    throw new Error(explain(failure, url, "read"));
  });
  if (response.status === 204) throw new Error("no profiles match this selector in this range");
  if (response.headers.get("content-type") !== "application/zip")
    throw new Error(`${address.origin} is not a Pilotlight server`);
  const profiles = response.headers.get("x-pilotlight-profiles");
  const incomplete = response.headers.get("x-pilotlight-incomplete") === "true";
  const { path, hint } = await writeSite(new Uint8Array(await response.arrayBuffer()), values.out);
  console.log(`${profiles} profiles are in ${path} (${hint}).`);
  if (incomplete)
    console.log("The export is incomplete: some profiles in this range have expired; only totals remain.");
}
