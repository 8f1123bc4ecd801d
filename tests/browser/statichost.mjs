/** A static host with nothing but files: a folder below a path, and `file.html` for `/file`. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { SCRIPT } from "../local/ahead.mjs";

const TYPES = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".json": "application/json",
  ".mjs": "text/javascript",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
};

/**
 * Serves `folder()` below `prefix` at a port; 0 is a free one. `asked` are the paths that were asked for. Parts of files are
 * sent when `sendsParts()` says so.
 */
export async function serve(folder, prefix, port = 0, sendsParts = () => false) {
  const asked = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    asked.push(pathname);
    const path = pathname.slice(prefix.length);
    const names = path === "" || path.endsWith("/") ? [`${path}index.html`] : [path, `${path}.html`];
    for (const name of pathname.startsWith(prefix) && !path.includes("..") ? names : []) {
      try {
        let bytes = readFileSync(join(folder(), name));
        // Of a page's workers only this one reads the clock, and a browser moves no worker's.
        if (SCRIPT && /\/bucketreader-.*\.js$/.test(name)) bytes = Buffer.concat([Buffer.from(SCRIPT), bytes]);
        const headers = { "content-type": TYPES[extname(name)] ?? "text/plain" };
        const range = sendsParts() && /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
        if (!range) return response.writeHead(200, headers).end(bytes);
        const [first, last] = [Number(range[1]), Math.min(Number(range[2]), bytes.length - 1)];
        response.writeHead(206, { ...headers, "content-range": `bytes ${first}-${last}/${bytes.length}` });
        return response.end(bytes.subarray(first, last + 1));
      } catch {
        // The next name, and in the end none.
      }
    }
    response.writeHead(404, { "content-type": "text/plain" }).end("Not Found");
  });
  await new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  // After a test that failed nobody closes it.
  server.unref();
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { port: server.address().port, asked, close };
}
