/**
 * The core's work in V8: `node wasm.mjs MODULE RUNS LIST WORK…` prints a line of JSON for each piece of work, with the median
 * time in milliseconds and the number that it gave.
 */
import { readFileSync } from "node:fs";

const [path, runs, list, ...names] = process.argv.slice(2);
const { exports } = (await WebAssembly.instantiate(readFileSync(path), {})).instance;
const bytes = readFileSync(list);
const at = exports.alloc(bytes.length);
new Uint8Array(exports.memory.buffer, at, bytes.length).set(bytes);
exports.prepare(at, bytes.length);
for (const name of names) {
  // Once before, so that the optimising compiler has seen it.
  let result = exports[name]();
  const times = [];
  for (let run = 0; run < Number(runs); run++) {
    const started = performance.now();
    result = exports[name]();
    times.push(performance.now() - started);
  }
  times.sort((a, b) => a - b);
  console.log(JSON.stringify({ name, median: times[times.length >> 1], result: String(BigInt.asUintN(64, result)) }));
}
