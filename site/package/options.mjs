/** The words of a command line: options, help, and what was probably meant by words that nobody knows. */
import { relative } from "node:path";
import { parseArgs } from "node:util";
import { DEFAULT_URL, serverUrl, timeOf } from "./server.mjs";

/** A command line that makes no sense. `pilotlight` exits with 2 for it, with 1 for everything else that fails. */
export class UsageError extends Error {}

const HELP = { help: { type: "boolean", short: "h" } };

/**
 * Options and positionals of a command; undefined when help was asked for, and printed. `usage` is that help, whose lines that
 * begin with "Usage:" an error repeats.
 */
export function readWords(words, usage, options) {
  const known = { ...options, ...HELP };
  if (asksForHelp(words)) {
    console.log(usage);
    return undefined;
  }
  try {
    return parseArgs({ args: words, allowPositionals: true, options: known });
  } catch (error) {
    throw wrong(usage, explain(error, Object.keys(known)));
  }
}

/** The same of a command that has options only. */
export function readOptions(words, usage, options) {
  const read = readWords(words, usage, options);
  if (read && read.positionals.length > 0) throw wrong(usage, `unexpected argument ${read.positionals[0]}`);
  return read?.values;
}

/** The URL of the server that an option names, or of the one on this machine. */
export function urlOption(text = DEFAULT_URL) {
  const url = serverUrl(text);
  if (!url) throw new UsageError(`--url must be the URL of a server, like ${DEFAULT_URL} (got ${text})`);
  return url;
}

/** A time that an option names, as servers read it. */
export function timeOption(name, text) {
  const time = timeOf(text);
  if (time === undefined)
    throw new UsageError(`--${name} must be a time, such as 2026-11-23T12:00:00Z or now-1h (got ${text})`);
  return time;
}

/** The ports over 1023 that browsers and Node's fetch refuse to connect to: https://fetch.spec.whatwg.org/#port-blocking. */
const BLOCKED_PORTS = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/** The port that --port names; 0 means a free one. */
export function portOption(text) {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65535) throw new UsageError(`--port must be from 0 to 65535 (got ${text})`);
  if (BLOCKED_PORTS.has(port)) throw new UsageError(`--port cannot be ${port}: browsers refuse to open it`);
  return port;
}

/** A `UsageError` that shows how the command is used. */
export function wrong(usage, message) {
  const forms = /^Usage: .*(\n {7}.*)*/m.exec(usage)[0];
  const command = /^Usage: (pilotlight( [a-z]+)?)/m.exec(forms)[1];
  return new UsageError(`${message}\n\n${forms}\n\n\`${command} --help\` lists all options.`);
}

const [, program = ""] = process.argv;
/** Kept from the start, because `serve` changes the working folder. */
const name = program.endsWith(".mjs") ? `node ${relative(".", program)}` : "pilotlight";

/** How this program was started: installed, or from a clone. */
export const commandName = () => name;

/** `. Did you mean x?`, or nothing where no candidate is like the word. */
export function didYouMean(word, candidates) {
  const near = candidates
    .map((candidate) => [distance(word, candidate), candidate])
    .filter(([edits, candidate]) => edits <= Math.max(1, Math.floor(Math.min(word.length, candidate.length) / 3)))
    .sort(([a], [b]) => a - b)[0];
  return near ? `. Did you mean ${near[1]}?` : "";
}

/** Options of `--` are not those of the command. */
function asksForHelp(words) {
  const end = words.indexOf("--");
  return words.slice(0, end < 0 ? words.length : end).some((word) => word === "--help" || word === "-h");
}

function explain({ code, message }, names) {
  const [option = ""] = /(?<=')-[^' ]+/.exec(message) ?? [];
  if (code === "ERR_PARSE_ARGS_UNKNOWN_OPTION") {
    const options = names.map((name) => `--${name}`);
    return `unknown option ${option}${didYouMean(option, options)}`;
  }
  // Of an option with a short form the message has both.
  const [long = option] = /--[^' ]+/.exec(message) ?? [];
  if (message.includes("does not take an argument")) return `${long} doesn't accept a value`;
  return `${long} needs a value`;
}

/** How many letters are to be inserted, left out, replaced or swapped with the next. */
function distance(a, b) {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = rows[i - 1][j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(rows[i - 1][j] + 1, row[j - 1] + 1, replaced);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) row[j] = Math.min(row[j], rows[i - 2][j - 2] + 1);
    }
    rows.push(row);
  }
  return rows[a.length][b.length];
}
