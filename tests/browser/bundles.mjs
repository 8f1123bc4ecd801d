/** Bundles for tests: how they are made, a static host of their files, and their pages. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const PREFIX = "/archive/run-17/";
const TYPES = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};
/** The package as it is packed, without being installed. */
const packed = fileURLToPath(new URL("../../target/npm/package", import.meta.url));

export function pack() {
  execFileSync("node", [fileURLToPath(new URL("../../site/tools/pack.mjs", import.meta.url))]);
}

/** Runs `pilotlight bundle`. */
export function pilotlightBundle(...words) {
  execFileSync("node", [join(packed, "pilotlight.mjs"), "bundle", ...words], { stdio: "pipe" });
}

/** Makes a folder of profiles into a bundle. */
export function makeBundle(out, profiles) {
  rmSync(out, { recursive: true, force: true });
  pilotlightBundle("--out", out, profiles);
}

/** All files below a folder, by name. */
export function contents(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(folder.length)).sort();
  return new Map(paths.map((path) => [path, readFileSync(join(folder, path))]));
}

/** A static host of a folder's files below a path; `answer` may change what it says of a file. */
export async function host(folder, answer = (_, bytes) => ({ bytes, ranges: true })) {
  const files = contents(folder);
  const asked = [];
  const server = createServer((request, response) => {
    const path = new URL(request.url, "http://localhost").pathname;
    const name = `/${decodeURIComponent(path.slice(PREFIX.length)) || "index.html"}`;
    asked.push(name);
    const found = path.startsWith(PREFIX) ? files.get(name) : undefined;
    const { bytes, ranges = false } = found ? answer({ name }, found) : {};
    if (!bytes) return response.writeHead(404).end();
    const headers = { "content-type": TYPES[extname(name)] ?? "application/octet-stream" };
    const range = ranges && /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
    if (!range) return response.writeHead(200, headers).end(bytes);
    const [first, last] = [Number(range[1]), Math.min(Number(range[2]), bytes.length - 1)];
    response.writeHead(206, { ...headers, "content-range": `bytes ${first}-${last}/${bytes.length}` });
    response.end(bytes.subarray(first, last + 1));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${server.address().port}${PREFIX}`;
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { address, asked, close };
}

export async function openAt(browser, address) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    reducedMotion: "reduce",
    timezoneId: "UTC",
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  await page.goto(address);
  return { page, at: (name) => page.getByTestId(name), errors, close: () => context.close() };
}
