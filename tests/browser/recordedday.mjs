/**
 * A day written by real agents: what published agents of Go, Node and Python were recorded to push, sent again and again with
 * the times of a day. The bodies are the agents' own; only their times are ours.
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import { url } from "./page.mjs";
import { readPprof } from "./pprof.mjs";

const RECORDED = new URL("../../../shared/corpus/agents/", import.meta.url);
const AGENTS = ["go142", "node064", "py0816"];
/** So many requests are sent at once. */
const LANES = 8;

/** Whether the recordings are there. */
export const isRecorded = existsSync(RECORDED);

/** The requests to `/ingest` of an agent, in order. */
function requests(agent) {
  const folder = new URL(`${agent}/`, RECORDED);
  const heads = readdirSync(folder).filter((name) => name.endsWith(".head"));
  return heads.sort().map((name) => {
    const head = readFileSync(new URL(name, folder), "latin1");
    const [, path] = /^POST (\S+) /.exec(head);
    return {
      query: new URL(path, "http://agent").searchParams,
      contentType: /^content-type: (.*?)\r?$/im.exec(head)?.[1] ?? "",
      body: readFileSync(new URL(name.replace(/head$/, "body"), folder)),
    };
  });
}

/** Milliseconds of a `from` or `until`, which agents write in seconds or nanoseconds. */
const millis = (text) => (text.length > 12 ? Number(BigInt(text) / 1_000_000n) : Number(text) * 1_000);
const like = (text, time) => (text.length > 12 ? String(BigInt(time) * 1_000_000n) : String(Math.floor(time / 1_000)));

/** The same profile with another time: of a field that comes twice, the last counts. */
function timed(bytes, time) {
  const packed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const field = [9 << 3];
  for (let rest = BigInt(time) * 1_000_000n; ; rest >>= 7n) {
    field.push(Number(rest & 0x7fn) | (rest > 0x7fn ? 0x80 : 0));
    if (rest <= 0x7fn) break;
  }
  const whole = Buffer.concat([packed ? gunzipSync(bytes) : bytes, Buffer.from(field)]);
  return packed ? gzipSync(whole) : whole;
}

/** A request as of another time, for a service with another name; labels are for agents that send none. */
async function shifted({ query, contentType, body }, by, stamp, labels) {
  const moved = new URLSearchParams(query);
  const from = millis(query.get("from")) + by;
  moved.set("from", like(query.get("from"), from));
  moved.set("until", like(query.get("until"), millis(query.get("until")) + by));
  moved.set("name", query.get("name").replace(/^my\.(\w+)\.app/, `$1.${stamp}`) + labels);
  if (!contentType.startsWith("multipart/"))
    return { query: moved, body: timed(body, from), headers: { "content-type": contentType } };
  const form = await new Response(body, { headers: { "content-type": contentType } }).formData();
  const sent = new FormData();
  for (const [name, part] of form) {
    const bytes = Buffer.from(await part.arrayBuffer());
    sent.append(name, new Blob([name === "profile" ? timed(bytes, from) : bytes]), part.name);
  }
  return { query: moved, body: sent, headers: {} };
}

/**
 * Sends all of it, or what some agents recorded, once for each of these times, in milliseconds. Gives the services by the
 * language of their agents.
 */
export async function pushDay(times, stamp, { agents = AGENTS, labels = "" } = {}) {
  const all = agents.flatMap((agent) => requests(agent));
  // Of an agent that was recorded later, the first push is as early as those of the others.
  const begun = new Map();
  const language = ({ query }) => /^my\.(\w+)\.app/.exec(query.get("name"))[1];
  for (const request of all) {
    const from = millis(request.query.get("from"));
    begun.set(language(request), Math.min(from, begun.get(language(request)) ?? from));
  }
  const wanted = times.flatMap((time) => all.map((request) => ({ request, by: time - begun.get(language(request)) })));
  const lane = async () => {
    for (let next = wanted.shift(); next; next = wanted.shift()) {
      const { query, body, headers } = await shifted(next.request, next.by, stamp, labels);
      const answer = await fetch(`${url}/ingest?${query}`, { method: "POST", body, headers });
      assert.equal(answer.status, 200, await answer.text());
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return Object.fromEntries([...begun.keys()].map((name) => [name, `${name}.${stamp}`]));
}

/** What Node's agent recorded of one type, added up: what each time of a day has. */
export function recordedOfNode(type) {
  const folder = new URL("node064/", RECORDED);
  const bodies = readdirSync(folder).filter((name) => name.endsWith(".body"));
  const profiles = bodies.map((name) => readPprof(new URL(name, folder)));
  const sums = profiles.map(({ types, samples }) => {
    const column = types.findIndex((one) => one.type === type);
    return column < 0 ? 0 : samples.reduce((sum, { values }) => sum + values[column], 0);
  });
  return sums.reduce((sum, one) => sum + one, 0);
}
