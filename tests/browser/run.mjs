/**
 * Runs the browser tests: `node tests/browser/run.mjs` with PILOTLIGHT_URL (a running server with the site; without it, the
 * built worker is started), CHROMIUM (default /usr/bin/chromium) and FIREFOX (default /usr/bin/firefox-esr), PILOTLIGHT_CORE_WASM (the core alone, for the test
 * "identity"), and PILOTLIGHT_BINARIES, the folder where our programs are built already. Makes the profiles it opens, the
 * history it looks at and the answers it holds the browser's core to. Screenshots go to target/screenshots.
 */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";
import { startWorker } from "./local.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../..");

function fail(message) {
  console.error(message);
  process.exit(1);
}

process.env.CHROMIUM ??= "/usr/bin/chromium";
process.env.FIREFOX ??= "/usr/bin/firefox-esr";
const server = process.env.PILOTLIGHT_URL
  ? undefined
  : await startWorker(join(root, "target/browser-test-state"), { FLUSH_MS: "100" }, { itself: true, site: true });
if (server) process.env.PILOTLIGHT_URL = server.url;
const { PILOTLIGHT_URL: url } = process.env;
const health = await fetch(`${url}/healthz`).catch((error) => fail(`${url} does not answer: ${error.cause ?? error}`));
if (!health.ok) fail(`${url}/healthz answers ${health.status}`);

process.env.PILOTLIGHT_FILES = join(root, "target/browser-test-files");
process.env.PILOTLIGHT_SHOTS = join(root, "target/screenshots");
mkdirSync(process.env.PILOTLIGHT_SHOTS, { recursive: true });
const only = process.argv[2] ?? "";
const isFile = existsSync(join(here, `${only}.test.mjs`));
/**
 * First two at a time, for most of a test is waiting: those of the first row push to the server and look at what was pushed.
 * Then one by one those for which it counts how quickly the page follows, or that nobody else pushes.
 */
const LANES = [
  [
    "identity",
    "server",
    "connect",
    "connect-selectors",
    "connect-settings",
    "reports",
    "mcp",
    "services",
    "down",
    "token",
    "layout",
    "truth",
    "agents",
    "share",
    "annotations",
    "annotate",
    "singles",
    "spans",
    "source",
    "pins",
    "savedviews",
    "storedsymbols",
    "day",
    "labels",
    "split",
    "changes",
    "sides",
  ],
  [
    "pictures",
    "file",
    "steps",
    "export",
    "explain",
    "problems",
    "open",
    "symbols",
    "offline",
    "package",
    "bundle",
    "slice",
    "bucket",
    "places",
  ],
];
const ALONE = ["hand", "home", "views", "time", "access", "hostile", "extremes", "firefox"];
const [alone, ...lanes] = [ALONE, ...LANES].map((lane) =>
  lane.filter((name) => (isFile ? name === only : name.includes(only))),
);
const files = [...lanes.flat(), ...alone];
for (const [name, needs] of [
  ["CHROMIUM", files.some((file) => file !== "firefox")],
  ["FIREFOX", files.includes("firefox")],
])
  if (needs && !existsSync(process.env[name])) fail(`there is no browser at ${process.env[name]}: set ${name}`);

const built = process.env.PILOTLIGHT_BINARIES;
const cargo = ["run", "--quiet", "--package", "pilotlight-tests", "--bin"];
/** Runs a program of ours, of the folder where it is built already or by cargo. */
const own = (name, ...words) =>
  execFileSync(built ? join(built, name) : "cargo", built ? words : [...cargo, name, "--", ...words], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
if (files.includes("identity")) {
  process.env.PILOTLIGHT_IDENTITY = join(root, "target/identity");
  own("identity", process.env.PILOTLIGHT_IDENTITY);
}
if (files.some((name) => name !== "identity")) {
  own("demo", "--write", process.env.PILOTLIGHT_FILES);
  if (!process.env.PILOTLIGHT_DEMO_IS_THERE) own("demo", url);
}

/** What failed, to be said again at the end: the lanes write between each other. */
const failures = [];

/** Seconds of files and tests, written to the file that PILOTLIGHT_TIMES names. */
const times = { files: {}, tests: [] };
function noteTime({ name, file, details }) {
  if (!file || details.type === "suite") return;
  const [seconds, of] = [details.duration_ms / 1000, basename(file, ".test.mjs")];
  times.files[of] = (times.files[of] ?? 0) + seconds;
  times.tests.push({ file: of, name, seconds });
}

/** How long a file of tests may take, milliseconds: three times what the longest does. It ends one that hangs. */
const FILE_LIMIT = 600_000;

async function inTurn(names) {
  if (names.length === 0) return;
  const tests = run({ files: names.map((name) => join(here, `${name}.test.mjs`)), concurrency: 1, timeout: FILE_LIMIT })
    .on("test:pass", noteTime)
    .on("test:fail", noteTime)
    .on("test:fail", ({ name, file, details }) =>
      failures.push({ name, file, error: details.error.cause ?? details.error }),
    )
    .compose(spec);
  tests.pipe(process.stdout, { end: false });
  await once(tests, "end");
}

await Promise.all(lanes.map(inTurn));
await inTurn(alone);
await server?.close();
if (process.env.PILOTLIGHT_TIMES) writeFileSync(process.env.PILOTLIGHT_TIMES, JSON.stringify(times));
if (failures.length > 0) {
  process.exitCode = 1;
  console.log("\nFailed in the browser:");
  for (const { name, file, error } of failures) console.log(`${basename(file)}: ${name}\n${error.stack ?? error}\n`);
}
