/** A browser page under test, and the few things that tests do with it. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterEach } from "node:test";
import { pathToFileURL } from "node:url";

export const url = process.env.PILOTLIGHT_URL;
export const own = (name) => join(process.env.PILOTLIGHT_FILES, name);

export { launch } from "./browser.mjs";

// A server closes what was idle for some seconds; a request that takes up such a connection at that moment gets no answer.
const { fetch } = globalThis;
globalThis.fetch = (input, init) => {
  const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
  headers.set("connection", "close");
  return fetch(input, { ...init, headers });
};

/** Other tests may keep the server busy. The page asks again, and says so where that is in vain. */
const BUSY = /the server responded with a status of 503 .*\/api\/v1\//;

/** Pages that are open, with the errors of each. */
const open = new Map();

// A wait that ended in vain says nothing of what stood there instead.
afterEach(async ({ passed }) => {
  if (passed !== false) return;
  for (const [page, errors] of open) {
    const text = await page.innerText("body", { timeout: 5_000 }).catch(String);
    console.log(`The page was at ${page.url()}:\n${[text.slice(0, 4000), ...errors].join("\n")}`);
  }
});

/** A page of its own context. Keeps what it asks for, and fails at the end when the page's script has failed. */
export async function openPage(browser, path, options = {}) {
  const context = await browser.newContext({
    viewport: { width: 1400, height: 900 },
    reducedMotion: "reduce",
    // It would answer before a test that stands in for the network.
    serviceWorkers: "block",
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const errors = [];
  const requests = [];
  page.on("pageerror", (error) => errors.push(`uncaught: ${error.stack ?? error}`));
  page.on(
    "console",
    (message) => message.type() === "error" && errors.push(`console: ${message.text()} ${message.location().url}`),
  );
  page.on("request", (request) =>
    requests.push({ method: request.method(), url: request.url(), body: request.postDataBuffer() }),
  );
  await page.goto(new URL(path, url).href);
  open.set(page, errors);
  const at = (id) => page.getByTestId(id);
  /** Ends the page; `expected` are errors that the test provoked. */
  const end = async (expected = /^$/) => {
    const surprises = errors.filter((text) => !expected.test(text) && !BUSY.test(text));
    open.delete(page);
    // A request may be under way whose answer a handler of the test waits for. What the test held back goes nowhere.
    await context.setOffline(true);
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await context.close();
    assert.deepEqual(surprises, [], "errors in the page");
  };
  return { page, at, requests, errors, end };
}

/** Waits two frames and a task, as site/src/settled.ts does: changes are drawn, and the work they begin is counted. */
export async function redrawn(page) {
  const drawn = page.evaluate(
    () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(drawn)))),
  );
  const limit = new Promise((_, fail) => {
    setTimeout(fail, 60_000, new Error("the page draws nothing")).unref();
  });
  await Promise.race([drawn, limit]);
}

/** Waits until the page has no pending work. */
export async function settled(page) {
  await redrawn(page);
  await page.waitForSelector("html[data-settled]", { state: "attached" });
}

/** What the server answers. A connection that it closes while it is used again is opened anew, as a browser does. */
export function fetched(route) {
  return route.fetch({ maxRetries: 3 });
}

/** Drops files on the page the way a person does: what the browser fires, with the files inside. */
export async function drop(page, ...paths) {
  const files = paths.map((path) => ({ name: basename(path), base64: readFileSync(path).toString("base64") }));
  const transfer = await page.evaluateHandle((files) => {
    const transfer = new DataTransfer();
    for (const { name, base64 } of files) {
      const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
      transfer.items.add(new File([bytes], name));
    }
    return transfer;
  }, files);
  for (const type of ["dragenter", "dragover", "drop"])
    await page.dispatchEvent("body", type, { dataTransfer: transfer });
}

/** Chooses an entry of the menu, and gives the path of the file that comes. */
export async function exported({ page, at }, form) {
  await at("export").click();
  const [file] = await Promise.all([page.waitForEvent("download"), at(`export-${form}`).click()]);
  const path = own(`exported-${file.suggestedFilename()}`);
  await file.saveAs(path);
  return path;
}

/** A file from the disk in a browser without a network. */
export async function offline(browser, path, options = {}) {
  const context = await browser.newContext({
    viewport: { width: 1400, height: 900 },
    reducedMotion: "reduce",
    offline: true,
    ...options,
  });
  const page = await context.newPage();
  const errors = [];
  const requests = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(pathToFileURL(path).href);
  return { page, at: (id) => page.getByTestId(id), context, errors, requests };
}

/** The drawn frames, from the accessible table, once it has `total` in its first row. */
export async function drawnFrames(page, total) {
  const root = `[data-testid=frames] tbody tr:first-child[data-total="${total}"]`;
  await page.waitForSelector(root, { state: "attached" });
  await settled(page);
  return page.$$eval("[data-testid=frames] tbody tr", (rows) =>
    rows.map((row) => ({
      name: row.querySelector("th").textContent,
      depth: Number(row.cells[1].textContent),
      node: Number(row.dataset.node),
      total: Number(row.dataset.total),
      cells: [...row.cells].slice(2).map((cell) => cell.textContent),
    })),
  );
}

/** Where a node is drawn: the middle of its box, while the whole graph is in view and not scrolled. */
export async function middleOf(page, { left, share, depth }) {
  const box = await page.getByTestId("flame").boundingBox();
  const row = 20;
  return { x: box.x + (left + share / 2) * box.width, y: box.y + (depth + 0.5) * row };
}

/** "1.25 s 31.4 %" → 1250000000, in the smallest unit; null for what is no amount. */
export function amount(text) {
  const units = {
    ns: 1,
    µs: 1e3,
    ms: 1e6,
    s: 1e9,
    min: 60e9,
    h: 3600e9,
    B: 1,
    KiB: 1024,
    MiB: 1024 ** 2,
    GiB: 1024 ** 3,
    // CPU time a second.
    cores: 1e9,
    mcores: 1e6,
    µcores: 1e3,
  };
  const match = /^(-?[\d,.]+)\s*([^\s\d%]+)?/.exec(text.replace(/[\u00a0\u202f\u2009]/g, " ").trim());
  return match ? Number(match[1].replace(/,/g, "")) * (units[match[2]] ?? 1) : null;
}

/** Equal as far as three digits tell. */
export function close(found, expected, what) {
  assert.ok(Math.abs(found - expected) <= Math.abs(expected) * 0.01 + 1e-9, `${what}: ${found} is not ${expected}`);
}

/** The requests that sent something: all but questions without a body. Connect asks by POST, too. */
export function sending(requests) {
  const isRead = ({ method, url }) => method === "GET" || url.endsWith("/settings.v1.SettingsService/Get");
  return requests.filter((request) => request.body || !isRead(request));
}
