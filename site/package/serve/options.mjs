/** What `pilotlight serve` is told: options and variables, checked. */
import { isIP } from "node:net";
import { portOption, readOptions, UsageError } from "../options.mjs";
import { defaultFolder } from "./folder.mjs";

const USAGE = `Runs a Pilotlight server on this machine. It stores profiles in a folder and serves the pages.

Usage: pilotlight serve [OPTION…]

  --port N             the port to listen on, 0 for a free one; 4040 by default
  --host ADDRESS       the address to listen on, 0.0.0.0 for all; 127.0.0.1 by default
  --data DIR           the folder for all data; by default
                       ${defaultFolder()}
  --auth open          anyone who can reach the server may push, read and delete; the default on
                       127.0.0.1
  --auth required      every request needs a token; the default on all other addresses
  --s3-endpoint URL    store profiles in an S3 bucket instead; the catalog stays in the folder
  --s3-bucket NAME     the name of that bucket
  --help               print this help

Environment:
  S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY      the keys of the S3 bucket
  S3_REGION, S3_URL_STYLE, S3_SESSION_TOKEN   if the bucket needs them
  RETENTION_RAW_DAYS, ALLOWED_HOSTS, FLUSH_MS, …   settings of the server

Examples:
  pilotlight serve
  RETENTION_RAW_DAYS=7 pilotlight serve --host 0.0.0.0 --data /var/lib/pilotlight

Ctrl-C stops it.`;

/** `undefined` when help was asked for, and printed. */
export function parseOptions(words) {
  const text = { type: "string" };
  const known = { port: text, host: text, data: text, auth: text, "s3-endpoint": text, "s3-bucket": text };
  const values = readOptions(words, USAGE, known);
  if (values === undefined) return undefined;
  const { host = "127.0.0.1", data = defaultFolder() } = values;
  const port = portOption(values.port ?? "4040");
  if (isIP(host) === 0)
    throw new UsageError(`--host must be an IP address, such as 127.0.0.1 or 0.0.0.0 (got ${host})`);
  if (data === "") throw new UsageError("--data must name a folder");
  const auth = values.auth ?? (isLoopback(host) ? "open" : "required");
  if (auth !== "open" && auth !== "required") throw new UsageError(`--auth must be open or required (got ${auth})`);
  return { port, host, data, auth, s3: s3Of(values["s3-endpoint"], values["s3-bucket"]) };
}

/** The variables of the S3 bucket; `undefined` for the embedded one. The keys are no options: other users see those. */
function s3Of(endpoint, bucket) {
  if (endpoint === undefined && bucket === undefined) return undefined;
  if (!endpoint) throw new UsageError("--s3-bucket needs --s3-endpoint");
  if (!bucket) throw new UsageError("--s3-endpoint needs --s3-bucket");
  if (!/^https?:/.test(endpoint) || !URL.canParse(endpoint))
    throw new UsageError(
      `--s3-endpoint must be a URL, such as https://s3.eu-central-1.amazonaws.com (got ${endpoint})`,
    );
  for (const name of ["S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"])
    if (!process.env[name]) throw new UsageError(`${name} is not set. Set it to a key for the bucket ${bucket}`);
  return { S3_ENDPOINT: endpoint, S3_BUCKET: bucket };
}

function isLoopback(host) {
  return host.startsWith("127.") || host === "::1";
}
