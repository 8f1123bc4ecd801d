/**
 * Pushes in V8: `node push.mjs MODULE LIST FIRST ROUNDS` prints one line of JSON: the time of every push in milliseconds,
 * `FIRST` being the first one, and the number that each gave; and the times of a segment of all chunks.
 */
import { readFileSync } from "node:fs";

const [path, list, first, rounds] = process.argv.slice(2);
const { exports } = (await WebAssembly.instantiate(readFileSync(path), {})).instance;
const bytes = readFileSync(list);
const at = exports.alloc(bytes.length);
new Uint8Array(exports.memory.buffer, at, bytes.length).set(bytes);
const answer = exports.prepare_pushes(at, bytes.length);
const count = new DataView(exports.memory.buffer).getUint32(answer + 4, true);
const time = (work) => {
  const started = performance.now();
  const result = work();
  return [performance.now() - started, String(BigInt.asUintN(64, result))];
};
const pushes = [];
const segments = [];
if (Number(rounds) === 0) {
  pushes.push([Number(first), ...time(() => exports.push(Number(first)))]);
}
for (let i = 0; i < Number(rounds) * count; i++) {
  const index = (Number(first) + i) % count;
  pushes.push([index, ...time(() => exports.push(index))]);
}
if (Number(rounds) > 0) {
  exports.prepare_chunks();
  for (let round = 0; round < Number(rounds); round++) {
    segments.push(time(() => exports.gather()));
  }
}
console.log(JSON.stringify({ pushes, segments }));
