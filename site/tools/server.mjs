// Writes what workerd runs where there is no Cloudflare, of what is built, to target/server: `node tools/server.mjs`. In a clone the
// commands serve, selfhost and deploy take it from there; pack.mjs puts the same into the npm package. The pages stay where they are.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { tableOf } from "./pagetable.mjs";
import { configurationOf } from "./workerdconfig.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const parts = join(root, "xtask/selfhost");
const dist = join(root, "site/dist");

if (process.argv[1] === fileURLToPath(import.meta.url)) writeServer(join(root, "target/server"));

/** Writes the worker, the table of the pages, and workerd's configuration, which names them, into a folder. */
export function writeServer(out) {
  const worker = join(out, "worker");
  rmSync(worker, { recursive: true, force: true });
  mkdirSync(worker, { recursive: true });
  for (const name of ["entry.js", "environment.js"]) cpSync(join(parts, name), join(worker, name));
  cpSync(join(root, "worker/shim.js"), join(worker, "shim.js"));
  writeFileSync(join(worker, "pages.js"), tableOf(dist, filesIn(dist)));
  const built = filesIn(join(root, "worker/build")).filter((name) => /\.(js|wasm)$/.test(name));
  for (const name of built) cpSync(join(root, "worker/build", name), join(worker, "build", name));
  // The first one is what answers.
  const modules = ["entry.js", "environment.js", "pages.js", "shim.js", ...built.map((name) => `build/${name}`)];
  const [template, wrangler] = [join(parts, "pilotlight.capnp"), join(root, "wrangler.toml")];
  const texts = [template, wrangler].map((path) => readFileSync(path, "utf8"));
  writeFileSync(join(out, "pilotlight.capnp"), configurationOf(...texts, modules));
}

/** All files below a folder, relative to it, in order. */
function filesIn(folder) {
  let entries;
  try {
    entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  } catch (error) {
    throw new Error(`${error.message}: \`cargo xtask build\` makes it`);
  }
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  return paths.map((path) => relative(folder, path).split(sep).join("/")).sort();
}
