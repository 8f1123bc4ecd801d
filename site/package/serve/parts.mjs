/** What a server is made of, and where it is: the worker, the pages, and workerd, which runs the worker. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/** In the package it is beside this file; in the repository it is where the build and npm put it. */
const place = existsSync(at("../package.json"))
  ? {
      server: at("."),
      pages: at("../site"),
      license: at("../LICENSE"),
      wrangler: at("wrangler.toml"),
      packages: at("../package.json"),
      missing: "this package was packed without the server",
    }
  : {
      server: at("../../../target/server"),
      pages: at("../../dist"),
      license: at("../../../LICENSE"),
      wrangler: at("../../../wrangler.toml"),
      packages: at("../../../xtask/npm/package.json"),
      missing: "the server is not built: run `cargo xtask build`, then `node site/tools/server.mjs`",
    };

/** Files and folders: `server` has `worker` and `pilotlight.capnp`, `pages` the site; `wrangler` is Cloudflare's configuration. */
export function serverParts() {
  const [assets, table] = [join(place.pages, "assets"), join(place.server, "worker/pages.js")];
  if (![join(place.server, "pilotlight.capnp"), assets, table].every(existsSync)) throw new Error(place.missing);
  const listed = readFileSync(table, "utf8");
  // In a clone each is built by itself, and pages without their scripts are blank.
  if (readdirSync(assets).some((name) => !listed.includes(`"/assets/${name}"`)))
    throw new Error("the site was built after the server: run `node site/tools/server.mjs`, then this command again");
  return place;
}

/** What finds a program of npm's, and the version with which all was tested; undefined in the repository, which has that. */
export function findPackage(name) {
  const tested = JSON.parse(readFileSync(place.packages, "utf8")).pilotlight?.[name];
  return { require: createRequire(place.packages), tested };
}

/** The program. It is large and few need it, so npm does not install it together with the viewer. */
export function findWorkerd() {
  serverParts();
  const { require, tested } = findPackage("workerd");
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
      console.error(
        `pilotlight: workerd ${version} is installed; this version of pilotlight was tested with ${tested}`,
      );
    return program;
  } catch (error) {
    const platform = `${process.platform} ${process.arch}`;
    throw new Error(
      `workerd cannot run here (${platform}): ${error.message.trim()}\nReinstall it: npm install workerd@${tested}`,
    );
  }
}
