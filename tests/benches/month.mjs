/** A month of history as files on a static host, and a browser with its clock: for benches. */
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { chromium } from "playwright-core";

const TYPES = { ".css": "text/css", ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };
export const HOUR = 3_600_000;

/** When the month ends: after the hour in which its last object was written. */
export function endOf(folder) {
  const names = readdirSync(join(folder, "t"), { recursive: true });
  const times = names.map((name) => Number(/\/(\d{13,})-[^/]*$/.exec(name)?.[1] ?? 0));
  return Math.ceil(Math.max(...times) / HOUR) * HOUR;
}

/** What makes a script's clock begin at a time. */
export const clockAt = (millis) => `{
  const System = Date, ahead = ${millis} - System.now();
  globalThis.Date = class extends System {
    constructor(...words) { words.length > 0 ? super(...words) : super(System.now() + ahead); }
    static now() { return System.now() + ahead; }
  };
}\n`;

/** A host of the pages of `site` and of the objects of a month; notes what is asked for of these, and waits before each. */
export async function host({ folder, site, delay, clock }) {
  const asked = [];
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://host").pathname);
    const isObject = path.startsWith("/t/");
    if (isObject) await wait(delay);
    const headers = { "content-type": TYPES[extname(path)] ?? "application/octet-stream" };
    try {
      let bytes = readFileSync(join(isObject ? folder : site, path));
      // The page sets its own clock; its worker cannot be told otherwise.
      if (/\/bucketreader-.*\.js$/.test(path)) bytes = Buffer.concat([Buffer.from(clock), bytes]);
      const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
      const part = first ? bytes.subarray(Number(first), Number(last) + 1) : bytes;
      if (isObject) asked.push({ path, bytes: part.length });
      if (first) headers["content-range"] = `bytes ${first}-${last}/${bytes.length}`;
      response.writeHead(first ? 206 : 200, headers).end(part);
    } catch {
      if (isObject) asked.push({ path, bytes: 0 });
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { asked, address: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

/** Opens a page in a fresh browser, and does something with it. */
export async function inPage(clock, work) {
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, serviceWorkers: "block" });
  await context.addInitScript(clock);
  try {
    return await work(await context.newPage());
  } finally {
    await browser.close();
  }
}

export const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
