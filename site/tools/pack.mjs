// Makes the npm package of what is built, and prints where the tarball is:
//
//   node pack.mjs [--server] [--out FOLDER]
//
// "--server" puts in what `pilotlight serve` runs. "--out" is where the package and the tarball are put, target/npm by default.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { notices } from "./notices.mjs";
import { writeServer } from "./server.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { values } = parseArgs({ options: { server: { type: "boolean" }, out: { type: "string" } } });
const out = resolve(values.out ?? join(root, "target/npm"));
const folder = join(out, "package");
const dist = join(root, "site/dist");
if (!existsSync(join(dist, "index.html"))) {
  console.error("site/dist is not there: cargo xtask build makes it");
  process.exit(1);
}

rmSync(out, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
cpSync(join(root, "site/package"), folder, { recursive: true });
cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
writeFileSync(join(folder, "THIRD_PARTY_NOTICES"), notices(values.server ? ["wasm-viewer", "worker"] : undefined));
cpSync(join(root, "site/node_modules/js-yaml/dist/browser/js-yaml.esm.min.mjs"), join(folder, "vendor/js-yaml.mjs"));
for (const name of ["bundler", "demo"])
  cpSync(join(root, "site/src/wasm", name), join(folder, "wasm", name), { recursive: true });
// It listens on another port each time: nothing to install, and nothing to keep for when it is gone.
const unneeded = ["sw.js", "manifest.webmanifest"];
cpSync(dist, join(folder, "site"), {
  recursive: true,
  filter: (path) => !unneeded.some((name) => path.endsWith(name)),
});
for (const name of readdirSync(join(folder, "site")).filter((name) => name.endsWith(".html"))) {
  const path = join(folder, "site", name);
  writeFileSync(path, readFileSync(path, "utf8").replace(/\s*<link rel="manifest"[^>]*>/, ""));
}
// The pages of the server are those of the viewer.
if (values.server) {
  writeServer(join(folder, "serve"));
  cpSync(join(root, "wrangler.toml"), join(folder, "serve/wrangler.toml"));
}
const { packages } = JSON.parse(readFileSync(join(root, "xtask/npm/package-lock.json"), "utf8"));
const { version, license, engines } = JSON.parse(readFileSync(join(root, "site/package.json"), "utf8"));
// Where npm's provenance says that it was built.
const { GITHUB_SERVER_URL: host, GITHUB_REPOSITORY: repository } = process.env;
const manifest = {
  name: "pilotlight",
  version,
  description:
    "Opens profiles in the browser: pprof, JFR, speedscope, folded stacks and more. Nothing leaves your machine.",
  license,
  type: "module",
  bin: { pilotlight: "pilotlight.mjs" },
  exports: { ".": { types: "./element.d.mts", default: "./element.mjs" }, "./package.json": "./package.json" },
  types: "./element.d.mts",
  engines,
  ...(repository && { repository: { type: "git", url: `git+${host}/${repository}.git` } }),
  // What `serve` tells people to install and `deploy` fetches: with these all is tested.
  pilotlight: {
    workerd: packages["node_modules/workerd"].version,
    wrangler: packages["node_modules/wrangler"].version,
  },
};
writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
const npm = process.platform === "win32" ? "npm.cmd" : "npm";
const packed = execFileSync(npm, ["pack", "--silent", "--offline", "--pack-destination", out], { cwd: folder });
console.log(join(out, packed.toString().trim()));
