/** `pilotlight bundle DIR`: a folder of profiles becomes a folder that any static host serves, and that answers queries. */
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import init, { BundleMaker } from "./wasm/pilotlight.js";

export const USAGE = `Makes a folder of profiles into one that any static host serves, and that answers queries.

Usage: pilotlight bundle [--out DIR] [--service NAME] [--time TIME] [--labels FILE] DIR

  DIR             profiles that Pyroscope's agents could push: pprof, JFR, speedscope, folded stacks; folders in it, too
  --out DIR       where the bundle goes; pilotlight-<digest of its content> by default
  --service NAME  the service of profiles that do not say one
  --time TIME     when profiles began that do not say so, as 2026-11-23T12:00:00Z; the beginning of 1970 by default
  --labels FILE   JSON: {"path in DIR": {"service_name": "app", "env": "ci"}}; a folder's labels are those of all in it

Folders and files of the form key=value, or key=value,key=value, are labels. The first other folder is the service, else the
name of the file up to its first dot; that name is also the label "file". The same files give the same bundle, byte for byte.`;

const here = fileURLToPath(new URL(".", import.meta.url));
/** The version of bundle.json. */
const VERSION = 1;

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
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  if (positionals.length !== 1) throw new Error(`name one folder\n\n${USAGE}`);
  const time = values.time === undefined ? 0 : Date.parse(values.time);
  if (Number.isNaN(time)) throw new Error(`--time ${values.time}: not a time, as 2026-11-23T12:00:00Z is`);
  const folder = resolve(positionals[0]);
  const labelsOf = manifest(values.labels);
  const files = filesIn(folder);
  if (files.length === 0) throw new Error(`there is no file in ${folder}`);

  await init({ module_or_path: readFileSync(join(here, "wasm/pilotlight_bg.wasm")) });
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
  const { from, until } = maker;
  if (from === undefined) throw new Error("no profile has a sample");
  const objects = maker.finish();
  const staged = join(dirname(resolve(values.out ?? ".x")), `.pilotlight-bundle-${process.pid}`);
  rmSync(staged, { recursive: true, force: true });
  try {
    const digest = write(staged, objects, { files: files.length, from, until });
    const out = resolve(values.out ?? `pilotlight-${digest}`);
    if (existsSync(out)) throw new Error(`${out} is there already`);
    renameSync(staged, out);
    console.log(
      `${files.length} profiles are in ${out}\nServe it with any static host, as: python3 -m http.server --directory ${relative(".", out)}`,
    );
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}

/** All files below a folder, in an order that is the same everywhere. */
function filesIn(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith("."));
  return files.map((entry) => join(entry.parentPath ?? entry.path, entry.name)).sort();
}

/** What the path says. */
export function labelsOfPath(path, service) {
  const labels = {};
  const folders = path.split("/");
  const file = folders.pop() ?? "";
  const stem = file.split(".")[0];
  const plain = [];
  for (const part of [...folders, stem]) {
    const pairs = part.split(",").map((pair) => pair.split("="));
    if (pairs.every(([key, value, ...more]) => key && value && more.length === 0))
      Object.assign(labels, Object.fromEntries(pairs));
    else if (part !== stem) plain.push(part);
  }
  const named = labels.service_name ?? service ?? plain[0] ?? stem;
  return { ...labels, file: stem, service_name: named };
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

/** Service and labels as `/ingest` has them. */
function nameOf({ service_name, ...labels }) {
  const quoted = Object.entries(labels).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return `${service_name}{${quoted.join(",")}}`;
}

/** Writes the pages, the objects and what describes them; gives a digest of the objects. */
function write(out, objects, made) {
  cpSync(join(here, "site"), out, { recursive: true });
  const digest = createHash("sha256");
  const keys = [];
  for (let object = objects.next(); object; object = objects.next()) {
    const bytes = object.take_bytes();
    digest.update(`${object.key} ${bytes.length}\n`).update(bytes);
    keys.push(object.key);
    const path = join(out, object.key);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
  }
  const name = digest.digest("hex").slice(0, 16);
  const description = { version: VERSION, digest: name, catalog: [keys.at(-1)], made };
  writeFileSync(join(out, "bundle.json"), `${JSON.stringify(description, null, 2)}\n`);
  const link = `<link rel="pilotlight-bundle" href="bundle.json" data-from="${made.from}" data-until="${made.until}">`;
  for (const page of readdirSync(out).filter((name) => name.endsWith(".html") && name !== "viewer.html")) {
    const path = join(out, page);
    writeFileSync(path, readFileSync(path, "utf8").replace("</head>", `${link}</head>`));
  }
  return basename(name);
}
