#!/usr/bin/env node
/** `pilotlight FILE…`: opens profiles in the browser. Serves the viewer and the named files to this machine until it is ended. */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createReadStream, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { basename, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const USAGE = `Opens profiles in the browser. Nothing leaves this machine.

Usage: pilotlight [--port N] [--no-open] [FILE…]
       pilotlight bundle [OPTION…] DIR
       pilotlight export --url URL [OPTION…]
       pilotlight serve [OPTION…]
       pilotlight demo [OPTION…] [URL]

  bundle DIR  makes a folder of profiles into one that any static host serves; --help says more
  export      takes a part of what a server stores along, as such a folder, a zip or one page; --help says more
  serve       runs a server that stores the profiles of your programs; --help says more
  demo        fills a server with made-up profiles; --help says more
  FILE        a profile, in any format that the viewer reads; several are merged, and can be compared
  --port N    the port to listen on; a free one by default
  --no-open   print the address, and open no browser
  --version   print the version
  --help      print this

Ctrl-C ends it.`;

const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

const [command, ...words] = process.argv.slice(2);
const commands = {
  bundle: async () => (await import("./bundle.mjs")).bundle,
  export: async () => (await import("./export.mjs")).exportSlice,
  serve: async () => (await import("./serve/serve.mjs")).serve,
  demo: async () => (await import("./demo.mjs")).demo,
};
if (Object.hasOwn(commands, command ?? "")) {
  const run = await commands[command]();
  await run(words).catch((error) => fail(error.message));
  process.exit(0);
}

const here = fileURLToPath(new URL(".", import.meta.url));
const { port, open, paths } = options();
for (const path of paths) check(path);

// Other users of this machine can reach the port too; they do not know where the files are.
const secret = randomBytes(16).toString("hex");
const site = pages(join(here, "site"));
const profiles = new Map(paths.map((path, i) => [`/${secret}/${i}/${encodeURIComponent(basename(path))}`, path]));
const headers = siteHeaders();

const server = createServer(answer);
server.on("error", (error) => fail(`cannot listen on port ${port}: ${error.message}`));
server.listen(port, "127.0.0.1", () => {
  const links = [...profiles.keys()].map((address) => `profileURL=${encodeURIComponent(address)}`);
  const address = `http://127.0.0.1:${server.address().port}/${links.length > 0 ? `file#${links.join("&")}` : ""}`;
  console.log(`Pilotlight is at ${address}\nCtrl-C ends it.`);
  if (open) openBrowser(address);
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(0));

function options() {
  const known = {
    port: { type: "string", default: "0" },
    "no-open": { type: "boolean", default: false },
    version: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  };
  let read;
  try {
    read = parseArgs({ options: known, allowPositionals: true });
  } catch (error) {
    fail(`${error.message}\n\n${USAGE}`);
  }
  const { values, positionals } = read;
  if (values.help) finish(USAGE);
  if (values.version) finish(JSON.parse(readFileSync(join(here, "package.json"), "utf8")).version);
  if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65535) fail(`--port ${values.port}: not a port`);
  return { port: Number(values.port), open: !values["no-open"], paths: positionals };
}

function check(path) {
  try {
    if (!statSync(path).isFile()) fail(`${path} is not a file`);
  } catch (error) {
    fail(`cannot read ${path}: ${error.code ?? error.message}`);
  }
}

function finish(text) {
  console.log(text);
  process.exit(0);
}

function fail(text) {
  console.error(`pilotlight: ${text}`);
  process.exit(2);
}

/** Which path is answered with which file: all that there is, so that no path leads elsewhere. */
function pages(folder) {
  const found = new Map();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !(extname(entry.name) in TYPES)) continue;
    const file = join(entry.parentPath ?? entry.path, entry.name);
    const path = file.slice(folder.length).replaceAll("\\", "/");
    found.set(path.replace(/(\/index)?\.html$/, "") || "/", file);
  }
  return found;
}

/** The headers that the site wants for all of its files. */
function siteHeaders() {
  const lines = readFileSync(join(here, "site/_headers"), "utf8").matchAll(/^ +([\w-]+): (.*)$/gm);
  return Object.fromEntries([...lines].map(([, name, value]) => [name, value]));
}

function answer(request, response) {
  const { pathname } = new URL(request.url, "http://localhost");
  // A page of another site that has this machine's address by a trick of DNS has its own name here.
  if (!/^(127\.0\.0\.1|localhost):\d+$/.test(request.headers.host ?? "")) return refuse(response, 403, "Forbidden");
  if (request.method !== "GET" && request.method !== "HEAD") return refuse(response, 405, "Method not allowed");
  const profile = profiles.get(pathname);
  const file = profile ?? site.get(pathname);
  if (file === undefined) return refuse(response, 404, "Not found");
  let size;
  try {
    size = statSync(file).size;
  } catch (error) {
    return refuse(response, 404, `Cannot read ${file}: ${error.code}`);
  }
  response.writeHead(200, {
    ...headers,
    "content-type": profile ? "application/octet-stream" : TYPES[extname(file)],
    "content-length": size,
    "cache-control": "no-store",
  });
  if (request.method === "HEAD" || size === 0) return response.end();
  createReadStream(file, { end: size - 1 })
    .on("error", () => response.destroy())
    .pipe(response);
}

function refuse(response, status, text) {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(`${text}\n`);
}

/** Where there is no browser to be opened, the printed address is enough. */
function openBrowser(address) {
  const openers = { darwin: ["open"], win32: ["rundll32", "url.dll,FileProtocolHandler"] };
  const [command, ...words] = openers[process.platform] ?? ["xdg-open"];
  spawn(command, [...words, address], { stdio: "ignore", detached: true })
    .on("error", () => {})
    .unref();
}
