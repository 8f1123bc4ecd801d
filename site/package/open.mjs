/** `pilotlight FILE…`: opens profiles in the browser. Serves the viewer and the named files to this machine until it is ended. */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createReadStream, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { basename, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { portOption, UsageError } from "./options.mjs";

const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  // The search of the docs.
  ".pagefind": "application/octet-stream",
  ".pf_fragment": "application/octet-stream",
  ".pf_index": "application/octet-stream",
  ".pf_meta": "application/octet-stream",
};

const here = fileURLToPath(new URL(".", import.meta.url));

/** The options of the command, beside files. */
export const OPTIONS = { port: { type: "string", default: "0" }, "no-open": { type: "boolean" } };

/**
 * Serves until it is stopped. `commandLike` says which command may be meant by a path where there is no file. Throws an `Error`
 * whose message is for people.
 */
export async function open({ values, positionals: paths }, commandLike) {
  const { "no-open": isQuiet } = values;
  const port = portOption(values.port);
  for (const path of paths) check(path, commandLike);
  // Other users of this machine can reach the port too; they do not know where the files are.
  const secret = randomBytes(16).toString("hex");
  const profiles = new Map(paths.map((path, i) => [`/${secret}/${i}/${encodeURIComponent(basename(path))}`, path]));
  const server = createServer(answering(profiles, pages(join(here, "site")), siteHeaders()));
  const stopping = Promise.race(["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => once(process, signal)));
  try {
    await once(server.listen(port, "127.0.0.1"), "listening");
  } catch ({ message }) {
    throw new Error(`cannot listen on port ${port}: ${message}`);
  }
  const links = [...profiles.keys()].map((address) => `profileURL=${encodeURIComponent(address)}`);
  const address = `http://127.0.0.1:${server.address().port}/${links.length > 0 ? `file#${links.join("&")}` : ""}`;
  console.log(`Pilotlight is at ${address}\nCtrl-C stops it.`);
  if (!isQuiet) openBrowser(address);
  await stopping;
}

function check(path, commandLike) {
  let stat;
  try {
    stat = statSync(path);
  } catch ({ code, message }) {
    const command = code === "ENOENT" ? commandLike(path) : "";
    if (command) throw new UsageError(`${path} is neither a file nor a command${command}`);
    throw new Error(`cannot read ${path}: ${code ?? message}`);
  }
  if (!stat.isFile()) throw new Error(`${path} is not a file`);
}

/** Which path is answered with which file: all that there is, so that no path leads elsewhere. */
function pages(folder) {
  const found = new Map();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !(extname(entry.name) in TYPES)) continue;
    const file = join(entry.parentPath ?? entry.path, entry.name);
    const path = file.slice(folder.length).replaceAll("\\", "/");
    found.set(pageOf(path), file);
  }
  return found;
}

/** The address of a page: without its ending, with which pages of the docs name each other. */
function pageOf(path) {
  return path.replace(/(\/)index\.html$|\.html$/, "$1");
}

/** The headers that the site wants for all of its files. */
function siteHeaders() {
  const lines = readFileSync(join(here, "site/_headers"), "utf8").matchAll(/^ +([\w-]+): (.*)$/gm);
  return Object.fromEntries([...lines].map(([, name, value]) => [name, value]));
}

/** Answers requests with profiles and files of the site. */
function answering(profiles, site, headers) {
  return (request, response) => answer({ profiles, site, headers }, request, response);
}

function answer({ profiles, site, headers }, request, response) {
  const { pathname } = new URL(request.url, "http://localhost");
  // A page of another site that has this machine's address by a trick of DNS has its own name here.
  if (!/^(127\.0\.0\.1|localhost):\d+$/.test(request.headers.host ?? "")) return refuse(response, 403, "Forbidden");
  if (request.method !== "GET" && request.method !== "HEAD") return refuse(response, 405, "Method not allowed");
  const profile = profiles.get(pathname);
  const file = profile ?? site.get(pageOf(pathname));
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
