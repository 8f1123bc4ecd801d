/** `pilotlight rules`: lists, saves and deletes recording rules of a server. */
import { didYouMean, readWords, urlOption, wrong } from "./options.mjs";
import { readRules, rulesAsYaml } from "./rulefile.mjs";
import { authorization, DEFAULT_URL, explain, send } from "./server.mjs";
import { table } from "./table.mjs";

const USAGE = `Lists, saves and deletes recording rules, which make metrics of profiles.

Usage: pilotlight rules list [--yaml|--json] [--url URL]
       pilotlight rules apply [--url URL] FILE…
       pilotlight rules delete [--url URL] ID…

  FILE         YAML or JSON: a rule, a list of rules, or what \`rules list --yaml\` prints; also
               Pyroscope's recording rules. A rule replaces the one with its id; without an id, the
               one with its metric name
  --yaml       print the rules as YAML, for a file
  --json       print the rules as JSON, with all fields
  --url URL    the server; ${DEFAULT_URL} by default
  --help       print this help

Environment:
  PILOTLIGHT_TOKEN  a token with the read scope, if the server requires one

Examples:
  pilotlight rules list
  pilotlight rules list --yaml > rules.yaml
  pilotlight rules apply rules.yaml --url https://profiles.example.com`;

/** Throws an `Error` whose message is for people. */
export async function rules(words) {
  const options = { url: { type: "string" }, yaml: { type: "boolean" }, json: { type: "boolean" } };
  const read = readWords(words, USAGE, options);
  if (read === undefined) return;
  const { values, positionals } = read;
  const [action, ...named] = positionals;
  const actions = { list, apply, delete: remove };
  if (action === undefined) throw wrong(USAGE, "give a command: list, apply or delete");
  if (!Object.hasOwn(actions, action))
    throw wrong(USAGE, `unknown command rules ${action}${didYouMean(action, Object.keys(actions))}`);
  for (const form of ["yaml", "json"])
    if (values[form] && action !== "list") throw wrong(USAGE, `--${form} works only with rules list`);
  if (values.yaml && values.json) throw wrong(USAGE, "--yaml and --json can't be combined");
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

async function list(url, _, { json, yaml }) {
  const rules = await stored(url);
  if (yaml) return console.log(await rulesAsYaml(rules));
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
  const wanted = (await Promise.all(files.map(readRules))).flat().filter(isOwn);
  refuseDoubles(wanted);
  const there = await stored(url);
  for (const { rule, where } of wanted) {
    const before = there.find((one) => isSame(one, rule));
    // The file wins, also over changes that its author hasn't seen.
    const sent = { ...rule, id: before?.id ?? rule.id, generation: before?.generation ?? 0 };
    const saved = await call(url, "POST", {}, sent).catch((failure) => {
      throw new Error(`${where}: ${failure.message}`);
    });
    console.log(`${before ? "replaced" : "saved"} ${saved.id} (${saved.metric_name})`);
  }
}

/** Whether a rule of the server is the one that a rule of a file replaces. */
function isSame(stored, { id, metric_name }) {
  return id ? stored.id === id : stored.metric_name === metric_name;
}

/** `rules list` has those of the configuration, too, which can't be saved. */
function isOwn({ rule: { id, provisioned } }) {
  if (provisioned) console.log(`skipped ${id}, a rule of the configuration`);
  return !provisioned;
}

/** Refuses files in which a rule would replace another one of them. */
function refuseDoubles(wanted) {
  for (const [at, { rule, where }] of wanted.entries()) {
    const same = ({ rule: other }) => (rule.id ? other.id === rule.id : !other.id && isSame(other, rule));
    const first = wanted.slice(0, at).find(same);
    const what = rule.id ? "another id" : "an id, or another metric_name";
    if (first) throw new Error(`${where} would replace ${first.where}: give it ${what}`);
  }
}

async function remove(url, ids) {
  for (const id of ids) {
    await call(url, "DELETE", { id });
    console.log(`deleted ${id}`);
  }
}
