/**
 * Runs the browser tests: `node tests/browser/run.mjs` with PILOTLIGHT_URL (a running server with the site; without it, the
 * built worker is started), CHROMIUM (default /usr/bin/chromium) and FIREFOX (default /usr/bin/firefox-esr), PILOTLIGHT_CORE_WASM (the core alone, for the test
 * "identity"), and PILOTLIGHT_BINARIES, the folder where our programs are built already. Makes the profiles it opens, the
 * history it looks at and the answers it holds the browser's core to. Screenshots go to target/screenshots.
 */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { run } from "node:test";
import { fileURLToPath } from "node:url";
import { launchServer } from "./browser.mjs";
import { startWorker } from "./local.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../..");

function fail(message) {
  console.error(message);
  process.exit(1);
}

process.env.CHROMIUM ??= "/usr/bin/chromium";
process.env.FIREFOX ??= "/usr/bin/firefox-esr";
const worker = process.env.PILOTLIGHT_URL
  ? undefined
  : await startWorker(join(root, "target/browser-test-state"), { FLUSH_MS: "100" }, { itself: true, site: true });
if (worker) process.env.PILOTLIGHT_URL = worker.url;
const { PILOTLIGHT_URL: url } = process.env;
const health = await fetch(`${url}/healthz`).catch((error) => fail(`${url} does not answer: ${error.cause ?? error}`));
if (!health.ok) fail(`${url}/healthz answers ${health.status}`);

process.env.PILOTLIGHT_FILES = join(root, "target/browser-test-files");
process.env.PILOTLIGHT_SHOTS = join(root, "target/screenshots");
mkdirSync(process.env.PILOTLIGHT_SHOTS, { recursive: true });
const only = process.argv[2] ?? "";
const names = readdirSync(here)
  .filter((name) => name.endsWith(".test.mjs"))
  .map((name) => basename(name, ".test.mjs"));
/** Tests that push to services of their own, and look at no others; they end before those of the server begin. */
const OWN_SERVICES = ["sides", "split", "singles", "source", "recordingrules", "alerts", "prometheus", "changedvalue"];
/** Tests that look at the whole server or use the clipboard, of which there is one; they run one at a time. */
const SERVER = [
  "server",
  "connect",
  "connect-selectors",
  "connect-settings",
  "reports",
  "mcp",
  "services",
  "truth",
  "agents",
  "share",
  "annotations",
  "annotate",
  "spans",
  "pins",
  "savedviews",
  "storedsymbols",
  "day",
  "labels",
  "changes",
  "explain",
  "export",
  "views",
];
/** Tests that measure speed or need a server without other pushes; they run last, one at a time. */
const ALONE = ["home", "hostile", "extremes"];
/** The slowest files, with which the other lanes begin. */
const LONGEST = ["layout", "pictures", "hand"];
const unknown = [...OWN_SERVICES, ...SERVER, ...ALONE, ...LONGEST].filter((name) => !names.includes(name));
if (unknown.length > 0) fail(`there is no file of tests for: ${unknown.join(", ")}`);
const others = names.filter((name) => ![...OWN_SERVICES, ...SERVER, ...ALONE, ...LONGEST].includes(name));
const [ownServices, server, rest, alone] = [OWN_SERVICES, SERVER, [...LONGEST, ...others], ALONE].map((list) =>
  list.filter((name) => (names.includes(only) ? name === only : name.includes(only))),
);
const files = [...ownServices, ...server, ...rest, ...alone];
if (files.length === 0) fail(`no test file named "${only}"; there are: ${names.join(", ")}`);
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
  if (!process.env.PILOTLIGHT_DEMO_IS_THERE) {
    // Where the hour of the demo ends: the lanes may take a while.
    process.env.PILOTLIGHT_DEMO_END = String(Date.now());
    own("demo", url);
  }
}

/** One browser for all files: each test has a context of its own. */
const browser = files.some((file) => file !== "firefox") ? await launchServer() : undefined;
if (browser) process.env.PILOTLIGHT_BROWSER = browser.wsEndpoint();

/** Failures, repeated at the end because the output of the lanes is mixed. */
const failures = [];
let [passed, skipped] = [0, 0];

/** Seconds of files and tests, written to the file that PILOTLIGHT_TIMES names. */
const times = { files: {}, tests: [] };
const textOf = (error) => String(error.stack ?? error);

/** A test, or a group of them, has ended. */
function noteEnd({ name, file, nesting, skip, details }) {
  const { duration_ms, error, type } = details;
  const [of, seconds] = [basename(file ?? "", ".test.mjs"), duration_ms / 1000];
  // The runner reports a file without tests as a test that passed.
  if (!error && name === file) return failures.push({ name: "the file", of, error: "has no tests" });
  const isSkipped = skip !== undefined && skip !== false;
  const note = isSkipped ? `skipped: ${skip}` : `${seconds.toFixed(1)} s`;
  console.log(`${"  ".repeat(nesting)}${error ? "✖" : isSkipped ? "﹣" : "✔"} ${of}: ${name} (${note})`);
  // A group fails because of its tests, which are reported already.
  if (error && error.failureType !== "subtestsFailed") failures.push({ name, of, error: error.cause ?? error });
  if (type === "suite") return;
  if (isSkipped) skipped++;
  else if (!error) passed++;
  times.files[of] = (times.files[of] ?? 0) + seconds;
  times.tests.push({ file: of, name, seconds });
}

/** How long a file of tests may take, milliseconds: three times what the longest does. It ends one that hangs. */
const FILE_LIMIT = 600_000;

/** What the runner itself says of a file, without its sums: an error outside of a test, or what a test notes. */
function noteSaid({ message, file }) {
  if (/^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /.test(message)) return;
  console.log(`ℹ ${message}`);
  if (message.startsWith("Error:"))
    failures.push({ name: "outside of a test", of: basename(file ?? ""), error: message });
}

/** Runs the files of each list in turn; lanes that share a list take files from it in turn. */
async function lane(...lists) {
  for (const list of lists) {
    for (let name = list.shift(); name !== undefined; name = list.shift()) {
      const tests = run({ files: [join(here, `${name}.test.mjs`)], concurrency: 1, timeout: FILE_LIMIT })
        .on("test:pass", noteEnd)
        .on("test:fail", noteEnd)
        .on("test:diagnostic", noteSaid)
        .on("test:stdout", ({ message }) => process.stdout.write(message))
        .on("test:stderr", ({ message }) => process.stderr.write(message));
      tests.resume();
      await once(tests, "end");
    }
  }
}

// Three at a time on two cores, for most of a test is waiting.
const pushing = [1, 2, 3].map(() => lane(ownServices));
const ended = await Promise.allSettled([
  Promise.all(pushing).then(() => lane(server, rest)),
  pushing[1].then(() => lane(rest)),
  pushing[2].then(() => lane(rest)),
]);
ended.push(...(await Promise.allSettled([lane(alone)])));
for (const { reason } of ended) if (reason) failures.push({ name: "the lane", of: "run.mjs", error: reason });
await browser?.close();
await worker?.close();
if (process.env.PILOTLIGHT_TIMES) {
  const noted = failures.map(({ name, of, error }) => ({ file: of, name, error: textOf(error) }));
  writeFileSync(process.env.PILOTLIGHT_TIMES, JSON.stringify({ ...times, failures: noted }));
}
console.log(`ℹ pass ${passed}\nℹ fail ${failures.length}\nℹ skipped ${skipped}`);
if (failures.length > 0) {
  process.exitCode = 1;
  console.log("\nFailed in the browser:");
  for (const { name, of, error } of failures) console.log(`${of}: ${name}\n${textOf(error)}\n`);
}
