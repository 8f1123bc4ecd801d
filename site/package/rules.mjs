/** `pilotlight rules`: lists, saves and deletes recording rules of a server. */
import { readFileSync } from "node:fs";
import { didYouMean, readWords, urlOption, wrong } from "./options.mjs";
import { authorization, DEFAULT_URL, explain, send } from "./server.mjs";
import { table } from "./table.mjs";

const USAGE = `Lists, saves and deletes recording rules, which make metrics of profiles.

Usage: pilotlight rules list [--json] [--url URL]
       pilotlight rules apply [--url URL] FILE…
       pilotlight rules delete [--url URL] ID…

  FILE         JSON: a rule, a list of rules, or what \`rules list --json\` prints. A rule replaces
               the one with its id; without an id, the one with its metric name
  --json       print the rules as JSON
  --url URL    the server; ${DEFAULT_URL} by default
  --help       print this help

Environment:
  PILOTLIGHT_TOKEN  a token with the read scope, if the server requires one

Examples:
  pilotlight rules list
  pilotlight rules list --json > rules.json
  pilotlight rules apply rules.json --url https://profiles.example.com`;

/** Throws an `Error` whose message is for people. */
export async function rules(words) {
  const read = readWords(words, USAGE, { url: { type: "string" }, json: { type: "boolean" } });
  if (read === undefined) return;
  const { values, positionals } = read;
  const [action, ...named] = positionals;
  const actions = { list, apply, delete: remove };
  if (action === undefined) throw wrong(USAGE, "give a command: list, apply or delete");
  if (!Object.hasOwn(actions, action))
    throw wrong(USAGE, `unknown command rules ${action}${didYouMean(action, Object.keys(actions))}`);
  if (values.json && action !== "list") throw wrong(USAGE, "--json works only with rules list");
  if (action === "list" && named.length > 0) throw wrong(USAGE, `unexpected argument ${named[0]}`);
  if (action === "apply" && named.length === 0) throw wrong(USAGE, "give a file with rules");
  if (action === "delete" && named.length === 0)
    throw wrong(USAGE, "give the ID of a rule; `pilotlight rules list` shows the IDs");
  await actions[action](urlOption(values.url), named, values);
}

async function call(url, method, parameters, rule) {
  const target = new URL("api/v1/rules", url);
  target.search = new URLSearchParams(parameters);
  const headers = { ...authorization(process.env.PILOTLIGHT_TOKEN?.trim()), "content-type": "application/json" };
  const response = await send(target, { method, headers, body: rule && JSON.stringify(rule) }).catch((failure) => {
    throw new Error(explain(failure, url, "read"));
  });
  if (response.status === 204) return undefined;
  return response.json().catch(() => {
    throw new Error(`${url} is not a Pilotlight server`);
  });
}

const stored = async (url) => (await call(url, "GET", {})).rules;

async function list(url, _, { json }) {
  const rules = await stored(url);
  if (json) return console.log(JSON.stringify({ rules }, undefined, 2));
  const target = ({ function: name, function_regex, self, call_site }) => {
    const what = name || (function_regex && `/${function_regex}/`) || call_site.join(";");
    return what ? `${self ? "self" : "total"} of ${what}` : "total";
  };
  const head = ["id", "metric", "query", "target", "by"];
  const rows = rules.map((rule) => [
    rule.id + (rule.provisioned ? " (configured)" : ""),
    rule.metric_name,
    rule.query,
    target(rule),
    rule.group_by.join(",") || "-",
  ]);
  console.log(table([head, ...rows]));
}

async function apply(url, files) {
  const wanted = files.flatMap(rulesIn);
  const names = wanted.filter(({ id }) => !id).map(({ metric_name }) => metric_name);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice) throw new Error(`two rules without an id have the metric name ${twice}: give one of them an id`);
  const there = await stored(url);
  for (const rule of wanted) {
    const of = (one) => (rule.id ? one.id === rule.id : one.metric_name === rule.metric_name);
    const before = there.find(of);
    // The file wins, also over changes that its author hasn't seen.
    const sent = { ...rule, id: before?.id ?? rule.id, generation: before?.generation ?? 0 };
    const saved = await call(url, "POST", {}, sent);
    console.log(`${before ? "replaced" : "saved"} ${saved.id} (${saved.metric_name})`);
  }
}

/** The rules of a file. */
function rulesIn(file) {
  let content;
  try {
    content = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new Error(`${file}: ${error.message}`);
  }
  const rules = Array.isArray(content) ? content : (content?.rules ?? [content]);
  if (!Array.isArray(rules) || rules.some((rule) => typeof rule?.metric_name !== "string"))
    throw new Error(`${file} must contain rules, each with a metric_name`);
  // `rules list` has those of the configuration, too, which can't be saved.
  for (const { id, provisioned } of rules) if (provisioned) console.log(`skipped ${id}, a rule of the configuration`);
  return rules.filter((rule) => !rule.provisioned);
}

async function remove(url, ids) {
  for (const id of ids) {
    await call(url, "DELETE", { id });
    console.log(`deleted ${id}`);
  }
}
