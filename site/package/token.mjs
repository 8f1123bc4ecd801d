/** `pilotlight token`: creates, lists and revokes tokens of a server, through its admin API. `cargo xtask token` runs this, too. */
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { didYouMean, readWords, UsageError, urlOption, wrong } from "./options.mjs";
import { authorization, DEFAULT_URL, explain, send } from "./server.mjs";
import { table } from "./table.mjs";

const USAGE = `Creates, lists and revokes tokens for a Pilotlight server.

Usage: pilotlight token create [OPTION…] --tenant TENANT --scope SCOPE[,SCOPE…]
       pilotlight token list [--url URL]
       pilotlight token revoke [--url URL] ID

  --tenant TENANT  the tenant that the token is for; use anonymous if you have set up no tenants
  --scope SCOPES   push, read or admin, or several separated by commas
  --expires TIME   how long the token is valid, such as 90d, 12h, 30m or 45s; forever by default
  --name TEXT      what the token is for, shown in the list
  --url URL        the server; ${DEFAULT_URL} by default
  --help           print this help

The command asks for the administrator's token, without showing it. A new token is printed once.

Environment:
  PILOTLIGHT_TOKEN  the administrator's token, so that the command doesn't ask

Examples:
  pilotlight token create --tenant anonymous --scope push --name agents
  pilotlight token list --url https://profiles.example.com
  pilotlight token revoke 0a1b2c3d4e5f`;

const SECONDS = { d: 86_400, h: 3_600, m: 60, s: 1 };
/** Options of `create` alone. */
const OF_CREATE = ["tenant", "scope", "expires", "name"];

/** Throws an `Error` whose message is for people. */
export async function token(words) {
  const text = { type: "string" };
  const read = readWords(words, USAGE, { tenant: text, scope: text, expires: text, name: text, url: text });
  if (read === undefined) return;
  const { values, positionals } = read;
  const url = urlOption(values.url);
  const { method, id, body } = callOf(positionals, values);
  const target = new URL("api/v1/admin/tokens", url);
  if (id !== undefined) target.searchParams.set("id", id);
  const headers = { ...authorization(await administrator()), "content-type": "application/json" };
  const response = await send(target, { method, headers, body: body && JSON.stringify(body) }).catch((failure) => {
    throw new Error(explain(failure, url, "admin"));
  });
  const answer = await response.json().catch(() => {
    throw new Error(`${url} is not a Pilotlight server`);
  });
  if (answer.tokens) return console.log(listing(answer.tokens));
  if (answer.token) return console.log(`${answer.token}\n\nThe token is shown only once. Its ID is ${answer.id}.`);
  console.log(`revoked ${answer.id}; it stops working within 30 seconds`);
}

/** The call of the admin API. */
function callOf([action, id, ...more], values) {
  const { tenant, scope, expires, name = "" } = values;
  const actions = ["create", "list", "revoke"];
  if (action === undefined) throw wrong(USAGE, "give a command: create, list or revoke");
  if (!actions.includes(action)) throw wrong(USAGE, `unknown command token ${action}${didYouMean(action, actions)}`);
  const surplus = action === "revoke" ? more[0] : id;
  if (surplus !== undefined) throw wrong(USAGE, `unexpected argument ${surplus}`);
  if (action === "create") {
    if (!tenant) throw wrong(USAGE, "--tenant is missing: give a tenant, such as anonymous");
    if (!scope) throw wrong(USAGE, "--scope is missing: give push, read or admin, or several separated by commas");
    return { method: "POST", body: { tenant, scopes: scope.split(","), name, ttl_seconds: secondsOf(expires) } };
  }
  const given = OF_CREATE.find((option) => values[option] !== undefined);
  if (given) throw wrong(USAGE, `--${given} works only with token create`);
  if (action === "list") return { method: "GET" };
  if (id === undefined) throw wrong(USAGE, "give the ID of a token; `pilotlight token list` shows the IDs");
  return { method: "DELETE", id };
}

function secondsOf(text) {
  if (text === undefined) return null;
  const [, number, unit] = /^(\d{1,9})([dhms])$/.exec(text) ?? [];
  if (!unit) throw new UsageError(`--expires must be a length of time, such as 90d, 12h, 30m or 45s (got ${text})`);
  return Number(number) * SECONDS[unit];
}

/** The administrator's token: of the environment, or asked for without showing it. */
async function administrator() {
  if (process.env.PILOTLIGHT_TOKEN !== undefined) return process.env.PILOTLIGHT_TOKEN.trim();
  const { stdin, stderr } = process;
  // With an output of its own, which it writes nothing to: from then on the terminal echoes nothing.
  const output = new Writable({ write: (_bytes, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output, terminal: stdin.isTTY });
  if (stdin.isTTY)
    stderr.write(
      "The administrator's token (press Enter if the server needs none; to skip this question, set PILOTLIGHT_TOKEN): ",
    );
  const line = await new Promise((resolve, reject) => {
    lines.on("line", resolve);
    lines.on("SIGINT", () => reject(new Error("interrupted")));
    lines.on("close", () => resolve(""));
  });
  lines.close();
  if (stdin.isTTY) stderr.write("\n");
  return line.trim();
}

function listing(tokens) {
  const time = (millis) => (millis == null ? "-" : new Date(millis).toISOString().slice(0, 16));
  const head = ["id", "tenant", "scopes", "created", "expires", "revoked", "last used", "name"];
  const rows = tokens.map((one) => [
    one.id,
    one.tenant,
    one.scopes.join(","),
    ...[one.created, one.expires, one.revoked, one.last_used].map(time),
    one.name,
  ]);
  return table([head, ...rows]);
}
