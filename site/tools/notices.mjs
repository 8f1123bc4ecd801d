// The licences of what is inside the npm package: crates that are compiled into WASM, packages that are bundled into scripts.
// `node tools/notices.mjs` prints those of the viewer; pack.mjs puts them into the package, with those of the server if that is inside.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

const HEAD = `Third-party notices

The package holds the software below, under the licences that follow each name. Its WASM also holds parts of Rust's standard
library, by the Rust Project's contributors, under the Apache License, Version 2.0, whose text is in LICENSE.
`;

/** All notices of WASM made of the crates in `folders`, and of the pages, as one text. Fails on what says no licence. */
export function notices(folders = ["wasm-viewer"]) {
  const sections = [...crates(folders), ...packages()].map(({ name, version, license, folder }) => {
    const texts = licenceFiles(folder).map((file) => readFileSync(join(folder, file), "utf8").trim());
    if (!license || texts.length === 0) throw new Error(`${name} ${version} in ${folder} has no licence`);
    return `${"=".repeat(78)}\n${name} ${version} (${license})\n\n${texts.join("\n\n")}\n`;
  });
  return [HEAD, ...sections].join("\n");
}

/** One licence is enough where there is a choice, and MIT is the shortest. Some packages have a folder of licences. */
function licenceFiles(folder) {
  const all = readdirSync(folder, { recursive: true }).filter(
    (name) => /^(licen[cs]es?\/)?(licen[cs]e|copying)[^/]*$/i.test(name) && statSync(join(folder, name)).isFile(),
  );
  const mit = all.filter((name) => /mit/i.test(name));
  return (mit.length > 0 ? mit : all).sort();
}

/** The crates that our own in these folders depend on, in WASM and at run time. */
function crates(folders) {
  const words = ["metadata", "--format-version=1", "--locked", "--filter-platform=wasm32-unknown-unknown"];
  const output = execFileSync("cargo", words, { cwd: root, maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "inherit"] });
  const { packages, resolve, workspace_members } = JSON.parse(output);
  const known = new Map(packages.map((crate) => [crate.id, crate]));
  const nodes = new Map(resolve.nodes.map((node) => [node.id, node]));
  const isMacro = (id) => known.get(id).targets.some(({ kind }) => kind.includes("proc-macro"));
  const isInside = (id) => {
    const path = known.get(id).manifest_path.replaceAll("\\", "/");
    return folders.some((folder) => path.includes(`/${folder}/`));
  };
  const waiting = workspace_members.filter(isInside);
  const found = new Set(waiting);
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    for (const { pkg, dep_kinds } of nodes.get(id).deps) {
      const runs = dep_kinds.some(({ kind }) => kind === null);
      if (!runs || found.has(pkg) || isMacro(pkg)) continue;
      found.add(pkg);
      waiting.push(pkg);
    }
  }
  return [...found]
    .map((id) => known.get(id))
    .filter(({ source }) => source !== null)
    .map(({ name, version, license, manifest_path }) => ({ name, version, license, folder: dirname(manifest_path) }))
    .sort(byName);
}

/** The packages that the site is made of. Those that only build it are not inside: Pagefind's program, say, which is optional. */
function packages() {
  const lock = JSON.parse(readFileSync(join(root, "site/package-lock.json"), "utf8"));
  return Object.entries(lock.packages)
    .filter(([path, { dev, optional }]) => path !== "" && !dev && !optional)
    .map(([path, { version, license }]) => {
      const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
      return { name, version, license, folder: join(root, "site", path) };
    })
    .sort(byName);
}

function byName(a, b) {
  return a.name < b.name ? -1 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(notices());
