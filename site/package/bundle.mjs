/** `pilotlight bundle DIR`: a folder of profiles becomes a folder that any static host serves, and that answers queries. */
import { readFileSync } from "node:fs";
import { relative, resolve, sep } from "node:path";
import { readWords, UsageError, wrong } from "./options.mjs";
import { checkWhen, OUT, writeSite } from "./output.mjs";
import { filesIn, labelsOfPath, nameOf } from "./paths.mjs";
import { loadWasm } from "./wasm.mjs";

const USAGE = `Makes a static site from a folder of profiles; its pages can be queried without a server.

Usage: pilotlight bundle [OPTION…] DIR

  DIR             a folder with pprof, JFR, speedscope or folded-stack files, also in subfolders
${OUT}
  --service NAME  the service of profiles that don't name one
  --time TIME     the start time of profiles that record none; 1970 by default
  --labels FILE   a JSON file: {"path in DIR": {"service_name": "app", "env": "ci"}}; a folder's
                  labels apply to all files in it
  --help          print this help

A folder or file named key=value, or key=value,key=value, sets labels. The service is named after
the first other folder; without one, it is --service, or else the file's name up to its first dot,
which is always the label "file". The same files give the same bundle, byte for byte.

Examples:
  pilotlight bundle --out site profiles/
  pilotlight bundle --out report.html --service checkout --commit 4f1c2d9 profiles/`;

/** Throws an `Error` whose message is for people. */
export async function bundle(words) {
  const text = { type: "string" };
  const options = { out: text, service: text, time: text, labels: text, commit: text, when: text };
  const read = readWords(words, USAGE, options);
  if (read === undefined) return;
  const { values, positionals } = read;
  if (positionals.length !== 1) throw wrong(USAGE, "give exactly one folder");
  const time = values.time === undefined ? 0 : Date.parse(values.time);
  if (Number.isNaN(time))
    throw new UsageError(`--time must be a time, such as 2026-11-23T12:00:00Z (got ${values.time})`);
  checkWhen(values.when);
  const folder = resolve(positionals[0]);
  const labelsOf = manifest(values.labels);
  const files = filesIn(folder);
  if (files.length === 0) throw new Error(`no files in ${folder}`);

  const { BundleMaker } = await loadWasm("bundler");
  const maker = new BundleMaker();
  for (const file of files) {
    const name = relative(folder, file).split(sep).join("/");
    const { service_name, file: stem, ...labels } = { ...labelsOfPath(name, values.service), ...labelsOf(name) };
    const whole = nameOf(service_name, { ...labels, file: stem.replaceAll(",", " ") });
    try {
      const left = maker.add(`name=${encodeURIComponent(whole)}`, readFileSync(file), time);
      for (const problem of left) console.error(`${name}: ${problem}`);
    } catch (failure) {
      throw new Error(`${name}: ${failure.message}`);
    }
  }
  if (maker.from === undefined) throw new Error("the profiles have no samples");
  const { path, hint } = await writeSite(maker.finish(files.length, values.commit, values.when), values.out);
  console.log(`The profiles from ${files.length} file${files.length === 1 ? "" : "s"} are in ${path} (${hint}).`);
}

/** What the file of labels says of a path: what it says of its folders, and of itself. */
function manifest(path) {
  if (path === undefined) return () => ({});
  let said;
  try {
    said = JSON.parse(readFileSync(path, "utf8"));
  } catch (failure) {
    throw new Error(`${path}: ${failure.message}`);
  }
  if (said === null || typeof said !== "object" || Array.isArray(said))
    throw new Error(`${path} must be a JSON object`);
  for (const [name, labels] of Object.entries(said)) {
    const texts =
      labels !== null &&
      typeof labels === "object" &&
      Object.values(labels).every((value) => typeof value === "string");
    if (!texts)
      throw new Error(`${path}: the labels of ${JSON.stringify(name)} must be an object whose values are strings`);
  }
  return (name) => {
    const parts = name.split("/");
    const names = parts.map((_, i) => parts.slice(0, i + 1).join("/"));
    return Object.assign({}, ...names.map((name) => said[name] ?? said[`${name}/`] ?? {}));
  };
}
