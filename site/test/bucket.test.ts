import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { Catalog } from "../src/bucket/catalog.ts";
import type { Bundle } from "../src/bucket/description.ts";
import { Changed, Gone, Host, type Part } from "../src/bucket/host.ts";
import { bucketNotes } from "../src/bucket/notes.ts";
import { placeOf } from "../src/bucket/objectplace.ts";
import type { Answer as Answered } from "../src/bucket/protocol.ts";
import { notePublished } from "../src/bucket/published.ts";
import { afresh } from "../src/bucket/reading.ts";
import { FileError } from "../src/files/source.ts";
import { madeText } from "../src/format/made.ts";
import { common, lacking } from "../src/state/query/common.ts";

const OBJECTS = "https://bucket.test/a/";
const TENANT = { objects: OBJECTS };
const DAY = 86_400_000;
const OBJECT = Uint8Array.from({ length: 100 }, (_, i) => i);
/** What a bundle says that says nothing. */
const NOTHING = {
  selector: undefined,
  from: undefined,
  until: undefined,
  commit: undefined,
  when: undefined,
  files: undefined,
  incomplete: false,
};
const { fetch: real } = globalThis;
const never = new AbortController().signal;
afterEach(() => {
  globalThis.fetch = real;
});

type Answer = { status?: number; body?: Uint8Array<ArrayBuffer> | string; headers?: Record<string, string> };
/** Answers by the name of the object and the range; notes what was asked for. */
function answers(answer: (key: string, range: string | null) => Answer): string[] {
  const asked: string[] = [];
  globalThis.fetch = async (input, init) => {
    const key = decodeURIComponent(String(input).slice(OBJECTS.length));
    const range = new Headers(init?.headers).get("range");
    asked.push(range ? `${key} ${range}` : key);
    const { status = 200, body = "", headers = {} } = answer(key, range);
    return new Response(body, { status, headers });
  };
  return asked;
}

const part = (offset: number, length: number): Part => ({ key: "t/x/s0/l1/5.blk", offset, length, size: 100 });
const ranged = (key: string, range: string | null): Answer => {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? assert.fail(`${key} was read whole`);
  const headers = { "content-range": `bytes ${first}-${last}/100` };
  return { status: 206, body: OBJECT.slice(Number(first), Number(last) + 1), headers };
};

test("parts are read with ranges", async () => {
  const asked = answers(ranged);
  const host = new Host(TENANT);
  assert.deepEqual([...(await host.read(part(10, 3), never))], [10, 11, 12]);
  assert.deepEqual(asked, ["t/x/s0/l1/5.blk bytes=10-12"]);
  assert.equal(host.withoutRanges, false);
});

test("of a host without ranges each object is read once, whole", async () => {
  const asked = answers(() => ({ body: OBJECT }));
  const host = new Host(TENANT);
  assert.deepEqual([...(await host.read(part(10, 2), never))], [10, 11]);
  assert.deepEqual([...(await host.read(part(98, 2), never))], [98, 99]);
  assert.equal(asked.length, 1);
  assert.ok(host.withoutRanges);
  const large = { ...part(0, 5), key: "large", size: 1 << 30 };
  await assert.rejects(host.read(large, never), /doesn't support range requests/);
});

test("an object that is another, cut off, gone or forbidden is never read", async () => {
  const read = (answer: Answer) => {
    answers(() => answer);
    return new Host(TENANT).read(part(10, 3), never);
  };
  const total = { "content-range": "bytes 10-12/90" };
  await assert.rejects(
    read({ status: 206, body: OBJECT.slice(0, 3), headers: total }),
    /doesn't match its catalog entry/,
  );
  await assert.rejects(read({ status: 206, body: OBJECT.slice(0, 2) }), /incomplete/);
  await assert.rejects(read({ body: OBJECT.slice(0, 90) }), /doesn't match its catalog entry/);
  await assert.rejects(read({ status: 416 }), /incomplete/);
  await assert.rejects(read({ status: 404 }), Gone);
  await assert.rejects(read({ status: 403 }), Gone);
  await assert.rejects(read({ status: 503 }), /returned 503/);
  globalThis.fetch = async () => Promise.reject(new TypeError("Failed to fetch"));
  await assert.rejects(new Host(TENANT).read(part(1, 1), never), (failure: FileError) => {
    assert.ok(failure instanceof FileError && failure.tries.some((text) => text.includes("CORS")));
    return true;
  });
});

test("parts of one object at the same time are one request to a host without ranges", async () => {
  const asked = answers(() => ({ body: OBJECT }));
  const host = new Host(TENANT);
  const offsets = [0, 10, 20, 30, 40, 50];
  const read = await Promise.all(offsets.map((offset) => host.read(part(offset, 1), never)));
  assert.deepEqual(
    read.map(([first]) => first),
    offsets,
  );
  assert.equal(asked.length, 1);
  // Those that waited for one that was given up ask for themselves, again once.
  const stop = new AbortController();
  globalThis.fetch = (_, init) =>
    new Promise((resolve, reject) => {
      init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
      if (init?.signal === never) setTimeout(() => resolve(new Response(OBJECT)));
    });
  const fresh = new Host(TENANT);
  const given = fresh.read(part(5, 1), stop.signal);
  const waiting = [1, 2].map((offset) => fresh.read(part(offset, 1), never));
  stop.abort();
  await assert.rejects(given, { name: "AbortError" });
  assert.deepEqual(
    (await Promise.all(waiting)).flatMap((bytes) => [...bytes]),
    [1, 2],
  );
  assert.equal(fresh.requests, 2);
});

test("of a host with ranges each part is a request", async () => {
  const asked = answers(ranged);
  const host = new Host(TENANT);
  const offsets = [0, 10, 20, 99];
  const read = await Promise.all(offsets.map((offset) => host.read(part(offset, 1), never)));
  assert.deepEqual(
    read.map(([first]) => first),
    offsets,
  );
  assert.equal(asked.length, 4);
});

test("a bundle that replaces another at its address is read, not what the browser keeps of the other", async () => {
  const seen: string[] = [];
  globalThis.fetch = async (input, init) => {
    seen.push(`${String(input).slice(OBJECTS.length)} ${init?.cache}`);
    return new Response(OBJECT);
  };
  for (const digest of ["a1", "b2", ""]) {
    const host = new Host({ objects: OBJECTS, digest });
    await host.whole("t/x/s0/catalog/00001");
    await host.read(part(0, 1), never);
  }
  assert.deepEqual(seen, [
    "t/x/s0/catalog/00001?a1 no-cache",
    "t/x/s0/l1/5.blk?a1 force-cache",
    "t/x/s0/catalog/00001?b2 no-cache",
    "t/x/s0/l1/5.blk?b2 force-cache",
    "t/x/s0/catalog/00001 no-cache",
    "t/x/s0/l1/5.blk no-cache",
  ]);
  // While a page is open: an object that was kept is not that of another catalog, and the bundle is opened anew.
  const larger = Uint8Array.from({ length: 120 }, (_, i) => 200 - i);
  const host = new Host(TENANT);
  answers(() => ({ body: OBJECT }));
  await host.read(part(0, 1), never);
  answers(() => ({ body: larger }));
  assert.deepEqual([...(await host.read({ ...part(0, 1), size: 120 }, never))], [200]);
  let opened = 1;
  const attempt = () => host.read({ ...part(0, 1), size: opened === 1 ? 90 : 120 }, never);
  assert.deepEqual([...(await afresh(attempt, () => opened++))], [200]);
  await assert.rejects(
    afresh(() => host.read({ ...part(0, 1), size: 90 }, never)),
    Changed,
  );
});

test("a page in place of what is not there is nothing", async () => {
  const page = { body: "<!doctype html>", headers: { "content-type": "text/html; charset=utf-8" } };
  answers(() => page);
  await assert.rejects(new Host(TENANT).read(part(10, 3), never), Gone);
  await assert.rejects(new Host(TENANT).whole("t/x/s0/catalog/00001"), Gone);
  await assert.rejects(placeOf(new URL("https://host.test/b/bundle.json")), /No bundle found/);
});

test("a catalog that a bundle names and that is missing is told of; one that is there is read once", async (t) => {
  const name = "t/x/s0/catalog/1";
  const bundle: Bundle = { objects: OBJECTS, catalog: [name], digest: "a1", made: NOTHING };
  for (const status of [404, 403]) {
    answers(() => ({ status }));
    const catalog = new Catalog(bundle, new Host(bundle), () => assert.fail("it was taken"));
    await assert.rejects(
      afresh(() => catalog.cover(0)),
      (failure: FileError) => /missing from the bucket/.test(failure.message) && failure.tries.includes(name),
    );
  }
  const asked = answers(() => ({ body: "day" }));
  t.mock.timers.enable({ apis: ["Date"], now: 0 });
  const catalog = new Catalog(bundle, new Host(bundle), () => 1);
  await catalog.cover(0);
  t.mock.timers.tick(DAY);
  await catalog.cover(0);
  assert.equal(asked.length, 1);
});

test("a bucket that forbids all of a catalog is told of, one that forbids what is not there is not", async () => {
  const today = Math.floor(Date.now() / DAY);
  const open = (there: string[]) => {
    answers((key) => (there.includes(key) ? { body: "day" } : { status: 403 }));
    return new Catalog({ objects: OBJECTS, tenant: "x" }, new Host(TENANT), () => 1).cover(today * DAY);
  };
  await assert.rejects(open([]), /doesn't allow this page to read it/);
  await open([`t/x/s0/catalog/${today}`]);
});

/** A tenant's catalog over what a host has, and the names of the days that were taken. */
function catalogOf(there: string[]): { catalog: Catalog; taken: string[]; asked: string[] } {
  const asked = answers((key) => (there.includes(key) ? { body: key } : { status: 404 }));
  const taken: string[] = [];
  const catalog = new Catalog({ objects: OBJECTS, tenant: "x" }, new Host(TENANT), (name, bytes) => {
    assert.equal(new TextDecoder().decode(bytes), name);
    return taken.push(name);
  });
  return { catalog, taken, asked };
}

test("a tenant's catalog is looked for day by day, shard by shard", async () => {
  const today = Math.floor(Date.now() / DAY);
  const there = [`t/x/s0/catalog/${today}`, `t/x/s0/catalog/${today - 2}`, `t/x/s1/catalog/${today}`];
  const { catalog, taken, asked } = catalogOf(there);
  // Questions at the same time share what they ask for.
  await Promise.all([catalog.cover((today - 1) * DAY + 5), catalog.cover((today - 1) * DAY + 5)]);
  assert.deepEqual(taken.sort(), there.sort());
  // Three days of two shards; of the third the two that are the newest.
  assert.equal(asked.length, 3 + 3 + 2);
  await catalog.cover(today * DAY);
  assert.equal(asked.length, 8);
  assert.equal(catalog.written, 3);
  await assert.rejects(catalog.cover(0), /too long/);
});

test("only today and yesterday are asked for again, after a minute", async (t) => {
  const today = Math.floor(Date.now() / DAY);
  const there = [0, 1, 2, 3].map((ago) => `t/x/s0/catalog/${today - ago}`);
  t.mock.timers.enable({ apis: ["Date"], now: today * DAY + 1000 });
  const { catalog, asked } = catalogOf(there);
  await catalog.cover((today - 2) * DAY);
  const first = asked.length;
  t.mock.timers.tick(59_000);
  await catalog.cover((today - 2) * DAY);
  assert.equal(asked.length, first);
  t.mock.timers.tick(2_000);
  await catalog.cover((today - 2) * DAY);
  const again = asked.slice(first).sort();
  assert.deepEqual(
    again,
    [1, 0].flatMap((ago) => [`t/x/s0/catalog/${today - ago}`, `t/x/s1/catalog/${today - ago}`]).sort(),
  );
});

test("a day that was not over when it was read is asked for again on later days", async (t) => {
  const today = Math.floor(Date.now() / DAY);
  const name = (day: number) => `t/x/s0/catalog/${day}`;
  const there = [name(today - 1), name(today)];
  t.mock.timers.enable({ apis: ["Date"], now: today * DAY + DAY / 2 });
  const { catalog, asked, taken } = catalogOf(there);
  const from = (today - 2) * DAY;
  await catalog.cover(from);
  t.mock.timers.tick(2 * DAY);
  // Today, as it was called then, and what there was none of.
  there.push(name(today + 1));
  const first = asked.length;
  await catalog.cover(from);
  const again = asked.slice(first).filter((key) => key.startsWith("t/x/s0/"));
  assert.deepEqual(again.sort(), [today - 1, today, today + 1, today + 2].map(name).sort());
  assert.ok(taken.includes(name(today + 1)));
  // By now only the last two may have changed.
  t.mock.timers.tick(61_000);
  const second = asked.length;
  await catalog.cover(from);
  const third = asked.slice(second).filter((key) => key.startsWith("t/x/s0/"));
  assert.deepEqual(third.sort(), [today + 1, today + 2].map(name).sort());
});

test("a day that did not come is asked for again", async () => {
  const today = Math.floor(Date.now() / DAY);
  const { catalog, asked } = catalogOf([]);
  const real = globalThis.fetch;
  globalThis.fetch = async () => Promise.reject(new TypeError("Failed to fetch"));
  await assert.rejects(catalog.cover(today * DAY), /did not answer/);
  globalThis.fetch = real;
  await catalog.cover(today * DAY);
  assert.equal(asked.length, 2);
});

test("a bundle says itself what it has", async () => {
  const describe = (text: string) => {
    globalThis.fetch = async () => new Response(text);
    return placeOf(new URL("https://host.test/b/bundle.json"));
  };
  assert.deepEqual(await describe('{"version":1,"catalog":["t/x/s0/catalog/1"]}'), {
    objects: "https://host.test/b/",
    catalog: ["t/x/s0/catalog/1"],
    digest: "",
    made: NOTHING,
  });
  const { made } = (await describe(
    '{"version":1,"catalog":[],"digest":7,"made":{"selector":3,"from":1,"until":-2,"commit":"ab","when":"soon","files":1e99,"incomplete":true}}',
  )) as Bundle;
  assert.deepEqual(made, { ...NOTHING, from: 1, commit: "ab", incomplete: true });
  await assert.rejects(describe('{"version":2,"catalog":[]}'), /has version 2/);
  await assert.rejects(describe('{"catalog":[1]}'), /does not describe a bundle/);
  await assert.rejects(describe("<html>"), /does not describe a bundle/);
  const tenant = await placeOf(new URL("https://host.test/p/t/my%20team/"));
  assert.deepEqual(tenant, { objects: "https://host.test/p/", tenant: "my team" });
  await assert.rejects(placeOf(new URL("https://host.test/p/")), /not the address of a Pilotlight bucket/);
  await assert.rejects(placeOf(new URL("https://host.test/p/t/%ZZ/")), /not the address of a Pilotlight bucket/);
});

test("an answer says when its catalog is old, where that matters, and that its host has no ranges", () => {
  const MINUTE = 60_000;
  const notes = (written: number, until: number, now: number, withoutRanges = false) => {
    notePublished("there", written);
    return bucketNotes("there", { withoutRanges } as Answered, until * MINUTE, now * MINUTE).length;
  };
  assert.equal(notes(0, 1000, 1000), 0, "a bundle");
  assert.equal(notes(900 * MINUTE, 1000, 1000), 1);
  assert.equal(notes(900 * MINUTE, 905, 1000), 0, "the range ends before");
  assert.equal(notes(995 * MINUTE, 1000, 1000), 0, "a fresh one");
  assert.equal(notes(965 * MINUTE, 1000, 1000), 0, "one that is published every half hour");
  assert.equal(notes(995 * MINUTE, 2000, 1000), 0, "a range that goes on into the future");
  assert.equal(notes(900 * MINUTE, 1000, 1000, true), 2);
  assert.match(bucketNotes("elsewhere", { withoutRanges: true } as Answered, 1, 1)[0], /whole objects were read/);
});

test("what a bundle is made of is a line, of what it says", () => {
  const bundle = (made: object, digest = "1f2e3d4c5b6a7988") =>
    madeText({ objects: "", catalog: [], digest, made: { ...NOTHING, ...made } });
  const day = Date.UTC(2026, 10, 1);
  const all = { selector: '{service_name="a"}', from: day, until: day + 2 * DAY, commit: "abc", files: 1, when: day };
  assert.equal(
    bundle(all),
    'Bundle 1f2e3d4c… · {service_name="a"} · 2026-11-01 to 2026-11-02 UTC · 1 file · commit abc · exported 2026-11-01 00:00 UTC',
  );
  assert.equal(bundle({ from: day, until: day + DAY / 2 }), "Bundle 1f2e3d4c… · 2026-11-01 00:00 to 12:00 UTC");
  assert.equal(bundle({ from: day, until: day + 1 }), "Bundle 1f2e3d4c… · 2026-11-01 00:00 UTC");
  assert.equal(bundle({}, ""), "Bundle");
  assert.match(bundle({ incomplete: true }), /· incomplete: some profiles in this range had expired$/);
  assert.equal(madeText({ objects: "", tenant: "x" }), "");
});

test("of two places what both have is offered, and what one lacks is said", () => {
  const [cpu, heap] = ["process_cpu:cpu:nanoseconds:cpu:nanoseconds", "memory:inuse_space:bytes:space:bytes"];
  const first = [
    { name: "a", types: [cpu] },
    { name: "b", types: [cpu, heap] },
  ];
  const second = [
    { name: "b", types: [heap] },
    { name: "c", types: [cpu] },
  ];
  assert.deepEqual(common(first, second), [{ name: "b", types: [heap] }]);
  assert.deepEqual(
    common(first, [{ name: "c", types: [cpu] }]).map(({ name }) => name),
    ["a", "b", "c"],
  );
  assert.equal(lacking("run-2", second, "b", heap), "");
  assert.equal(lacking("run-2", second, "a", cpu), "run-2 has no service a in this range. It has b, c.");
  assert.match(lacking("run-2", second, "b", cpu), /^b has no profiles of this type in run-2\. It has /);
  assert.match(lacking("run-2", [], "b", cpu), /no profiles in this range/);
});
