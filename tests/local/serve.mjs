// Serves the built worker on this machine by workerd itself, without wrangler's proxy, so that it is up within a second:
//
//   node serve.mjs '{"state": FOLDER, "port": NUMBER, "variables": {"FLUSH_MS": "20"}, "itself": false, "site": false, "core": null, "entry": null, "ahead": 0}'
//
// "site" serves the built pages too, by the asset worker that `wrangler dev` uses. "core" is a JavaScript file that replaces
// the built core behind the shim. "entry" is one that runs before the shim; it is clock.js unless given, whose clock is "ahead" of the
// tests' (ahead.mjs) by so many milliseconds. Bindings and variables
// are those of wrangler.toml; SELF only when "itself" is true. wrangler needs a second to read that file, so the result is kept
// in FOLDER for the next start. Bucket and catalog live in FOLDER as `wrangler dev --persist-to FOLDER` would have them.
//
// Writes answers to stdout, on lines of "answer: " and JSON: first {"ready": URL}, then one for each line on stdin ("objects":
// names and sizes of all objects in the bucket; "copy FOLDER": the same, and writes each as a file below the folder; "heap": the
// largest JavaScript heap of the worker's isolate, where PILOTLIGHT_HEAP is set). Ends when stdin does, so that it never outlives
// its parent.

import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import readline from "node:readline";
import { fileURLToPath } from "node:url";
import { AHEAD } from "./ahead.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const require = createRequire(path.join(root, "xtask/npm/package.json"));
// Miniflare is wrangler's own dependency; wherever npm put it, wrangler finds it.
const wranglers = createRequire(require.resolve("wrangler/package.json"));
const { Log, LogLevel, Miniflare } = wranglers("miniflare");

const asked = JSON.parse(process.argv[2]);
/** The module that runs before the shim. */
const entry = asked.entry ?? fileURLToPath(new URL("clock.js", import.meta.url));

function configured() {
  const kept = path.join(asked.state, "options.json");
  if (fs.existsSync(kept)) return JSON.parse(fs.readFileSync(kept, "utf8"));
  const wrangler = require("wrangler");
  const config = wrangler.unstable_readConfig({ config: path.join(root, "wrangler.toml") });
  const { workerOptions } = wrangler.unstable_getMiniflareWorkerOptions(config);
  const { compatibilityDate, compatibilityFlags, bindings, r2Buckets, durableObjects } = workerOptions;
  const options = { name: config.name, compatibilityDate, compatibilityFlags, bindings, r2Buckets, durableObjects };
  fs.mkdirSync(asked.state, { recursive: true });
  fs.writeFileSync(kept, JSON.stringify(options));
  return options;
}

// The shim, and all that the build made for it to import.
function modules() {
  // A replaced core has no entry: "entry" and "ahead" do not apply.
  if (asked.core) {
    return [
      { type: "ESModule", path: path.join(root, "worker/shim.js") },
      {
        type: "ESModule",
        path: path.join(root, "worker/build/pilotlight.js"),
        contents: fs.readFileSync(asked.core, "utf8"),
      },
    ];
  }
  const built = fs.readdirSync(path.join(root, "worker/build"), { recursive: true }).map((name) => `build/${name}`);
  const types = { ".js": "ESModule", ".wasm": "CompiledWasm" };
  const imported = ["shim.js", ...built].filter((name) => path.extname(name) in types);
  const worker = imported.map((name) => ({ type: types[path.extname(name)], path: path.join(root, "worker", name) }));
  // The first module is the one that answers.
  const contents = fs.readFileSync(entry, "utf8");
  const ahead = `export default ${AHEAD + Number(asked.ahead ?? 0)};`;
  return [
    { type: "ESModule", path: path.join(root, "worker/entry.js"), contents },
    { type: "ESModule", path: path.join(root, "worker/ahead.js"), contents: ahead },
    ...worker,
  ];
}

/** The built pages, routed as wrangler.toml says: a file first, then the worker. */
function site() {
  const directory = path.join(root, "site/dist");
  const { compatibilityDate, compatibilityFlags } = options;
  const assetConfig = { compatibility_date: compatibilityDate, compatibility_flags: compatibilityFlags };
  return { assets: { directory, routerConfig: { has_user_worker: true }, assetConfig } };
}

const options = configured();
const miniflare = new Miniflare({
  ...options,
  // Most tests are not about tokens; those that are ask for AUTH = "required".
  // Their pushes come as fast as they can.
  bindings: { ...options.bindings, AUTH: "open", LIMITS: '{"ingestion_rate_mb":0}', ...asked.variables },
  ...(asked.site ? site() : {}),
  serviceBindings: asked.itself ? { SELF: { name: options.name, entrypoint: "Visits" } } : {},
  rootPath: root,
  modulesRoot: path.join(root, "worker"),
  modules: modules(),
  host: "127.0.0.1",
  port: asked.port,
  log: new Log(LogLevel.WARN),
  defaultPersistRoot: path.join(asked.state, "v3"),
  // The route /cdn-cgi/handler/scheduled. Miniflare's own fails where a worker has assets; there clock.js answers it.
  unsafeTriggerHandlers: !asked.site,
  // It would ask a server for the location of this machine.
  cf: false,
  ...(process.env.PILOTLIGHT_HEAP ? { inspectorPort: 0 } : {}),
});

/** The most that was seen of the isolate's heap, in bytes. */
const heap = { used: 0, total: 0 };

/** Asks the isolate for its heap, ten times a second. */
async function watch() {
  const WebSocket = wranglers("ws");
  const inspector = new URL("/json", await miniflare.getInspectorURL());
  inspector.protocol = "http:";
  const targets = await fetch(inspector).then((answer) => answer.json());
  const target = targets.find(({ id }) => id.includes(options.name)) ?? targets[0];
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  socket.on("open", () => {
    const timer = setInterval(() => socket.send(JSON.stringify({ id: 1, method: "Runtime.getHeapUsage" })), 100);
    socket.on("close", () => clearInterval(timer));
  });
  socket.on("message", (text) => {
    const { result } = JSON.parse(text);
    if (!result) return;
    heap.used = Math.max(heap.used, result.usedSize);
    heap.total = Math.max(heap.total, result.totalSize);
  });
}

async function objects() {
  const found = [];
  let cursor;
  do {
    const page = await bucket.list({ cursor });
    found.push(...page.objects.map(({ key, size }) => [key, size]));
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor !== undefined);
  return { objects: found };
}

async function copy(folder) {
  const found = await objects();
  for (const [key] of found.objects) {
    const file = path.join(folder, key);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    const object = await bucket.get(key);
    fs.writeFileSync(file, Buffer.from(await object.arrayBuffer()));
  }
  return found;
}

const answer = (value) => process.stdout.write(`answer: ${JSON.stringify(value)}\n`);

const url = await miniflare.ready;
// One for all calls: with a new one for each, a call failed now and then.
const bucket = await miniflare.getR2Bucket("BUCKET");
if (process.env.PILOTLIGHT_HEAP) await watch();
answer({ ready: url.origin });
for await (const line of readline.createInterface({ input: process.stdin })) {
  try {
    if (line === "objects") answer(await objects());
    else if (line.startsWith("copy ")) answer(await copy(line.slice("copy ".length)));
    else if (line === "heap") answer({ heap });
    else answer({ problem: `nobody knows what ${line} means` });
  } catch (error) {
    answer({ problem: String(error.stack ?? error) });
  }
}
await miniflare.dispose();
process.exit();
