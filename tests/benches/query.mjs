/**
 * A query in V8: `node query.mjs MODULE LIST ROUNDS` prints one line of JSON: of every round the time in milliseconds, and the
 * number that it gave.
 */
import { readFileSync } from "node:fs";

const [path, list, rounds] = process.argv.slice(2);
const { exports } = (await WebAssembly.instantiate(readFileSync(path), {})).instance;
const bytes = readFileSync(list);
const at = exports.alloc(bytes.length);
new Uint8Array(exports.memory.buffer, at, bytes.length).set(bytes);
exports.prepare_query(at, bytes.length);
const times = [];
for (let round = 0; round < Number(rounds); round++) {
  const started = performance.now();
  const result = exports.query();
  times.push([performance.now() - started, String(BigInt.asUintN(64, result))]);
}
console.log(JSON.stringify(times));
