/** pprof read by other code than the core's: slow, short, and enough to know what the page must show. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { Reader } from "./reader.mjs";

/** Fields of a protobuf message as [number, value]; value is a BigInt or bytes. */
function* fields(bytes) {
  const reader = new Reader(bytes);
  while (!reader.isDone) {
    const key = Number(reader.varint());
    const value = reader.varint();
    yield [key >> 3, (key & 7) === 0 ? value : reader.take(Number(value))];
  }
}

function numbers(value) {
  if (typeof value === "bigint") return [value];
  const reader = new Reader(value);
  const found = [];
  while (!reader.isDone) found.push(reader.varint());
  return found;
}

/** A profile: types, and samples with their stacks of names, the root first. */
export function readPprof(path) {
  let bytes = readFileSync(path);
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) bytes = gunzipSync(bytes);
  const rows = { 1: [], 2: [], 4: [], 5: [], 6: [] };
  for (const [field, value] of fields(bytes)) rows[field]?.push(value);
  const strings = rows[6].map((text) => Buffer.from(text).toString("utf8"));
  const one = (row, field) => [...fields(row)].find(([number]) => number === field)?.[1] ?? 0n;
  const functions = new Map(rows[5].map((row) => [one(row, 1), strings[Number(one(row, 2))]]));
  const locations = new Map(
    rows[4].map((row) => {
      const lines = [...fields(row)].filter(([number]) => number === 4).map(([, line]) => functions.get(one(line, 1)));
      return [one(row, 1), lines.reverse()];
    }),
  );
  const samples = rows[2].map((row) => {
    const all = [...fields(row)];
    const ids = all.filter(([number]) => number === 1).flatMap(([, value]) => numbers(value));
    const values = all.filter(([number]) => number === 2).flatMap(([, value]) => numbers(value));
    return {
      stack: ids.reverse().flatMap((id) => locations.get(id)),
      values: values.map((v) => Number(BigInt.asIntN(64, v))),
    };
  });
  const types = rows[1].map((row) => ({ type: strings[Number(one(row, 1))], unit: strings[Number(one(row, 2))] }));
  return { types, samples };
}

/** Both sets of samples: what a merge must show. */
export function together(...profiles) {
  return { types: profiles[0].types, samples: profiles.flatMap((profile) => profile.samples) };
}

/** The call tree of a column: nodes with name, depth, total, self, children by name. */
export function callTree({ samples }, column) {
  const make = (name, depth) => ({ name, depth, total: 0, self: 0, children: new Map() });
  const root = make("total", 0);
  for (const { stack, values } of samples) {
    const value = values[column];
    if (value === 0) continue;
    let node = root;
    node.total += value;
    for (const name of stack) {
      if (!node.children.has(name)) node.children.set(name, make(name, node.depth + 1));
      node = node.children.get(name);
      node.total += value;
    }
    node.self += value;
  }
  return root;
}

export function childrenOf(node) {
  // By bytes, as the core orders them.
  return [...node.children.values()].sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
}

/** All nodes, each with its left edge as a share of the whole. */
export function nodesOf(root) {
  const found = [];
  const visit = (node, left) => {
    found.push({ ...node, node, left, share: node.total / root.total });
    for (const child of childrenOf(node)) {
      visit(child, left);
      left += child.total / root.total;
    }
  };
  visit(root, 0);
  return found;
}

/** Self and total of each function; a recursive one counts once a sample. */
export function functionsOf({ samples }, column) {
  const found = new Map();
  for (const { stack, values } of samples) {
    const value = values[column];
    if (value === 0) continue;
    for (const name of new Set(stack)) {
      const row = found.get(name) ?? { name, self: 0, total: 0 };
      row.total += value;
      if (name === stack.at(-1)) row.self += value;
      found.set(name, row);
    }
  }
  return [...found.values()];
}

function varint(number) {
  const bytes = [];
  let left = BigInt.asUintN(64, BigInt(number));
  for (; left > 127n; left >>= 7n) bytes.push(Number(left & 127n) | 128);
  return Buffer.from([...bytes, Number(left)]);
}

const numberField = (field, number) => Buffer.concat([varint(field << 3), varint(number)]);
function bytesField(field, bytes) {
  const body = Buffer.from(bytes);
  return Buffer.concat([varint((field << 3) | 2), varint(body.length), body]);
}

/** A frame as text: a name, or `name@file:line`. */
function partsOf(frame) {
  const [, name = frame, file = "", line = 0] = /^(.+)@(.+):(\d+)$/.exec(frame) ?? [];
  return { name, file, line };
}

/** A pprof file of stacks as text, `root;…;leaf value` a line; each sample has the labels. */
export function writePprof(kind, unit, lines, labels = {}) {
  const strings = [""];
  const text = (string) => (strings.includes(string) ? strings.indexOf(string) : strings.push(string) - 1);
  const type = Buffer.concat([numberField(1, text(kind)), numberField(2, text(unit))]);
  const ofSample = Object.entries(labels).map(([key, value]) =>
    bytesField(3, Buffer.concat([numberField(1, text(key)), numberField(2, text(value))])),
  );
  const names = [...new Set(lines.flatMap((line) => line.slice(0, line.lastIndexOf(" ")).split(";")))];
  const id = new Map(names.map((name, i) => [name, i + 1]));
  const samples = lines.map((line) => {
    const at = line.lastIndexOf(" ");
    const stack = line.slice(0, at).split(";").reverse();
    return bytesField(
      2,
      Buffer.concat([
        ...stack.map((name) => numberField(1, id.get(name))),
        numberField(2, line.slice(at + 1)),
        ...ofSample,
      ]),
    );
  });
  const rows = names.flatMap((name) => {
    const frame = partsOf(name);
    const line = bytesField(4, Buffer.concat([numberField(1, id.get(name)), numberField(2, frame.line)]));
    const named = Buffer.concat([numberField(2, text(frame.name)), numberField(4, text(frame.file))]);
    return [
      bytesField(4, Buffer.concat([numberField(1, id.get(name)), line])),
      bytesField(5, Buffer.concat([numberField(1, id.get(name)), named])),
    ];
  });
  return Buffer.concat([
    bytesField(1, type),
    ...samples,
    ...rows,
    bytesField(11, type),
    numberField(12, 10_000_000),
    ...strings.map((string) => bytesField(6, string)),
  ]);
}

/** A pprof file of one sample of `main`, with a value in bytes of each kind; `chosen` is the kind that it asks to be shown by. */
export function writeKinds(values, chosen = "") {
  const strings = ["", "bytes", "main", ...Object.keys(values)];
  const kinds = Object.keys(values).map((kind) =>
    Buffer.concat([numberField(1, strings.indexOf(kind)), numberField(2, 1)]),
  );
  const amounts = Object.values(values).map((value) => numberField(2, value));
  return Buffer.concat([
    ...kinds.map((kind) => bytesField(1, kind)),
    bytesField(2, Buffer.concat([numberField(1, 1), ...amounts])),
    bytesField(4, Buffer.concat([numberField(1, 1), bytesField(4, numberField(1, 1))])),
    bytesField(5, Buffer.concat([numberField(1, 1), numberField(2, 2)])),
    ...strings.map((string) => bytesField(6, string)),
    numberField(14, strings.indexOf(chosen)),
  ]);
}

/** A pprof file of stacks of addresses without names, the root first, in one program. */
export function writeAddresses({ file, buildId, start, limit, offset }, stacks) {
  const strings = ["", "samples", "count", file, buildId];
  const type = Buffer.concat([numberField(1, 1), numberField(2, 2)]);
  const addresses = [...new Set(stacks.flatMap((stack) => stack.addresses))];
  const id = (address) => addresses.indexOf(address) + 1;
  const mapping = [1, start, limit, offset, 3, 4].map((value, field) => numberField(field + 1, value));
  return Buffer.concat([
    bytesField(1, type),
    ...stacks.map(({ addresses, value }) => {
      const stack = addresses.toReversed().map((address) => numberField(1, id(address)));
      return bytesField(2, Buffer.concat([...stack, numberField(2, value)]));
    }),
    bytesField(3, Buffer.concat(mapping)),
    ...addresses.map((address) =>
      bytesField(4, Buffer.concat([numberField(1, id(address)), numberField(2, 1), numberField(3, address)])),
    ),
    ...strings.map((string) => bytesField(6, string)),
  ]);
}

/** Of each address of a pprof file: its frames, the innermost first, with the last part of their file. */
export function linesOf(path) {
  let bytes = readFileSync(path);
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) bytes = gunzipSync(bytes);
  const all = [...fields(bytes)];
  const rows = (wanted) => all.filter(([field]) => field === wanted).map(([, row]) => [...fields(row)]);
  const one = (row, wanted) => Number(row.find(([field]) => field === wanted)?.[1] ?? 0n);
  const strings = all.filter(([field]) => field === 6).map(([, text]) => Buffer.from(text).toString("utf8"));
  const functions = new Map(
    rows(5).map((row) => [one(row, 1), { name: strings[one(row, 2)], file: strings[one(row, 4)].split("/").at(-1) }]),
  );
  const locations = rows(4).map((row) => {
    const lines = row.filter(([field]) => field === 4).map(([, line]) => [...fields(line)]);
    return [one(row, 3), lines.map((line) => ({ ...functions.get(one(line, 1)), line: one(line, 2) }))];
  });
  return new Map(locations);
}
