/** What a server is made of, and where it is: the worker, the pages, and workerd, which runs the worker. */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/** In the package it is beside this file; in the repository it is where the build and npm put it. */
const PLACES = [
  { server: at("."), pages: at("../site"), license: at("../LICENSE"), packages: at("../package.json") },
  {
    server: at("../../../target/server"),
    pages: at("../../dist"),
    license: at("../../../LICENSE"),
    packages: at("../../../xtask/npm/package.json"),
  },
];

/**
 * Folders and files: `server` has `worker` and `pilotlight.capnp`, `pages` the site. Throws when this package has none of it.
 */
export function serverParts() {
  const found = PLACES.find(({ server }) => existsSync(`${server}/pilotlight.capnp`));
  if (!found) throw new Error("this package was packed without the server");
  return found;
}

/** The program. It is large and few need it, so npm does not install it together with the viewer. */
export function findWorkerd() {
  const { packages } = serverParts();
  const tested = JSON.parse(readFileSync(packages, "utf8")).pilotlight?.workerd;
  const require = createRequire(packages);
  try {
    require.resolve("workerd");
  } catch {
    const wanted = `workerd@${tested}`;
    throw new Error(
      `the server needs workerd, Cloudflare's runtime, which is not installed. Install it next to pilotlight:

  npm install ${wanted}              # in the folder where you installed pilotlight
  npm install --global ${wanted}     # if you installed pilotlight with --global
  npx --package=pilotlight --package=${wanted} pilotlight serve`,
    );
  }
  try {
    const { default: program, version } = require("workerd");
    if (tested && version !== tested)
      console.error(`pilotlight: workerd ${version} is installed; this version was tested with ${tested}`);
    return program;
  } catch (error) {
    const platform = `${process.platform} ${process.arch}`;
    throw new Error(
      `workerd cannot run here (${platform}): ${error.message.trim()}\nReinstall it: npm install workerd@${tested}`,
    );
  }
}
