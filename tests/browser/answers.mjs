/** The server's answers as trees: what pages are held to. Read by other code than the site's or the core's. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { url } from "./page.mjs";

/** Pushes a file, or its bytes, as a service of its own; `seconds` count where the profile states no time. */
export async function push(name, profile, seconds) {
  const query = new URLSearchParams({ name, format: "pprof", from: String(seconds), until: String(seconds + 10) });
  const body = typeof profile === "string" ? readFileSync(profile) : profile;
  const answer = await fetch(`${url}/ingest?${query}`, { method: "POST", body });
  assert.equal(answer.status, 200, `${name}: ${await answer.text()}`);
}

/** Pushes folded stacks, of which each sample is a hundredth of a second. */
/** Pushes stacks of `length` seconds. */
export async function pushStacks(name, stacks, seconds, length = 10) {
  const until = String(seconds + length);
  const query = new URLSearchParams({ name, format: "groups", from: String(seconds), until });
  const answer = await fetch(`${url}/ingest?${query}`, { method: "POST", body: stacks });
  assert.equal(answer.status, 200, `${name}: ${await answer.text()}`);
}

export async function ask(call, message) {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${url}/querier.v1.QuerierService/${call}`, {
    method: "POST",
    headers,
    body: JSON.stringify(message),
  });
  assert.equal(answer.status, 200, `${call}: ${answer.status}`);
  return answer.json();
}

/** Ids of the profile types that a service has. */
export async function typesOf(service, { from, until }) {
  const found = [];
  const { profileTypes = [] } = await ask("ProfileTypes", { start: from, end: until });
  for (const { ID } of profileTypes) if ((await tree(service, ID, { from, until })).total > 0) found.push(ID);
  return found;
}

/** The call tree of a service and type over a range in milliseconds, with nothing folded. */
export async function tree(service, type, { from, until }) {
  const query = new URLSearchParams({
    query: `${type}{service_name="${service}"}`,
    from: String(from),
    until: String(until),
    "max-nodes": "1000000",
  });
  const answer = await fetch(`${url}/pyroscope/render?${query}`);
  assert.equal(answer.status, 200, await answer.clone().text());
  assert.equal(answer.headers.get("x-pilotlight-folded") ?? "0", "0", "nothing is folded");
  const { flamebearer } = await answer.json();
  return unfold(flamebearer);
}

/** Levels of `offset, total, self, name`, where offsets count from the end of the box before. */
function unfold({ names, levels }) {
  let above = [];
  let root = { name: "total", depth: 0, total: 0, self: 0, children: new Map() };
  for (const [depth, level] of levels.entries()) {
    const boxes = [];
    let x = 0;
    let under = 0;
    for (let i = 0; i < level.length; i += 4) {
      x += level[i];
      const node = { name: names[level[i + 3]], depth, total: level[i + 1], self: level[i + 2], children: new Map() };
      if (depth === 0) root = node;
      else {
        while (above[under].x + above[under].node.total <= x) under++;
        above[under].node.children.set(node.name, node);
      }
      boxes.push({ x, node });
      x += node.total;
    }
    above = boxes;
  }
  return root;
}

/** One tree of two: of each node what it has on either side, and both together as its total and self. */
export function both(left, right) {
  const depth = (left ?? right).depth;
  const names = new Set([...(left?.children.keys() ?? []), ...(right?.children.keys() ?? [])]);
  return {
    name: (left ?? right).name,
    depth,
    total: (left?.total ?? 0) + (right?.total ?? 0),
    self: (left?.self ?? 0) + (right?.self ?? 0),
    sides: [left, right].map((side) => ({ total: side?.total ?? 0, self: side?.self ?? 0 })),
    children: new Map([...names].map((name) => [name, both(left?.children.get(name), right?.children.get(name))])),
  };
}

export function walk(root, visit, path = []) {
  visit(root, path);
  for (const child of root.children.values()) walk(child, visit, [...path, root]);
}

/** Of each function: self, total with recursion counted once, both sides of these in a comparison, and how often it occurs. */
export function functions(root) {
  const found = new Map();
  walk(root, (node, path) => {
    if (node === root) return;
    const zero = () => ({ total: 0, self: 0 });
    const row = found.get(node.name) ?? { name: node.name, ...zero(), sides: [zero(), zero()], count: 0 };
    const outermost = !path.slice(1).some(({ name }) => name === node.name);
    row.count++;
    row.self += node.self;
    if (outermost) row.total += node.total;
    for (const [i, side] of (node.sides ?? []).entries()) {
      row.sides[i].self += side.self;
      if (outermost) row.sides[i].total += side.total;
    }
    found.set(node.name, row);
  });
  return found;
}

export function size(root) {
  let count = 0;
  walk(root, () => count++);
  return count;
}
