/**
 * A month of history as files on a static host: what the pages ask that host for, and how long they take. First, once:
 *
 *   PILOTLIGHT_MONTH=$PWD/target/month cargo test --release -p pilotlight-worker --lib a_month_of -- --ignored --test-threads 1
 *
 * Then `node tests/benches/bucket.mjs` after `cargo xtask build` prints tables in Markdown. Chromium is at CHROMIUM (default
 * /usr/bin/chromium), which has the clock of the month.
 *
 *   --month DIR    the folder above, in place of target/month
 *   --site DIR     the built pages, in place of site/dist
 *   --delay 0      milliseconds before each answer of the host
 *   --runs 3       medians of so many, each in a fresh browser
 */
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { clockAt, endOf, HOUR, host, inPage, median } from "./month.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const { values: options } = parseArgs({
  options: {
    month: { type: "string", default: join(root, "target/month") },
    site: { type: "string", default: join(root, "site/dist") },
    delay: { type: "string", default: "0" },
    runs: { type: "string", default: "3" },
  },
});
const CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";

/** How long a page takes until an element is there. */
function opened(address, selector) {
  return async (page) => {
    const began = performance.now();
    await page.goto(address);
    await page.waitForSelector(selector, { state: "attached", timeout: 120_000 });
    return performance.now() - began;
  };
}

/** How long the reader of buckets takes for one question. */
function answered(address, script, question) {
  return async (page) => {
    await page.goto(`${address}file.html`);
    return page.evaluate(
      ([script, place, question]) =>
        new Promise((resolve, reject) => {
          const reader = new Worker(script, { type: "module" });
          const began = performance.now();
          reader.onmessage = ({ data }) => {
            if ("progress" in data) return;
            if ("answer" in data) resolve(performance.now() - began);
            else reject(new Error(JSON.stringify(data)));
          };
          reader.postMessage({ id: 1, place, question });
        }),
      [script, `${address}t/anonymous/`, question],
    );
  };
}

const months = readdirSync(options.month, { withFileTypes: true }).filter((entry) => entry.isDirectory());
for (const { name } of months) {
  const folder = join(options.month, name);
  const end = endOf(folder);
  const clock = clockAt(end);
  const { asked, address, close } = await host({ folder, site: options.site, delay: Number(options.delay), clock });
  const script = readdirSync(join(options.site, "assets")).find((file) => /^bucketreader-.*\.js$/.test(file));
  const month = { from: end - 30 * 24 * HOUR, until: end };
  const page = (path, more) => `${address}${path}?${new URLSearchParams({ bucket: "t/anonymous/", ...more })}`;
  const days = { from: String(month.from), until: String(month.until) };
  const query = `${CPU}{service_name="shop0"}`;
  const ask = (question) => answered(address, `${address}assets/${script}`, { query, ...month, ...question });
  const rows = [
    ["services of the last hour on the home page", opened(page("index.html"), "[data-testid=service-card]")],
    ["services of 30 days on the home page", opened(page("index.html", days), "[data-testid=service-card]")],
    ["30 days of a service: the profile alone", ask({ ask: "profile" })],
    ["30 days of a service: the timeline alone", ask({ ask: "timeline", points: 500 })],
    [
      "30 days of a service: its page, to the flame graph",
      opened(page("explore.html", { s: "shop0", t: CPU, ...days }), "[data-testid=frames] tbody tr"),
    ],
  ];
  console.log(`\n${name}, ${options.delay} ms before each answer\n`);
  console.log("| what | time | requests | of these of the catalog | not there | bytes |\n|---|---|---|---|---|---|");
  for (const [what, measure] of rows) {
    const times = [];
    for (let run = 0; run < Number(options.runs); run++) {
      asked.length = 0;
      times.push(await inPage(clock, measure));
    }
    const count = (isCounted) => asked.filter(isCounted).length;
    const bytes = asked.reduce((sum, { bytes }) => sum + bytes, 0);
    const cells = [
      what,
      `${Math.round(median(times))} ms`,
      asked.length,
      count(({ path }) => path.includes("/catalog/")),
      count(({ bytes }) => bytes === 0),
      `${(bytes / 1e6).toFixed(2)} MB`,
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
  close();
}
