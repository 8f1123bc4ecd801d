/** The npm package: packed, installed from its tarball into an empty folder, and run there. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Installs it below target/npm-NAME, of one file of tests. With `server` it has what runs a server, and workerd beside it. */
export function install(name, { server = false } = {}) {
  const out = join(root, `target/npm-${name}`);
  const words = [join(root, "site/tools/pack.mjs"), "--out", out, ...(server ? ["--server"] : [])];
  const tarball = execFileSync("node", words).toString().trim();
  const folder = join(out, "installed");
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), '{ "private": true }');
  execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball], { cwd: folder });
  const modules = join(folder, "node_modules");
  // As `npm install workerd` puts it there.
  if (server) symlinkSync(join(root, "xtask/npm/node_modules/workerd"), join(modules, "workerd"));
  return { folder, tarball, command: join(modules, ".bin/pilotlight") };
}

/** Runs a program to its end. It has no token of the environment. */
export async function run(program, words, { variables = {}, input = "", cwd } = {}) {
  const child = spawn(program, words, { cwd, env: { ...process.env, PILOTLIGHT_TOKEN: undefined, ...variables } });
  // One that fails early reads nothing.
  child.stdin.on("error", () => {}).end(input);
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { stdout, stderr, status };
}

/** Starts `pilotlight serve` over an empty folder, and waits until it has said what to do. */
export async function startServer(command, data, words = []) {
  rmSync(data, { recursive: true, force: true });
  const child = spawn(command, ["serve", "--port", "0", "--data", data, ...words], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, FLUSH_MS: "20" },
  });
  const ended = once(child, "exit");
  let said = "";
  const url = await new Promise((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (words) => {
      said += words;
      const found = /Pilotlight is at (http:\S+)/.exec(said);
      if (found) resolve(found[1]);
    });
    ended.then(([code]) => reject(new Error(`it ended with ${code}: ${said}`)));
  });
  const stop = () => {
    child.kill("SIGINT");
    return ended;
  };
  return { url, said: () => said, stop };
}
