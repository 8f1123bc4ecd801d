/**
 * Runs the browser tests: `node tests/browser/run.mjs` with PILOTLIGHT_URL (a running server with the site) and CHROMIUM
 * (default /usr/bin/chromium), and PILOTLIGHT_DEMO where the demo is built already. Makes the profiles it opens and the
 * history it looks at. Screenshots go to target/screenshots.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../..");
const { PILOTLIGHT_URL: url } = process.env;

function fail(message) {
  console.error(message);
  process.exit(1);
}

if (!url) fail("PILOTLIGHT_URL is not set: cargo xtask test starts a server and sets it");
process.env.CHROMIUM ??= "/usr/bin/chromium";
if (!existsSync(process.env.CHROMIUM)) fail(`there is no browser at ${process.env.CHROMIUM}: set CHROMIUM`);
const health = await fetch(`${url}/healthz`).catch((error) => fail(`${url} does not answer: ${error.cause ?? error}`));
if (!health.ok) fail(`${url}/healthz answers ${health.status}`);

process.env.PILOTLIGHT_FILES = join(root, "target/browser-test-files");
process.env.PILOTLIGHT_SHOTS = join(root, "target/screenshots");
mkdirSync(process.env.PILOTLIGHT_SHOTS, { recursive: true });
const byCargo = ["cargo", "run", "--quiet", "--package", "pilotlight-tests", "--bin", "demo", "--"];
const [program, ...first] = process.env.PILOTLIGHT_DEMO ? [process.env.PILOTLIGHT_DEMO] : byCargo;
const demo = (...words) =>
  execFileSync(program, [...first, ...words], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
demo("--write", process.env.PILOTLIGHT_FILES);
if (!process.env.PILOTLIGHT_DEMO_IS_THERE) demo(url);

const only = process.argv[2] ?? "";
const files = ["file", "problems", "server", "pictures"].filter((name) => name.includes(only));
run({ files: files.map((name) => join(here, `${name}.test.mjs`)), concurrency: 1, timeout: 300_000 })
  .on("test:fail", () => (process.exitCode = 1))
  .compose(spec)
  .pipe(process.stdout);
