/**
 * The same questions to a worker and to the pages over a copy of its bucket on a static host: the answers are the same, byte
 * for byte, before and after compaction.
 */
import assert from "node:assert/strict";
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import { startWorker } from "./local.mjs";
import { launch, own } from "./page.mjs";
import { serve } from "./statichost.mjs";

const PREFIX = "/profiles/";
const SITE = fileURLToPath(new URL("../../site/dist", import.meta.url));
const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];
/** Profiles arrive on two days that are over. */
const FIRST = (Math.floor(Date.now() / DAY) - 3) * DAY;
const SECOND_DAY = FIRST + DAY;
/** So many runs in which no object came or went mean that nothing is due; a sweep is such a run, too. */
const QUIET_RUNS = 5;
/** More runs than there are jobs. */
const MOST_RUNS = 80;

const CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
const SAMPLES = "process_cpu:samples:count:cpu:nanoseconds";

let worker;
let host;
let browser;
/** What is served. */
let folder = own("bucket-before");
let sendsParts = true;

before(async () => {
  worker = await startWorker(own("bucket-worker"), { FLUSH_MS: "50", TENANT_SHARDS: "2" });
  host = await serve(
    () => folder,
    PREFIX,
    0,
    () => sendsParts,
  );
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await host?.close();
  await worker?.close();
});

/** A profile of the demo with another time. */
function pprofAt(file, millis) {
  const time = [(9 << 3) | 0];
  for (let left = BigInt(millis) * 1_000_000n; ; left >>= 7n) {
    time.push(Number(left & 127n) | (left > 127n ? 128 : 0));
    if (left <= 127n) break;
  }
  // Of a field that comes twice the last counts.
  return gzipSync(Buffer.concat([gunzipSync(readFileSync(own(file))), Buffer.from(time)]));
}

/** What several services push in two minutes: at moments of their own, some with labels that change. */
function pushesOf(minute, at) {
  const folded = (name, stacks) => ({
    name,
    format: "folded",
    millis: at + (7 + stacks.length) * SECOND,
    body: stacks,
  });
  const stacks = (...words) =>
    words.map((word, i) => `main;${word};step_${minute % 7} ${1 + ((minute * 7 + i) % 90)}\n`);
  const version = minute % 120 < 70 ? "1.8.2" : "1.9.0";
  const region = minute % 4 ? "eu" : "us";
  const pushes = [
    {
      name: `checkout{region=${region},version=${version}}`,
      format: "pprof",
      millis: at + 13_571,
      body: pprofAt(`checkout-${version}.pb.gz`, at + 13_571),
    },
    folded(`mail{host=m-${minute % 3}}`, stacks("read", "parse", "send").join("")),
    folded("mail.alloc_space", stacks("read;allocate", "send").join("")),
  ];
  if (minute % 3 === 0) pushes.push(folded("mail.alloc_objects", stacks("read;allocate").join("")));
  if (minute % 4 === 0) pushes.push(folded("search.mutex_duration{zone=a b}", stacks("lock").join("")));
  if (minute % 30 < 9) pushes.push(folded("búsqueda{zone=c}", stacks("find", "sort").join("")));
  return pushes;
}

/** Sets the clock to the end of a range and pushes what happened within it. */
async function pushHistory(from, until) {
  await worker.setClock(until);
  const queue = [];
  for (let at = from; at < until; at += 2 * MINUTE) queue.push(...pushesOf((at - FIRST) / MINUTE, at));
  const moments = queue.values();
  const push = async () => {
    for (const { name, format, millis, body } of moments) {
      const seconds = String(Math.floor(millis / SECOND));
      const query = new URLSearchParams({ name, format, from: seconds, until: seconds });
      const answer = await fetch(`${worker.url}/ingest?${query}`, { method: "POST", body });
      assert.equal(answer.status, 200, `${name}: ${await answer.text()}`);
    }
  };
  await Promise.all(Array.from({ length: 16 }, push));
}

function questions() {
  const all = { from: FIRST - 8 * DAY, until: FIRST + 4 * DAY };
  const first = { from: FIRST + 9 * HOUR, until: FIRST + 12 * HOUR };
  const day = { from: FIRST, until: FIRST + DAY };
  const cut = { from: FIRST + 9 * HOUR + 17 * MINUTE + 8_123, until: FIRST + 11 * HOUR + 41 * MINUTE + 14_001 };
  const late = { from: SECOND_DAY + 9 * HOUR + 30_000, until: SECOND_DAY + 10 * HOUR };
  const seconds = { from: FIRST + 10 * HOUR + 13_000, until: FIRST + 10 * HOUR + 13_572 };
  const nothing = { from: FIRST + 20 * HOUR, until: FIRST + 21 * HOUR };
  const before = { from: FIRST - 5 * DAY, until: FIRST - 4 * DAY };
  const ranges = [all, first, day, cut, late, seconds, nothing, before];
  const MEMORY = "memory:alloc_space:bytes::";
  const selected = [
    `${CPU}{service_name="checkout"}`,
    `${SAMPLES}{service_name="checkout"}`,
    `${CPU}{service_name="mail"}`,
    `${MEMORY}{service_name="mail"}`,
    `memory:alloc_objects:count::{service_name="mail"}`,
    `mutex:delay:nanoseconds::{service_name="search"}`,
    `${CPU}{service_name="búsqueda"}`,
    `${CPU}{service_name="checkout",region="eu"}`,
    `${CPU}{service_name="checkout",region!="eu",version="1.9.0"}`,
    `${CPU}{service_name=~"check.*|mail"}`,
    `${CPU}{service_name="mail",host!~"m-[01]"}`,
    `${CPU}{}`,
    `${CPU}{service_name="nobody"}`,
  ];
  const asked = [];
  for (const range of ranges) {
    asked.push({ ask: "services", ...range, points: 60 });
    asked.push({ ask: "labels", query: "", ...range });
  }
  asked.push({ ask: "services", ...day, points: 1 }, { ask: "services", ...cut, points: 4000 });
  for (const query of ['{service_name="checkout"}', '{service_name=~".*a.*",host!="m-1"}', '{zone!=""}'])
    asked.push({ ask: "labels", query, ...first });
  for (const [i, query] of selected.entries()) {
    // Each over all and a cut range, and over one more in turn.
    for (const range of [all, cut, ranges[i % ranges.length]]) asked.push({ ask: "profile", query, ...range });
    asked.push({ ask: "timeline", query, ...(i % 2 ? day : cut), points: [60, 500, 7][i % 3] });
  }
  asked.push({ ask: "timeline", query: selected[0], ...seconds, points: 100 });
  for (const range of [late, day, nothing]) asked.push({ ask: "profile", query: selected[0], ...range });
  return asked;
}

/** Of profiles also what stands beside the bytes. */
async function answerOfWorker({ ask, ...parameters }) {
  const response = await worker.get(`/api/v1/${ask}?${new URLSearchParams(parameters)}`);
  const bytes = Buffer.from(await response.arrayBuffer()).toString("base64");
  if (ask !== "profile") return { bytes };
  const header = (name) => response.headers.get(`x-pilotlight-${name}`);
  return {
    bytes,
    profiles: Number(header("profiles")),
    rounded: header("rounded") === "true",
    saturated: header("saturated") === "true",
  };
}

/** A page of the static host, and the reader of buckets that it has. */
async function openReader() {
  const page = await (await browser.newContext()).newPage();
  const address = `http://127.0.0.1:${host.port}${PREFIX}`;
  await page.goto(address);
  const script = readdirSync(join(SITE, "assets")).find((name) => /^bucketreader-.*\.js$/.test(name));
  await page.evaluate((script) => {
    const reader = new Worker(script, { type: "module" });
    let last = 0;
    window.askBucket = (place, question) =>
      new Promise((resolve, reject) => {
        const id = ++last;
        const hear = ({ data }) => {
          if (data.id !== id || "progress" in data) return;
          reader.removeEventListener("message", hear);
          if (!("answer" in data)) return reject(new Error(JSON.stringify(data)));
          const { bytes, ...rest } = data.answer;
          resolve({ ...rest, bytes: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")) });
        };
        reader.addEventListener("message", hear);
        reader.onerror = ({ message }) => reject(new Error(message));
        reader.postMessage({ id, place, question });
      });
  }, `${address}assets/${script}`);
  const place = `${address}t/anonymous/`;
  return {
    ask: (question) => page.evaluate(([place, question]) => window.askBucket(place, question), [place, question]),
    close: () => page.context().close(),
  };
}

/** Text of an answer as far as it is text. */
const shown = (answer) => ({ ...answer, bytes: Buffer.from(answer.bytes, "base64").toString("latin1").slice(0, 2000) });

/** Asks everything in a reader, and holds it to the worker's answers. */
async function check(reader, expected) {
  let found = 0;
  for (const [question, answer] of expected) {
    const { bytes, profiles, rounded, saturated, withoutRanges } = await reader.ask(question);
    const same = question.ask === "profile" ? { bytes, profiles, rounded, saturated } : { bytes };
    if (bytes !== answer.bytes) assert.deepEqual(shown(same), shown(answer), JSON.stringify(question));
    assert.deepEqual(same, answer, JSON.stringify(question));
    if (question.ask === "profile" && profiles > 0) assert.equal(withoutRanges, !sendsParts);
    found += bytes.length > 0;
  }
  return found;
}

async function answersOfWorker() {
  const answers = [];
  for (const question of questions()) answers.push([question, await answerOfWorker(question)]);
  return answers;
}

async function copyTo(name) {
  folder = own(name);
  const keys = await worker.copy(folder);
  cpSync(SITE, folder, { recursive: true });
  return keys;
}

const levelsOf = (keys) => ["l0", "l1", "l2", "l3"].filter((level) => keys.some((key) => key.includes(`/${level}/`)));

test("the pages answer from a bucket what its worker answers, byte for byte", async (t) => {
  assert.ok(questions().length >= 50);
  const run = async (times) => {
    for (let i = 0; i < times; i++) await worker.runSchedule();
  };
  await pushHistory(FIRST + 9 * HOUR, FIRST + 9.5 * HOUR);
  // A first block of an hour that gets more.
  await run(2);
  await pushHistory(FIRST + 9.5 * HOUR, FIRST + 9.9 * HOUR);
  await pushHistory(FIRST + 10 * HOUR, FIRST + 11 * HOUR);
  await pushHistory(FIRST + 11 * HOUR, FIRST + 12 * HOUR);
  await pushHistory(SECOND_DAY + 8 * HOUR, SECOND_DAY + 10 * HOUR);
  // A run ends with the first job; each shard publishes its catalog before it has one.
  await run(2);
  const before = await copyTo("bucket-before");
  for (const shard of ["s0", "s1"]) {
    const days = before.filter((key) => key.startsWith(`t/anonymous/${shard}/catalog/`));
    assert.equal(days.length, 2, `days of ${shard}`);
  }
  const expected = await answersOfWorker();
  // Reads the catalog and no object.
  const stale = await openReader();
  await stale.ask(questions().find(({ ask }) => ask === "labels"));
  await t.test("before compaction", async () => {
    const reader = await openReader();
    const found = await check(reader, expected);
    assert.ok(found > 40, `${found} answers say something`);
    await reader.close();
  });
  await t.test("before compaction, from a host without ranges", async () => {
    sendsParts = false;
    const reader = await openReader();
    await check(reader, expected);
    await reader.close();
    sendsParts = true;
  });

  // Compaction takes an hour or a day when it is over; half an hour later the catalog is published, and after ten minutes
  // more what was replaced goes.
  await worker.setClock(SECOND_DAY + DAY + HOUR);
  let [last, quiet, runs] = ["", 0, 0];
  while (quiet < QUIET_RUNS) {
    await worker.runSchedule();
    const now = (await worker.objects()).join();
    quiet = now === last ? quiet + 1 : 0;
    last = now;
    assert.ok(++runs < MOST_RUNS, "compaction comes to no end");
  }
  for (const later of [40, 80]) {
    await worker.setClock(SECOND_DAY + DAY + HOUR + later * MINUTE);
    await run(3);
  }
  const after = await copyTo("bucket-after");
  t.diagnostic(`${questions().length} questions, ${before.length} objects, ${after.length} after ${runs} runs`);
  assert.deepEqual(levelsOf(before), ["l0", "l1"]);
  // An hour with one block of level 1 has no other.
  assert.deepEqual(levelsOf(after), ["l1", "l2", "l3"]);

  // Labels are those of datasets that touch the range, and a block's are longer than a segment's.
  const compacted = await answersOfWorker();
  await t.test("the worker's own answers are the same as before", () => {
    for (const [i, [question, answer]] of compacted.entries()) {
      if (question.ask === "labels") continue;
      assert.deepEqual(answer, expected[i][1], JSON.stringify(question));
    }
  });
  await t.test("a page that was open meanwhile looks for what is gone and reads the catalog again", async () => {
    host.asked.length = 0;
    await check(stale, compacted);
    const gone = before.filter((key) => !after.includes(key)).map((key) => PREFIX + key);
    assert.ok(host.asked.some((path) => gone.includes(path)));
    await stale.close();
  });
  for (const ranges of [true, false]) {
    await t.test(`after compaction, from a host ${ranges ? "with" : "without"} ranges`, async () => {
      sendsParts = ranges;
      const reader = await openReader();
      await check(reader, compacted);
      await reader.close();
    });
  }
});
