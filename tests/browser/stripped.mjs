/** A stripped program, its debug file and a profile of its addresses, with what the compiler's own tools know of them. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeAddresses } from "./pprof.mjs";

const SOURCE = new URL("../../wasm-viewer/symbols/tests/program/", import.meta.url).pathname;
/** Where the program is mapped: not where its file says. */
const BIAS = 0x555500000000;
/** What the samples of the profile add up to. */
export const TOTAL = 7;

/** The program's tools speak English. */
const runIn =
  (folder) =>
  (tool, ...words) =>
    execFileSync(tool, words, { cwd: folder, encoding: "utf8", env: { ...process.env, LC_ALL: "C" } });

/** The frames of addresses, the innermost first, as the compiler's own tool finds them. */
function judged(run, addresses) {
  const frames = new Map();
  const lines = run("addr2line", "-e", "whole", "-aif", ...addresses.map((at) => `0x${at.toString(16)}`)).split("\n");
  let found = [];
  while (lines.length > 1) {
    const name = lines.shift();
    if (name.startsWith("0x")) {
      found = [];
      frames.set(Number(name), found);
      continue;
    }
    const [, file, line] = /([^/]*):(\d+|\?)/.exec(lines.shift());
    found.push({ name, file, line: Number(line) || 0 });
  }
  return frames;
}

/**
 * Compiles the program into a folder, and makes a profile of two of its addresses, `bare.pb`: one calls the other. The files
 * are `whole`, `part` without symbols, `part.debug`, `cut` short, and `other`, which is another program. Null where there is no
 * compiler.
 */
export function makeStripped(folder) {
  try {
    return make(folder);
  } catch (failure) {
    if (failure.code !== "ENOENT") throw failure;
    console.log(`skipped: ${failure.path} is not there, which makes the program`);
    return null;
  }
}

/** A program with the build id of another, `large`: its names alone are more than a server keeps. */
export function makeLarge(folder, id) {
  const names = Array.from({ length: 50_000 }, (_, i) => `function_${i}_${"x".repeat(120)}`);
  const code = names.map((name) => `.type ${name}, @function\n${name}:\n nop\n.size ${name}, 1\n`);
  writeFileSync(join(folder, "many.s"), `.text\n${code.join("")}.section .note.GNU-stack\n`);
  const options = ["-O2", "-g", "-fPIE", "-pie", `-Wl,--build-id=0x${id}`];
  runIn(folder)("cc", ...options, "-o", "large", `${SOURCE}main.c`, `${SOURCE}work.c`, "many.s");
}

function make(folder) {
  const run = runIn(folder);
  const path = (name) => join(folder, name);
  mkdirSync(folder, { recursive: true });
  const compile = (name, ...options) =>
    run("cc", "-g", "-fPIE", "-pie", "-Wl,--build-id", "-o", name, ...options, `${SOURCE}main.c`, `${SOURCE}work.c`);
  compile("whole", "-O2");
  compile("other", "-O1");
  run("strip", "--strip-all", "-o", "part", "whole");
  run("objcopy", "--only-keep-debug", "whole", "part.debug");
  writeFileSync(path("cut"), readFileSync(path("whole")).subarray(0, 900));
  const headers = run("readelf", "-SWln", "whole");
  const number = (digits) => Number.parseInt(digits, 16);
  const [, text, size] = /\.text\s+PROGBITS\s+(\w+) \w+ (\w+)/.exec(headers).map(number);
  const [, offset, start, bytes] = /LOAD\s+0x(\w+) 0x(\w+) 0x\w+ 0x(\w+) 0x\w+ R E/.exec(headers).map(number);
  const frames = judged(
    run,
    Array.from({ length: size }, (_, i) => text + i),
  );
  const known = [...frames].filter(([, found]) => found.every(({ line }) => line > 0));
  const inlined = known.find(([, found]) => found.length > 2);
  const caller = known.find(([, found]) => found.length === 1 && found[0].name === "main");
  const [page, down] = [4096, (at) => at - (at % 4096)];
  const mapping = {
    file: "/usr/bin/part",
    buildId: /Build ID: (\w+)/.exec(headers)[1],
    start: BIAS + down(start),
    limit: BIAS + down(start + bytes + page - 1),
    offset: down(offset),
  };
  const at = [caller, inlined].map(([address]) => BIAS + address);
  const stacks = [
    { addresses: at, value: 5 },
    { addresses: at.slice(0, 1), value: 2 },
  ];
  writeFileSync(path("bare.pb"), writeAddresses(mapping, stacks));
  const tree = [...caller[1].toReversed(), ...inlined[1].toReversed()];
  return {
    id: mapping.buildId,
    otherId: /Build ID: (\w+)/.exec(run("readelf", "-n", "other"))[1],
    bare: at.map((address, depth) => `${depth + 1} 0x${address.toString(16)} [part] ${depth === 0 ? TOTAL : 5}`),
    named: tree.map(({ name }, depth) => `${depth + 1} ${name} ${depth < caller[1].length ? TOTAL : 5}`),
    leaf: inlined[1][0].name,
    lines: new Map([caller, inlined].map(([address, found]) => [BIAS + address, found])),
  };
}
