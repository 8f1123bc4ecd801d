/**
 * How soon the pages show something, and how long they take to react. First paints are those of a running server with the
 * demo (`cargo xtask run`, `cargo xtask demo`); interactions those of 30 days of a service on a static host, as kept by
 * `tests/benches/bucket.mjs`. `node tests/benches/explorer.mjs` prints tables in Markdown; each figure in a fresh browser.
 *
 *   --url http://localhost:4040   the server
 *   --month DIR                   the kept month, in place of target/month
 *   --site DIR                    the built pages, in place of site/dist
 *   --runs 5                      medians of so many
 */
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { clockAt, endOf, HOUR, host, inPage, median } from "./month.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const { values: options } = parseArgs({
  options: {
    url: { type: "string", default: "http://localhost:4040" },
    month: { type: "string", default: join(root, "target/month") },
    site: { type: "string", default: join(root, "site/dist") },
    runs: { type: "string", default: "5" },
  },
});
const CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
const runs = Array.from({ length: Number(options.runs) });

const table = (title, columns, rows) => {
  console.log(`\n${title}\n\n| ${columns.join(" | ")} |\n|${"---|".repeat(columns.length)}`);
  for (const row of rows) console.log(`| ${row.join(" | ")} |`);
};
const millis = (number) => `${Math.round(number)} ms`;

/** First paint, largest paint and when an element was there, from the beginning of the navigation. */
async function painted(page, address, selector) {
  await page.goto(address, { waitUntil: "commit" });
  await page.waitForSelector(selector, { state: "attached" });
  return page.evaluate(async () => {
    const there = performance.now();
    const entries = (type) =>
      new Promise((resolve) => {
        new PerformanceObserver((list) => resolve(list.getEntries())).observe({ type, buffered: true });
      });
    const [[first], largest] = await Promise.all([entries("paint"), entries("largest-contentful-paint")]);
    return [first.startTime, largest.at(-1).startTime, there];
  });
}

async function paints() {
  const rows = [];
  for (const [what, path, selector] of [
    ["all services", "/", "[data-testid=service-card]"],
    ["a service, to its timeline", "/explore?s=checkout", "[data-testid=timeline] canvas"],
    ["a service, to the flame graph", "/explore?s=checkout", "[data-testid=frames] tbody tr"],
    ["an empty page for files", "/file", "[data-testid=dropzone]"],
  ]) {
    const times = [];
    for (const _ of runs) times.push(await inPage("", (page) => painted(page, options.url + path, selector)));
    rows.push([what, ...times[0].map((_, i) => millis(median(times.map((of) => of[i]))))]);
  }
  table(`Server, ${new Date().toISOString().slice(0, 10)}`, ["page", "first paint", "largest paint", "content"], rows);
}

/** Longest time from an event to the paint after it, as the browser's Event Timing has it; below 16 ms it has none. */
async function reaction(page, act) {
  await page.evaluate(() => {
    window.longest = 0;
    window.timing?.disconnect();
    window.timing = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
    });
    window.timing.observe({ type: "event", durationThreshold: 16 });
  });
  await act(page);
  await page.waitForTimeout(700);
  // A comparison is read before anything can be done with it.
  if (page.url().includes("/diff")) await page.getByTestId("view-sides").waitFor();
  return page.evaluate(() => window.longest);
}

const click = (id) => (page) => page.getByTestId(id).first().click();
const press = (key) => (page) => page.keyboard.press(key);
const INTERACTIONS = [
  ["a frame is selected", (page) => page.getByTestId("flame").click({ position: { x: 300, y: 70 } })],
  ["the drawer is closed", press("Escape")],
  ["a frame is zoomed to", (page) => page.getByTestId("flame").dblclick({ position: { x: 300, y: 50 } })],
  ["zoomed out", press("Escape")],
  ["a text is searched", (page) => page.getByTestId("search").pressSequentially("handle", { delay: 40 })],
  ["the search is ended", press("Escape")],
  ["turned upside down", press("v")],
  ["and back", press("v")],
  ["table", press("2")],
  ["call tree", press("4")],
  ["sandwich", press("5")],
  ["call graph", press("8")],
  ["flame graph", press("1")],
  ["undone", press("z")],
  ["panel of types", click("panel-types")],
  ["panel of labels", click("panel-labels")],
  ["panel of the profile", click("panel-profile")],
  [
    "part of the timeline is chosen",
    async (page) => {
      const { x, y, width, height } = await page.getByTestId("timeline").first().boundingBox();
      await page.mouse.move(x + width * 0.6, y + height / 2);
      await page.mouse.down();
      await page.mouse.move(x + width * 0.62, y + height / 2, { steps: 3 });
      await page.mouse.up();
    },
  ],
  [
    "the timeline is split by a label",
    async (page) => {
      await page.getByTestId("split").focus();
      await page.keyboard.press("ArrowDown");
    },
  ],
  ["both halves are compared", click("compare")],
  ["side by side", press("9")],
];

async function interactions(name) {
  const folder = join(options.month, name);
  const end = endOf(folder);
  const clock = clockAt(end);
  const { address, close } = await host({ folder, site: options.site, delay: 0, clock });
  const days = { from: String(end - 30 * 24 * HOUR), until: String(end) };
  const query = new URLSearchParams({ bucket: "t/anonymous/", s: "shop0", t: CPU, ...days });
  const walk = async (page) => {
    await page.goto(`${address}explore.html?${query}`);
    await page.waitForSelector("[data-testid=frames] tbody tr", { state: "attached", timeout: 120_000 });
    await page.waitForTimeout(1_000);
    const times = [];
    for (const [, act] of INTERACTIONS) times.push(await reaction(page, act));
    return times;
  };
  const times = [];
  for (const _ of runs) times.push(await inPage(clock, walk));
  close();
  const rows = INTERACTIONS.map(([what], i) => {
    const found = times.map((of) => of[i]);
    return [what, millis(median(found)), millis(Math.max(...found))];
  });
  table(`${name}, 30 days of a service`, ["interaction", "median", "worst"], rows);
}

await paints();
if (existsSync(options.month))
  for (const entry of readdirSync(options.month, { withFileTypes: true }))
    if (entry.isDirectory()) await interactions(entry.name);
