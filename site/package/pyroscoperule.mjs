/** Recording rules in the forms that Pyroscope has: those of its command line, of its API as JSON, and of its stored rules. */

/** Whether a rule is written as Pyroscope's are. */
export function isPyroscopes(rule) {
  return Object.hasOwn(rule, "matchers");
}

/** Fields that say nothing which a rule here doesn't know: the type is among the matchers, and the server knows where points go. */
const UNUSED = ["profile_type", "prometheus_data_source"];

/** The same rule in the names of Pilotlight's API. */
export function fromPyroscope(given) {
  const { matchers, stacktrace_filter, function_name, external_labels, ...rest } = snakeCase(given);
  if (rest.query !== undefined) throw new Error("matchers and query can't be combined");
  for (const name of UNUSED) delete rest[name];
  return {
    ...rest,
    query: queryOf(matchers),
    external_labels: labelsOf(external_labels),
    function: function_name ?? functionOf(stacktrace_filter),
    // 64-bit numbers are text in JSON of protobuf.
    generation: rest.generation === undefined ? undefined : Number(rest.generation),
  };
}

/** One selector of all matchers. What is wrong with one, the server says. */
function queryOf(matchers) {
  const isList = Array.isArray(matchers) && matchers.every((text) => typeof text === "string");
  if (!isList) throw new Error(`matchers must be a list of texts (got ${JSON.stringify(matchers)})`);
  const types = [];
  const labels = [];
  for (const text of matchers) {
    const [, type, inside] = /^\s*([^{]*?)\s*\{(.*)\}\s*$/s.exec(text) ?? [];
    if (inside === undefined) throw new Error(`matchers: expected {name="value"}, got ${text}`);
    if (type) types.push(type);
    for (const matcher of inside.match(/(?:[^,"]|"(?:[^"\\]|\\.)*")+/gs) ?? []) {
      const named = /^\s*__profile_type__\s*=\s*"(.*)"\s*$/s.exec(matcher);
      if (named) types.push(named[1]);
      else if (matcher.trim()) labels.push(matcher.trim());
    }
  }
  if (types.length !== 1) throw new Error(`matchers must have one __profile_type__="…" (got ${types.length})`);
  return `${types[0]}{${labels.join(",")}}`;
}

/** A list of names and values as an object; something else as it is. */
function labelsOf(labels) {
  if (!Array.isArray(labels)) return labels;
  return Object.fromEntries(labels.map((label) => [label?.name, label?.value]));
}

function functionOf(filter) {
  const { function_name: name, metric_type = "TOTAL" } = filter?.function_name ?? {};
  if (metric_type !== "TOTAL" && metric_type !== 0) throw new Error(`metric_type must be TOTAL (got ${metric_type})`);
  return name;
}

/** Pyroscope's API also has `metricName`; names of labels are values, so none is changed. */
function snakeCase(value) {
  if (Array.isArray(value)) return value.map(snakeCase);
  if (typeof value !== "object" || value === null) return value;
  const renamed = ([name, inside]) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    snakeCase(inside),
  ];
  return Object.fromEntries(Object.entries(value).map(renamed));
}
