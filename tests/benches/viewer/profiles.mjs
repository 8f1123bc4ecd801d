/**
 * Synthetic CPU profiles, the same bytes each time: 20,000 functions, 40,000 locations, stacks up to 40 frames deep, nearly
 * every stack its own, which is the hard case for a merge.
 */
import { Bytes } from "./bytes.mjs";

const FUNCTIONS = 20_000;
const LOCATIONS = 2 * FUNCTIONS;
const DEPTH = 40;
const PACKAGES = [
  "net/http",
  "runtime",
  "encoding/json",
  "github.com/acme/widget/internal/store",
  "github.com/acme/widget/api",
  "database/sql",
  "crypto/tls",
  "bytes",
  "fmt",
  "sync",
];
/** Between two samples. */
const PERIOD_NANOS = 10_000_000;

/** Samples of a pprof file, and the raw bytes that they come to. */
export const SIZES = { S: 20_000, M: 150_000, L: 420_000, XL: 1_000_000, XXL: 2_100_000 };

/** Numbers from 0 to 1, of mulberry32. */
function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Stacks as locations from 1, the root first. Each begins like the one before. */
function* stacks(count, seed) {
  const random = randomFrom(seed);
  const stack = [1];
  for (let i = 0; i < count; i++) {
    stack.length = Math.min(stack.length, 1 + Math.floor(random() ** 0.6 * stack.length));
    const grown = stack.length + 1 + Math.floor(random() * 12);
    while (stack.length < Math.min(grown, DEPTH)) {
      const callee = Math.floor(random() ** 3 * 6);
      stack.push(1 + ((stack.at(-1) * 31 + callee * 7919 + stack.length * 104_729) % LOCATIONS));
    }
    yield stack;
  }
}

const functionOf = (location) => 1 + ((location - 1) % FUNCTIONS);
const packageOf = (id) => PACKAGES[id % PACKAGES.length];
const nameOf = (id) => `${packageOf(id)}.(*Type${id % 997}).Method${id}`;
const fileOf = (id) => `/src/${packageOf(id)}/file${id % 499}.go`;
const ids = (count) => Array.from({ length: count }, (_, i) => i + 1);

/** pprof, not compressed. */
export function pprof(samples, seed = 1) {
  const strings = new Map([["", 0]]);
  const text = (string) => {
    if (!strings.has(string)) strings.set(string, strings.size);
    return strings.get(string);
  };
  const file = new Bytes();
  const type = (kind, unit) => file.message(1, (type) => type.number(1, text(kind)).number(2, text(unit)));
  type("samples", "count");
  type("cpu", "nanoseconds");
  for (const stack of stacks(samples, seed))
    file.message(2, (sample) => sample.packed(1, stack.toReversed()).packed(2, [1, PERIOD_NANOS]));
  for (const id of ids(LOCATIONS)) {
    const line = (line) => line.number(1, functionOf(id)).number(2, 1 + (id % 1000));
    file.message(4, (location) => location.number(1, id).number(3, 0x400000 + id * 16).message(4, line));
  }
  for (const id of ids(FUNCTIONS))
    file.message(5, (fn) => fn.number(1, id).number(2, text(nameOf(id))).number(4, text(fileOf(id))));
  for (const string of strings.keys()) file.text(6, string);
  return file.number(10, samples * PERIOD_NANOS).taken();
}

/** Trace events of Chrome: a complete event for each frame, as long as it stays in the stacks. */
export function chromeTrace(samples) {
  const events = [];
  const open = [];
  let now = 0;
  const end = (depth) => {
    while (open.length > depth) {
      const { name, ts } = open.pop();
      events.push(JSON.stringify({ name, cat: "cpu", ph: "X", ts, dur: now - ts, pid: 1, tid: 1, args: {} }));
    }
  };
  for (const stack of stacks(samples, 1)) {
    const names = stack.map((location) => nameOf(functionOf(location)));
    let same = 0;
    while (same < open.length && open[same].name === names[same]) same++;
    end(same);
    for (const name of names.slice(same)) open.push({ name, ts: now });
    now += PERIOD_NANOS / 1000;
  }
  end(0);
  return Buffer.from(`{"traceEvents":[\n${events.join(",\n")}\n]}`);
}

/** speedscope's own format, a stack for each sample. */
export function speedscope(samples) {
  const frames = ids(FUNCTIONS).map((id) => ({ name: nameOf(id), file: fileOf(id) }));
  const all = [...stacks(samples, 1)].length;
  const lines = [];
  for (const stack of stacks(samples, 1)) lines.push(JSON.stringify(stack.map((location) => functionOf(location) - 1)));
  const profile = {
    type: "sampled",
    name: "cpu",
    unit: "nanoseconds",
    startValue: 0,
    endValue: all * PERIOD_NANOS,
  };
  const head = JSON.stringify(profile).slice(0, -1);
  const weights = Array(all).fill(PERIOD_NANOS).join(",");
  const shared = JSON.stringify({ frames });
  return Buffer.from(
    `{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":${shared},"profiles":[${head},"samples":[${lines.join(",\n")}],"weights":[${weights}]}]}`,
  );
}

/** A raw profile of Firefox: a tree of stacks, and a row of it for each sample. */
export function gecko(samples) {
  const rows = new Map();
  const rowOf = (prefix, frame) => {
    const key = (prefix ?? -1) * (LOCATIONS + 1) + frame;
    if (!rows.has(key)) rows.set(key, { row: rows.size, cells: [prefix, frame] });
    return rows.get(key).row;
  };
  const sampled = [];
  for (const stack of stacks(samples, 1)) {
    const leaf = stack.reduce((prefix, location) => rowOf(prefix, functionOf(location) - 1), null);
    sampled.push([leaf, sampled.length * (PERIOD_NANOS / 1e6)]);
  }
  const stackTable = { schema: { prefix: 0, frame: 1 }, data: [...rows.values()].map(({ cells }) => cells) };
  const frameTable = { schema: { location: 0 }, data: ids(FUNCTIONS).map((id) => [id - 1]) };
  const stringTable = ids(FUNCTIONS).map((id) => `${nameOf(id)} (${fileOf(id)}:1)`);
  const thread = { name: "GeckoMain", processType: "default", pid: 1, tid: 1, stackTable, frameTable, stringTable };
  const meta = { version: 19, interval: PERIOD_NANOS / 1e6, startTime: 0, processType: 0 };
  const threads = [{ ...thread, samples: { schema: { stack: 0, time: 1 }, data: sampled } }];
  return Buffer.from(JSON.stringify({ meta, libs: [], threads, processes: [] }));
}
