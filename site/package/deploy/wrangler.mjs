/** wrangler's commands, and what its failures mean. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { findPackage } from "../serve/parts.mjs";

/** How long a command may take, in milliseconds: npx may fetch wrangler first, which then uploads 2 MB. */
const LIMIT = 600_000;
/** How much of what a failed command wrote is repeated. */
const SHOWN = 4000;

/** What to do about failures that a new account meets, by what wrangler writes. */
const REMEDIES = [
  [
    "10042",
    () =>
      "enable R2 for the account: https://dash.cloudflare.com/?to=/:account/r2 (10 GB are free, but Cloudflare asks for a card)",
  ],
  [
    "register a workers.dev subdomain",
    () => "choose a subdomain: https://dash.cloudflare.com/?to=/:account/workers/onboarding, or give --domain",
  ],
  [
    "More than one account",
    (wrangler) => `set CLOUDFLARE_ACCOUNT_ID to the account's ID (\`${wrangler} whoami\` lists them)`,
  ],
  ["10143", () => "the binding SELF names a worker that doesn't exist: was --name changed by hand?"],
  ["10000", logIn],
  ["9109", logIn],
  ["CLOUDFLARE_API_TOKEN", logIn],
  ["fetch failed", () => "wrangler did not reach Cloudflare: check the network, and HTTPS_PROXY if you need a proxy"],
];

/** wrangler as it is installed, or as npx fetches it: the version with which all is tested. `name` is how people run it. */
export function findWrangler() {
  const { require, tested } = findPackage("wrangler");
  try {
    const manifest = require.resolve("wrangler/package.json");
    const program = join(dirname(manifest), "bin/wrangler.js");
    const name = tested ? "npx wrangler" : "npx --prefix xtask/npm wrangler";
    if (existsSync(program)) return { name, words: [process.execPath, program] };
  } catch {
    // It is not installed.
  }
  const name = `wrangler@${tested}`;
  return { name: `npx ${name}`, words: ["npx", "--yes", name] };
}

/** How to log in: wrangler's own ways, of which one needs no browser. */
export function logIn(wrangler) {
  return `either run \`${wrangler} login\`, which opens a browser, or make an API token
(https://dash.cloudflare.com/profile/api-tokens, template "Edit Cloudflare Workers", and the permission
"Workers R2 Storage: Edit") and set CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID`;
}

/** Runs a command and gives what it wrote; the message of a failure has the end of that, and what to do. */
export async function runWrangler({ name, words: [program, ...words] }, args, logs) {
  console.log(`+ wrangler ${args.join(" ")}`);
  const child = spawn(program, [...words, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    timeout: LIMIT,
    // A program of npm's is a script there.
    shell: process.platform === "win32",
    env: {
      ...process.env,
      WRANGLER_SEND_METRICS: "false",
      WRANGLER_HIDE_BANNER: "true",
      WRANGLER_LOG_PATH: logs,
    },
  });
  let written = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => {
      written += text;
    });
  const status = await new Promise((resolve, reject) => {
    child.on("error", ({ message }) => reject(new Error(`could not start ${program}: ${message}`)));
    child.on("close", (code, signal) => resolve(code ?? signal));
  });
  if (status === 0) return written;
  const [, remedy] = REMEDIES.find(([sign]) => written.includes(sign)) ?? [
    "",
    () => "wrangler's output is above; run the same command again to continue where it stopped",
  ];
  throw new WranglerFailure(
    `\`wrangler ${args.join(" ")}\` failed (${status}):\n${written.trim().slice(-SHOWN)}`,
    remedy(name),
  );
}

/** A command that failed. */
export class WranglerFailure extends Error {
  constructor(cause, remedy) {
    super(`${cause}\n\nWhat to do: ${remedy}`);
    this.cause = cause;
  }
}
