/**
 * Pilotlight's viewer beside speedscope: the same files, the same browser, in turns. `node tests/benches/viewer.mjs` after
 * `cargo xtask build` prints tables in Markdown. Chromium is at CHROMIUM (default /usr/bin/chromium).
 *
 *   --only NAME    one of open, use, act, compare, json, transfer
 *   --sizes S,M,L  of S, M, L, XL, XXL
 *   --runs 3       medians of so many
 *   --site DIR     the built pages, in place of site/dist
 *   --alone        without speedscope
 *   --trace FILE   only a trace of opening the first size and zooming, for the browser's developer tools
 */
import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { serve } from "../browser/statichost.mjs";
import { act, compare, open, transfer, use, VIEWERS } from "./viewer/measures.mjs";
import { chromeTrace, gecko, pprof, SIZES, speedscope } from "./viewer/profiles.mjs";
import { speedscopeSite, VERSION } from "./viewer/speedscope.mjs";
import { inTab, median, most } from "./viewer/tab.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const target = join(root, "target");
const { values: options } = parseArgs({
  options: {
    only: { type: "string" },
    sizes: { type: "string", default: Object.keys(SIZES).join() },
    runs: { type: "string", default: "3" },
    site: { type: "string", default: join(root, "site/dist") },
    alone: { type: "boolean", default: false },
    trace: { type: "string" },
  },
});
const sizes = options.sizes.split(",");
const runs = Number(options.runs);

const files = join(target, "viewer-bench");
mkdirSync(files, { recursive: true });
/** A file of that name, made when it is not there. */
function fileOf(name, make) {
  const path = join(files, name);
  if (!existsSync(path)) writeFileSync(path, make());
  return path;
}
const profile = (size, seed = 1) => fileOf(`${size}-${seed}.pb`, () => pprof(SIZES[size], seed));

const servers = {
  pilotlight: await serve(() => options.site, "/"),
  ...(options.alone ? {} : { speedscope: await serve(() => speedscopeSite(target), "/") }),
};
const names = Object.keys(servers);
const addressOf = (name) => `http://127.0.0.1:${servers[name].port}/`;

/** Results of each viewer, whose runs take turns. One that has crashed once has no result. */
async function inTurns(measure) {
  const results = Object.fromEntries(names.map((name) => [name, []]));
  for (let run = 0; run < runs; run++)
    for (const name of names) {
      const found = results[name] && (await measure(name).catch((failure) => console.error(`${name}: ${failure.message}`)));
      results[name] = found ? [...results[name], found] : null;
    }
  return results;
}

const ms = (value) => (value < 1000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(2)} s`);
const frame = (value) => `${value.toFixed(1)} ms`;
const mb = (value) => `${Math.round(value)} MB`;
function table(columns, rows) {
  console.log(`| ${columns.join(" | ")} |\n|${"---|".repeat(columns.length)}`);
  for (const row of rows) console.log(`| ${row.join(" | ")} |`);
  console.log("");
}
/** A figure of several runs; a dash without any. */
const of = (runs, pick, sum, format) => (runs?.length ? format(sum(runs.map(pick))) : "–");

const MEASURES = {
  open: async () => {
    const rows = [];
    for (const size of sizes) {
      const found = await inTurns((name) => open(VIEWERS[name], addressOf(name), profile(size)));
      for (const name of names)
        rows.push([
          size,
          name,
          of(found[name], (run) => run.labels, median, ms),
          found[name]?.map((run) => Math.round(run.labels)).join(" ") ?? "–",
          of(found[name], (run) => run.longest, most, ms),
        ]);
    }
    table(["size", "viewer", "open → first labels", "each run", "longest task"], rows);
  },
  use: async () => {
    const rows = [];
    for (const size of sizes) {
      const found = await inTurns((name) => use(VIEWERS[name], addressOf(name), profile(size)));
      for (const name of names) {
        const each = (pick, sum, format) => of(found[name], pick, sum, format);
        rows.push([
          size,
          name,
          each((run) => run.longest, most, ms),
          each((run) => run.memory, median, mb),
          `${each((run) => run.pan.p50, median, frame)}, ${each((run) => run.pan.p95, median, frame)}`,
          each((run) => run.zoom.worst, most, frame),
          each((run) => most(run.views), median, ms),
        ]);
      }
    }
    table(["size", "viewer", "longest task", "memory", "pan p50, p95", "worst zoom frame", "slowest view"], rows);
  },
  act: async () => {
    for (const size of sizes) {
      const found = [];
      for (let run = 0; run < runs; run++) found.push(await act(addressOf("pilotlight"), profile(size)));
      const acts = Object.keys(found[0].times);
      table(["size", ...acts, "longest task", "memory"], [
        [
          size,
          ...acts.map((name) => of(found, (run) => run.times[name], median, ms)),
          of(found, (run) => run.longest, most, ms),
          of(found, (run) => run.memory, median, mb),
        ],
      ]);
    }
  },
  compare: async () => {
    const rows = [];
    for (const size of sizes) {
      const found = [];
      for (let run = 0; run < runs; run++)
        found.push(await compare(addressOf("pilotlight"), profile(size), profile(size, 2)));
      rows.push([
        size,
        of(found, (run) => run.added, median, ms),
        of(found, (run) => run.labels, median, ms),
        of(found, (run) => run.longest, most, ms),
        of(found, (run) => run.memory, median, mb),
      ]);
    }
    table(["size", "two files opened and added up", "compared", "longest task", "memory"], rows);
  },
  json: async () => {
    const made = {
      "Chrome trace": fileOf("trace.json", () => chromeTrace(68_000)),
      speedscope: fileOf("50.speedscope.json", () => speedscope(435_000)),
      Firefox: fileOf("firefox.json", () => gecko(500_000)),
    };
    const rows = [];
    for (const [format, path] of Object.entries(made)) {
      const found = await inTurns((name) => open(VIEWERS[name], addressOf(name), path));
      for (const name of names)
        rows.push([
          format,
          mb(statSync(path).size / 1e6),
          name,
          of(found[name], (run) => run.labels, median, ms),
          of(found[name], (run) => run.longest, most, ms),
        ]);
    }
    table(["format", "size", "viewer", "open → first labels", "longest task"], rows);
  },
  transfer: async () => {
    const rows = [];
    const kb = (bytes) => `${(bytes / 1000).toFixed(0)} kB`;
    for (const name of names) {
      const { wasm, rest } = await transfer(VIEWERS[name], addressOf(name));
      rows.push([name, kb(rest), kb(wasm)]);
    }
    table(["viewer", "before a file, gzipped", "WASM, gzipped"], rows);
  },
};

if (options.trace) {
  await inTab(`${addressOf("pilotlight")}file`, async (tab) => {
    await tab.browser.startTracing(tab.page, {
      path: options.trace,
      categories: ["devtools.timeline", "v8", "v8.wasm", "toplevel"],
    });
    console.log(ms(await tab.open(VIEWERS.pilotlight.input, profile(sizes[0]))));
    await tab.zoom();
    await tab.browser.stopTracing();
  });
} else {
  console.log(`speedscope ${VERSION}, medians of ${runs}, longest and worst of all\n`);
  for (const [name, measure] of Object.entries(MEASURES)) if (!options.only || options.only === name) await measure();
}
for (const server of Object.values(servers)) await server.close();
