/**
 * `pilotlight deploy`: from an account at Cloudflare to a running, locked worker. Run again, it upgrades and keeps the token and the
 * data. `cargo xtask deploy` runs this, too, after it has built everything.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DIGEST_VARIABLE, makeToken, nextSteps } from "../admintoken.mjs";
import { commandName, readOptions } from "../options.mjs";
import { serverParts } from "../serve/parts.mjs";
import { configure } from "./configuration.mjs";
import { checkSetting, readRecord, remember, settingsOf } from "./settings.mjs";
import { findWrangler, logIn, runWrangler, WranglerFailure } from "./wrangler.mjs";

const USAGE = `Deploys a Pilotlight server to Cloudflare, or upgrades it.

Usage: pilotlight deploy [OPTION…]

  --preset free|paid  your Cloudflare plan; paid by default
  --name NAME         the worker's name, different for each installation; pilotlight by default
  --bucket NAME       the worker's R2 bucket, created if it is missing; pilotlight by default
  --domain HOST       a host name in a zone of the account; by default, or if HOST is "none", the
                      worker is at NAME.SUBDOMAIN.workers.dev
  --new-token         replace the administrator's token
  --dry-run           check and bundle the worker, and list the commands; needs no account
  --check-login       check only whether you are logged in to Cloudflare
  --rollback          go back to the previous version
  --help              print this help

Each of wrangler's commands is printed before it runs. wrangler is fetched with npx if it isn't
installed next to pilotlight. The options are saved in deploy.toml in the current folder, so an
upgrade needs no options. The server requires a token with every request; the administrator's token
is printed once.

Environment:
  CLOUDFLARE_API_TOKEN, CLOUDFLARE_ACCOUNT_ID   instead of \`wrangler login\`

Examples:
  pilotlight deploy --dry-run
  pilotlight deploy --preset free
  pilotlight deploy --name profiles --bucket profiles --domain profiles.example.com`;

const RECORD = "deploy.toml";

/** Throws an `Error` whose message is for people. */
export async function deploy(words) {
  const [text, flag] = [{ type: "string" }, { type: "boolean" }];
  const flags = { "dry-run": flag, rollback: flag, "new-token": flag, "check-login": flag };
  const values = readOptions(words, USAGE, { preset: text, name: text, bucket: text, domain: text, ...flags });
  if (values === undefined) return;
  const name = checkSetting("name", values.name ?? "pilotlight");
  const path = resolve(RECORD);
  const record = readRecord(path);
  const settings = settingsOf(values, record[name]);

  const program = findWrangler();
  const folder = mkdtempSync(join(tmpdir(), "pilotlight-deploy-"));
  const wrangler = (...args) => runWrangler(program, args, join(folder, "logs"));
  try {
    const config = () => writeConfiguration(folder, name, settings);
    if (values["dry-run"]) return await dryRun(wrangler, config(), folder, name, settings);
    await checkLogin(wrangler, program);
    if (values["check-login"]) return console.log("You are logged in to Cloudflare.");
    if (values.rollback) return await rollBack(wrangler, name);
    const { url, token } = await release(wrangler, config(), folder, name, settings, values["new-token"]);
    remember(path, record, name, settings);
    console.log(`\nPilotlight is at ${url} and is locked: every request needs a token.\n`);
    if (token) console.log(nextSteps(token, url));
    else console.log(`Upgraded; tokens and data are unchanged. To go back: ${commandName()} deploy --rollback`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** wrangler says that nobody is logged in, but ends well. */
async function checkLogin(wrangler, { name }) {
  if ((await wrangler("whoami")).includes("not authenticated"))
    throw new Error(`you are not logged in to Cloudflare\n\nWhat to do: ${logIn(name)}`);
}

/** All that a deployment does. What is there already stays. */
async function release(wrangler, config, folder, name, { bucket, domain }, isTokenNew) {
  const isMissing = await wrangler("r2", "bucket", "info", bucket).then(
    () => false,
    () => true,
  );
  if (isMissing) await wrangler("r2", "bucket", "create", bucket);
  const token = !isTokenNew && (await hasToken(wrangler, config, name)) ? undefined : makeToken();
  // In the same version as the code: there is no moment without it, and a rollback keeps it.
  const secrets = join(folder, "secrets.json");
  if (token) writeFileSync(secrets, JSON.stringify({ [DIGEST_VARIABLE]: token.digest }), { mode: 0o600 });
  const more = token ? ["--secrets-file", secrets] : [];
  const written = await wrangler("deploy", "--config", config, ...more).catch((failure) => {
    if (token)
      console.error(
        "If the worker was uploaded before the failure, its first token was never shown: deploy again with --new-token.",
      );
    throw failure;
  });
  const [found] = /https:\/\/\S+\.workers\.dev(?=\s|$)/.exec(written) ?? [`https://${name}.YOUR-SUBDOMAIN.workers.dev`];
  return { url: domain ? `https://${domain}` : found, token };
}

/**
 * Whether the worker has an administrator's token already. One that is not there has none; any other failure is one, since a token
 * must not be replaced because Cloudflare did not answer.
 */
async function hasToken(wrangler, config, name) {
  try {
    return (await wrangler("secret", "list", "--name", name, "--config", config)).includes(DIGEST_VARIABLE);
  } catch (failure) {
    if (failure instanceof WranglerFailure && failure.cause.includes(`Worker "${name}" not found`)) return false;
    throw failure;
  }
}

/** Back to the version before: code, variables and secrets. What is stored stays. */
async function rollBack(wrangler, name) {
  await wrangler("rollback", "--name", name, "--message", "pilotlight deploy --rollback", "--yes");
  console.log(`\n${name} runs the previous version, with its variables and secrets. Stored data is unchanged.`);
}

async function dryRun(wrangler, config, folder, name, { bucket }) {
  console.log(`A deployment runs these commands; an indented command runs only if the command above it finds nothing.
  wrangler whoami
  wrangler r2 bucket info ${bucket}
    wrangler r2 bucket create ${bucket}
  wrangler secret list --name ${name} --config …
    (makes the administrator's token and shows it once)
  wrangler deploy --config … [--secrets-file …]

The last command, checked without an account:`);
  const written = await wrangler("deploy", "--config", config, "--dry-run", "--outdir", join(folder, "bundle"));
  console.log(written.trim());
}

/** Writes the configuration and gives its path. */
function writeConfiguration(folder, name, settings) {
  const { server, pages, wrangler } = serverParts();
  const path = join(folder, "wrangler.toml");
  const main = join(server, "worker/shim.js");
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, configure(readFileSync(wrangler, "utf8"), { main, pages }, name, settings));
  return path;
}
