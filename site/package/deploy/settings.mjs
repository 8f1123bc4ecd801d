/** What a worker's deployment is given, which values may be given, and the file that remembers them. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { UsageError } from "../options.mjs";

/** Lines of `wrangler.toml`, by what stands before ` = `, with other values, for each of Cloudflare's plans. */
export const PRESETS = {
  /** As the file is. */
  paid: {},
  free: {
    // An invocation has 10 ms of CPU. A part of so many bytes takes 7 ms by our estimate (worker/src/meter/cpu.rs).
    SUBQUERY_BYTES: '"131072"',
    // 20,000 pushes of 23 kB a day are 6.6 GB in 14 days, even if nothing is ever compacted; 10 GB are free.
    RETENTION_RAW_DAYS: '"14"',
    RETENTION_SUMS_DAYS: '"90"',
    fee: "0.0",
  },
};

const DEFAULTS = { preset: "paid", bucket: "pilotlight" };

const HEAD =
  "# Options of `pilotlight deploy`, by worker. Upgrades read them from here. This file contains no secrets.\n";

/** By the name of a setting: whether a value may be given, and what is expected. */
const CHECKS = {
  preset: [(value) => Object.hasOwn(PRESETS, value), "free or paid"],
  bucket: [isLabel, "3 to 54 lower-case letters, digits and hyphens"],
  name: [isLabel, "3 to 54 lower-case letters, digits and hyphens"],
  domain: [(value) => /^[A-Za-z0-9.-]*\.[A-Za-z0-9.-]*$/.test(value), "a host name, such as profiles.example.com"],
};

/** Names of workers and buckets stand in addresses and in `wrangler.toml`. */
function isLabel(text) {
  return /^[a-z0-9][a-z0-9-]{1,52}[a-z0-9]$/.test(text);
}

/** Throws a `UsageError` for a value that can't be taken. */
export function checkSetting(name, value) {
  const [isGood, expected] = CHECKS[name];
  if (!isGood(value)) throw new UsageError(`--${name} must be ${expected} (got ${value})`);
  return value;
}

/** The settings of a worker: what is given, else what its last deployment was given, else the defaults. */
export function settingsOf(given, before = {}) {
  const settings = { ...DEFAULTS, ...before };
  for (const name of ["preset", "bucket", "domain"])
    if (given[name] !== undefined && given[name] !== "none") settings[name] = checkSetting(name, given[name]);
  if (given.domain === "none") delete settings.domain;
  return settings;
}

/** Settings by the worker's name, of the file; without one nothing was deployed. */
export function readRecord(path) {
  return existsSync(path) ? parseRecord(readFileSync(path, "utf8"), path) : {};
}

export function parseRecord(text, path) {
  const workers = {};
  let worker;
  for (const [index, line] of text.split("\n").entries()) {
    const wrong = (cause) =>
      new Error(`${path}, line ${index + 1}: ${cause}. Fix the line, or delete the file and give all options`);
    const [, header] = /^\s*\[(.+)\]\s*$/.exec(line) ?? [];
    const [, key, value] = /^\s*(\w+) = "(.*)"\s*$/.exec(line) ?? [];
    if (/^\s*(#|$)/.test(line)) continue;
    if (header) workers[header] = worker = {};
    else if (!key || !worker) throw wrong(`${JSON.stringify(line)} must be \`name = "value"\` in a worker's section`);
    else if (!["preset", "bucket", "domain"].includes(key))
      throw wrong(`unknown setting ${key}, expected preset, bucket or domain`);
    else if (!CHECKS[key][0](value)) throw wrong(`${key} must be ${CHECKS[key][1]} (got ${value})`);
    else worker[key] = value;
  }
  return workers;
}

/** Writes the file with what a deployment was given. */
export function remember(path, record, name, settings) {
  const workers = Object.entries({ ...record, [name]: settings }).sort(([a], [b]) => (a < b ? -1 : 1));
  const tables = workers.map(([name, settings]) => {
    const lines = ["preset", "bucket", "domain"].filter((key) => settings[key] !== undefined);
    return `\n[${name}]\n${lines.map((key) => `${key} = "${settings[key]}"\n`).join("")}`;
  });
  writeFileSync(path, HEAD + tables.join(""));
}
