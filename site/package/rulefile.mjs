/** Files of recording rules: YAML or JSON, with Pilotlight's rules or Pyroscope's. */
import { readFileSync } from "node:fs";
import { didYouMean } from "./options.mjs";
import { fromPyroscope, isPyroscopes } from "./pyroscoperule.mjs";
import { loadYaml } from "./yaml.mjs";

const TEXT = { words: "must be text; put it in quotes", fits: (value) => typeof value === "string" };
const TEXTS = {
  words: "must be a list of texts",
  fits: (value) => Array.isArray(value) && value.every(TEXT.fits),
};
const FLAG = { words: "must be true or false", fits: (value) => typeof value === "boolean" };
const LABELS = {
  words: 'must map names to texts, such as {team: "shop"}; put numbers in quotes',
  fits: (value) => isObject(value) && Object.values(value).every(TEXT.fits),
};

/** The fields of a rule, and what each must be. */
const FIELDS = {
  id: TEXT,
  metric_name: TEXT,
  query: TEXT,
  group_by: TEXTS,
  external_labels: LABELS,
  function: TEXT,
  function_regex: TEXT,
  self: FLAG,
  call_site: TEXTS,
  unit_suffix: FLAG,
  generation: { words: "must be a number", fits: Number.isSafeInteger },
  provisioned: FLAG,
};

/**
 * The rules of a file, each with where it is: `rules.yaml: rule 2 (profiles_recorded_checkout)`. Throws an `Error` that names
 * the file, and the rule if one is wrong.
 */
export async function readRules(file) {
  const contents = await contentsOf(file);
  const rules = contents.flatMap((content) => (Array.isArray(content) ? content : (content?.rules ?? [content])));
  if (rules.length === 0) throw new Error(`${file} has no rules`);
  return rules.map((rule, at) => {
    const name = rule?.metric_name ?? rule?.metricName ?? rule?.id;
    const where = `${file}: rule ${at + 1}${typeof name === "string" ? ` (${name})` : ""}`;
    try {
      return { where, rule: checked(rule) };
    } catch (error) {
      throw new Error(`${where}: ${error.message}`);
    }
  });
}

/** Rules as YAML for a file: without what is empty, and without `generation`, which differs after each change. */
export async function rulesAsYaml(rules) {
  const isEmpty = (value) => !value || (typeof value === "object" && Object.keys(value).length === 0);
  const isSet = ([name, value]) => name !== "generation" && !isEmpty(value);
  const shown = rules.map((rule) => Object.fromEntries(Object.entries(rule).filter(isSet)));
  return (await loadYaml()).dump({ rules: shown }, { lineWidth: -1, noRefs: true }).trimEnd();
}

/** The documents of a file. */
async function contentsOf(file) {
  let text;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new Error(`${file}: ${error.message}`);
  }
  try {
    if (isJson(file, text)) return [JSON.parse(text)];
    return (await loadYaml()).loadAll(text).filter((content) => content !== null);
  } catch (error) {
    const at = error.mark ? `line ${error.mark.line + 1}: ` : "";
    throw new Error(`${file}: ${at}${error.reason ?? error.message}`);
  }
}

/** YAML may begin like JSON, so the name counts first. */
function isJson(file, text) {
  const [ending] = /\.(json|ya?ml)$/i.exec(file) ?? [];
  return ending ? /json/i.test(ending) : /^\s*[[{]/.test(text);
}

function checked(given) {
  if (!isObject(given)) throw new Error(`expected a rule with metric_name and query, got ${JSON.stringify(given)}`);
  const rule = isPyroscopes(given) ? fromPyroscope(given) : given;
  // A field without a value in YAML is not set.
  const set = Object.entries(rule).filter(([, value]) => value !== null && value !== undefined);
  for (const [name, value] of set) {
    if (!Object.hasOwn(FIELDS, name)) throw new Error(`unknown field ${name}${didYouMean(name, Object.keys(FIELDS))}`);
    const { fits, words } = FIELDS[name];
    if (!fits(value)) throw new Error(`${name} ${words} (got ${JSON.stringify(value)})`);
  }
  for (const name of ["metric_name", "query"]) if (!rule[name]) throw new Error(`${name} is missing`);
  return Object.fromEntries(set);
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
