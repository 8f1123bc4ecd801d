/** `pilotlight bundle DIR`: a folder of profiles becomes a folder that any static host serves, and that answers queries. */
import { readFileSync } from "node:fs";
import { relative, resolve, sep } from "node:path";
import { parseArgs } from "node:util";
import { checkWhen, OUT, writeSite } from "./output.mjs";
import { filesIn, labelsOfPath, nameOf } from "./paths.mjs";
import init, { BundleMaker } from "./wasm/pilotlight.js";

export const USAGE = `Makes a folder of profiles into one that any static host serves, and that answers queries.

Usage: pilotlight bundle [OPTION…] DIR

  DIR             profiles that Pyroscope's agents could push: pprof, JFR, speedscope, folded stacks; folders in it, too
${OUT}
  --service NAME  the service of profiles that do not say one
  --time TIME     when profiles began that do not say so, as 2026-11-23T12:00:00Z; the beginning of 1970 by default
  --labels FILE   JSON: {"path in DIR": {"service_name": "app", "env": "ci"}}; a folder's labels are those of all in it

Folders and files of the form key=value, or key=value,key=value, are labels. The first other folder is the service, else
--service, else the name of the file up to its first dot; that name is also the label "file". The same files give the same bundle, byte for byte.`;

/** Throws an `Error` whose message is for people. */
export async function bundle(words) {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: {
      out: { type: "string" },
      service: { type: "string" },
      time: { type: "string" },
      labels: { type: "string" },
      commit: { type: "string" },
      when: { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  if (positionals.length !== 1) throw new Error(`name one folder\n\n${USAGE}`);
  const time = values.time === undefined ? 0 : Date.parse(values.time);
  if (Number.isNaN(time)) throw new Error(`--time ${values.time}: not a time, as 2026-11-23T12:00:00Z is`);
  checkWhen(values.when);
  const folder = resolve(positionals[0]);
  const labelsOf = manifest(values.labels);
  const files = filesIn(folder);
  if (files.length === 0) throw new Error(`there is no file in ${folder}`);

  await init({ module_or_path: readFileSync(new URL("wasm/pilotlight_bg.wasm", import.meta.url)) });
  const maker = new BundleMaker();
  for (const file of files) {
    const name = relative(folder, file).split(sep).join("/");
    const labels = { ...labelsOfPath(name, values.service), ...labelsOf(name) };
    try {
      const left = maker.add(`name=${encodeURIComponent(nameOf(labels))}`, readFileSync(file), time);
      for (const problem of left) console.error(`${name}: ${problem}`);
    } catch (failure) {
      throw new Error(`${name}: ${failure.message}`);
    }
  }
  if (maker.from === undefined) throw new Error("no profile has a sample");
  const { path, hint } = await writeSite(maker.finish(files.length, values.commit, values.when), values.out);
  console.log(`The profiles of ${files.length} file${files.length === 1 ? "" : "s"} are in ${path} (${hint}).`);
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
  if (said === null || typeof said !== "object" || Array.isArray(said)) throw new Error(`${path}: not an object`);
  for (const [name, labels] of Object.entries(said)) {
    const texts =
      labels !== null &&
      typeof labels === "object" &&
      Object.values(labels).every((value) => typeof value === "string");
    if (!texts) throw new Error(`${path}: the labels of ${JSON.stringify(name)} are not an object of texts`);
  }
  return (name) => {
    const parts = name.split("/");
    const names = parts.map((_, i) => parts.slice(0, i + 1).join("/"));
    return Object.assign({}, ...names.map((name) => said[name] ?? said[`${name}/`] ?? {}));
  };
}
