/** `pilotlight push`: sends files to a server, and says what became of each. */
import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { readWords, timeOption, UsageError, urlOption, wrong } from "./options.mjs";
import { nameOf } from "./paths.mjs";
import { authorization, DEFAULT_URL, explain, ServerFailure, send } from "./server.mjs";
import { loadWasm } from "./wasm.mjs";

const USAGE = `Pushes profiles to a Pilotlight server.

Usage: pilotlight push [OPTION…] --name SERVICE FILE…

  FILE               pprof, JFR, speedscope or folded stacks, gzipped or not; - for standard input
  --name SERVICE     the service that was profiled
  --label KEY=VALUE  a label for all profiles; can be repeated
  --url URL          the server; ${DEFAULT_URL} by default
  --time TIME        when profiles without a time were recorded; now by default
  --from TIME, --until TIME
                     when the recording began and ended, instead of --time
  --format FORMAT    pprof, jfr, speedscope, groups (folded stacks), lines (one stack per line),
                     trie or tree; by default the server detects it from the content
  --help             print this help

TIME is a date such as 2026-11-23T12:00:00Z, a relative time such as now-1h, or Unix seconds.
A JFR recording appears at the TIME that you give; other files that record a time appear at the
recorded time.

Folded stacks don't say what they count: end SERVICE with the type, as in my.app.wall or
my.app.alloc_space. They count CPU time by default.

Environment:
  PILOTLIGHT_TOKEN   a token with the push scope; open servers need none

Examples:
  pilotlight push cpu.pprof --name my.app
  pilotlight push *.jfr --name checkout --label env=ci --label commit=4f1c2d9
  stackcollapse-perf.pl out.perf | pilotlight push - --name my.app

Exits with 0 if every file was accepted, 1 if one wasn't, and 2 if the command line is invalid.`;

/** How often a file is sent to a busy server. It counts once, however often. */
const ATTEMPTS = 5;
/** The longest pause that a server can ask for, in seconds. */
const LONGEST_PAUSE = 60;
/** The largest body that servers accept, about: 16 MiB. */
const USUAL_LIMIT = 16 << 20;
/** What the link shows around the profiles, in milliseconds: a single profile is a point on the timeline. */
const MARGIN = 5 * 60_000;
/** What the server accepts, in words. */
const ACCEPTED = "the server accepts pprof, JFR, speedscope and folded stacks";
/** Suffixes of a service that name the type of folded stacks and of speedscope's JSON: no part of the name (docs/push.md). */
const SUFFIX =
  /(.)\.(cpu|itimer|wall|(milli|micro|nano)?seconds|inuse_(objects|space)|alloc_(objects|space|in_new_tlab_objects|outside_tlab_objects|in_new_tlab_bytes|outside_tlab_bytes)|live|bytes|goroutines|(mutex|block|lock)_(count|duration)|exceptions)$/;

/** Throws an `Error` whose message is for people. */
export async function push(words) {
  const text = { type: "string" };
  const options = { name: text, url: text, time: text, from: text, until: text, format: text };
  const read = readWords(words, USAGE, { ...options, label: { type: "string", multiple: true, default: [] } });
  if (read === undefined) return;
  const { values, positionals: files } = read;
  if (files.length === 0) throw wrong(USAGE, "give at least one file");
  if (!values.name) throw wrong(USAGE, "--name is missing: give the name of the service");
  const url = urlOption(values.url);
  const query = new URLSearchParams({ name: nameOf(values.name, labelsOf(values.label)), ...timesOf(values) });
  if (values.format) query.set("format", values.format);
  for (const file of files) check(file);

  const spanOf = await reader(query);
  const stored = [];
  let refused = 0;
  for (const file of files) {
    const body = readFileSync(file === "-" ? 0 : file);
    try {
      const response = await pushFile(new URL(`ingest?${query}`, url), body);
      await response.arrayBuffer();
      const span = spanOf(body);
      if (span) stored.push({ ...span, service: isText(body) ? values.name.replace(SUFFIX, "$1") : values.name });
      console.log(`${file}: ${outcomeOf(response)}${span ? `, recorded ${shown(span)}` : ""}`);
      const warning = response.headers.get("x-pilotlight-warning");
      if (warning) console.log(`  ${warning}`);
    } catch (failure) {
      if (!(failure instanceof ServerFailure)) throw failure;
      // Of a body that is far too large a server may read nothing, and close the connection.
      const isLarge = failure.status === 413 || (failure.status === 0 && body.length > USUAL_LIMIT);
      // The others would fare no better.
      if (!isLarge && ![400, 415, 422].includes(failure.status)) throw new Error(explain(failure, url, "push"));
      refused++;
      console.error(`pilotlight: ${file}: ${isLarge ? tooLarge(failure) : refusal(failure, file)}`);
    }
  }
  if (stored.length > 0) console.log(`\nLook at ${stored[0].service}: ${linkTo(url, stored)}`);
  if (refused > 0)
    throw new Error(`${refused} of ${files.length} file${files.length === 1 ? "" : "s"} could not be stored`);
}

/** Before the first push: a misspelt name is no reason to push only half of the files. */
function check(file) {
  if (file === "-") return;
  try {
    if (statSync(file).isDirectory()) throw new Error(`${file} is a folder. Give the files in it instead`);
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw error.code ? new Error(`cannot read ${file}: ${error.code}`) : error;
  }
}

function labelsOf(pairs) {
  const labels = pairs.map((pair) => {
    const [, key, value] = /^([^=]+)=([^,]+)$/.exec(pair) ?? [];
    if (!key) throw new UsageError(`--label must be KEY=VALUE without commas, such as env=ci (got ${pair})`);
    return [key, value];
  });
  return Object.fromEntries(labels);
}

/** `from` and `until` of the request. */
function timesOf({ time, from, until }) {
  if (time !== undefined && (from ?? until) !== undefined)
    throw new UsageError("--time can't be combined with --from and --until");
  const read = (name, text) => {
    if (text === undefined) return [];
    return [[name === "until" ? "until" : "from", timeOption(name, text)]];
  };
  const times = Object.fromEntries([...read("time", time), ...read("from", from), ...read("until", until)]);
  if (times.from >= times.until) throw new UsageError(`--until must be later than --from (got ${from} and ${until})`);
  return times;
}

/** Pushes one file; again when the server is busy, after the pause that it asks for. */
async function pushFile(target, body) {
  const headers = { ...authorization(process.env.PILOTLIGHT_TOKEN), "content-type": "application/octet-stream" };
  for (let attempt = 1; ; attempt++) {
    try {
      return await send(target, { method: "POST", headers, body });
    } catch (failure) {
      const seconds = failure.retryAfter ?? attempt;
      const isBusy = [429, 502, 503, 504].includes(failure.status);
      if (!isBusy || attempt === ATTEMPTS || seconds > LONGEST_PAUSE) throw failure;
      console.error(`The server is busy (${failure.status}: ${failure.message}). Trying again in ${seconds} s`);
      await pause(1000 * seconds);
    }
  }
}

function outcomeOf(response) {
  const outcome = response.headers.get("x-pilotlight-push");
  const texts = {
    stored: "stored",
    repeated: "already pushed; counted only once",
    empty: "no value is above zero, so there is nothing to store",
  };
  return texts[outcome] ?? "accepted";
}

function tooLarge({ message }) {
  return `too large for the server (${message}). Record for a shorter time, or split the file`;
}

/** Why a file is refused, and what to do. */
function refusal({ status, message }, file) {
  const isUnknown = status === 415 || message.startsWith("the body is ");
  if (!isUnknown) return message;
  const reason = message.replace(/(, which the server does not accept; open it in the viewer, or|;) send pprof$/, "");
  return `${reason}: ${ACCEPTED}. If \`pilotlight ${file}\` opens it, export it as pprof there and push the export`;
}

/** Says when the profiles of a body were recorded, by reading it as the server does; undefined where none has a sample. */
async function reader(query) {
  const { BundleMaker } = await loadWasm("bundler");
  return (body) => {
    const maker = new BundleMaker();
    try {
      maker.add(String(query), body, Date.now());
      return maker.from === undefined ? undefined : { from: maker.from, until: maker.until };
    } catch {
      // A newer server may accept more.
      return undefined;
    } finally {
      maker.free();
    }
  };
}

/** Whether it is folded stacks or JSON, whose service may end with a type. */
function isText(body) {
  let start = body.subarray(0, 1024);
  if (body[0] === 0x1f && body[1] === 0x8b) {
    try {
      start = gunzipSync(body).subarray(0, 1024);
    } catch {
      return false;
    }
  }
  return start.every((byte) => byte >= 32 || (byte >= 9 && byte <= 13));
}

function shown({ from, until }) {
  const [first, last] = [from, until - 1].map((time) => new Date(time).toISOString().slice(0, 19).replace("T", " "));
  return first === last ? `${first} UTC` : `${first} to ${last} UTC`;
}

/** The page that shows the service at the time of the profiles. */
function linkTo(url, stored) {
  const link = new URL("explore", url);
  const from = Math.min(...stored.map(({ from }) => from)) - MARGIN;
  const until = Math.max(...stored.map(({ until }) => until)) + MARGIN;
  link.search = String(new URLSearchParams({ s: stored[0].service, from, until }));
  return link;
}
