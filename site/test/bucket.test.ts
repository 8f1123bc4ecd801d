import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { Catalog } from "../src/bucket/catalog.ts";
import type { Bundle } from "../src/bucket/description.ts";
import { Gone, Host, type Part } from "../src/bucket/host.ts";
import { bucketNotes } from "../src/bucket/notes.ts";
import { placeOf } from "../src/bucket/place.ts";
import type { Answer as Answered } from "../src/bucket/protocol.ts";
import { FileError } from "../src/files/source.ts";
import { madeText } from "../src/format/made.ts";
import { common, lacking } from "../src/state/query/common.ts";

const OBJECTS = "https://bucket.test/a/";
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
  const host = new Host(OBJECTS);
  assert.deepEqual([...(await host.read(part(10, 3), never))], [10, 11, 12]);
  assert.deepEqual(asked, ["t/x/s0/l1/5.blk bytes=10-12"]);
  assert.equal(host.withoutRanges, false);
});

test("of a host without ranges each object is read once, whole", async () => {
  const asked = answers(() => ({ body: OBJECT }));
  const host = new Host(OBJECTS);
  assert.deepEqual([...(await host.read(part(10, 2), never))], [10, 11]);
  assert.deepEqual([...(await host.read(part(98, 2), never))], [98, 99]);
  assert.equal(asked.length, 1);
  assert.ok(host.withoutRanges);
  const large = { ...part(0, 5), key: "large", size: 1 << 30 };
  await assert.rejects(host.read(large, never), /sends no parts of files/);
});

test("an object that is another, cut off, gone or forbidden is never read", async () => {
  const read = (answer: Answer) => {
    answers(() => answer);
    return new Host(OBJECTS).read(part(10, 3), never);
  };
  const total = { "content-range": "bytes 10-12/90" };
  await assert.rejects(read({ status: 206, body: OBJECT.slice(0, 3), headers: total }), /not the one that its catalog/);
  await assert.rejects(read({ status: 206, body: OBJECT.slice(0, 2) }), /cut off/);
  await assert.rejects(read({ body: OBJECT.slice(0, 90) }), /not the one that its catalog/);
  await assert.rejects(read({ status: 416 }), /cut off/);
  await assert.rejects(read({ status: 404 }), Gone);
  await assert.rejects(read({ status: 403 }), Gone);
  await assert.rejects(read({ status: 503 }), /answers 503/);
  globalThis.fetch = async () => Promise.reject(new TypeError("Failed to fetch"));
  await assert.rejects(new Host(OBJECTS).read(part(1, 1), never), (failure: FileError) => {
    assert.ok(failure instanceof FileError && failure.tries.some((text) => text.includes("CORS")));
    return true;
  });
});

/** A tenant's catalog over what a host has, and the names of the days that were taken. */
function catalogOf(there: string[]): { catalog: Catalog; taken: string[]; asked: string[] } {
  const asked = answers((key) => (there.includes(key) ? { body: key } : { status: 404 }));
  const taken: string[] = [];
  const catalog = new Catalog({ objects: OBJECTS, tenant: "x" }, new Host(OBJECTS), (name, bytes) => {
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
    '{"version":1,"catalog":[],"digest":7,"made":{"selector":3,"from":1,"until":-2,"commit":"ab","when":"soon","files":1e99}}',
  )) as Bundle;
  assert.deepEqual(made, { ...NOTHING, from: 1, commit: "ab" });
  await assert.rejects(describe('{"version":2,"catalog":[]}'), /has version 2/);
  await assert.rejects(describe('{"catalog":[1]}'), /does not describe a bundle/);
  await assert.rejects(describe("<html>"), /does not describe a bundle/);
  const tenant = await placeOf(new URL("https://host.test/p/t/my%20team/"));
  assert.deepEqual(tenant, { objects: "https://host.test/p/", tenant: "my team" });
  await assert.rejects(placeOf(new URL("https://host.test/p/")), /not the address of a bucket/);
});

test("an answer says when its catalog is old, where that matters, and that its host has no ranges", () => {
  const MINUTE = 60_000;
  const notes = (written: number, until: number, now: number, withoutRanges = false) =>
    bucketNotes({ written, withoutRanges } as Answered, until * MINUTE, now * MINUTE).length;
  assert.equal(notes(0, 1000, 1000), 0, "a bundle");
  assert.equal(notes(900 * MINUTE, 1000, 1000), 1);
  assert.equal(notes(900 * MINUTE, 905, 1000), 0, "the range ends before");
  assert.equal(notes(995 * MINUTE, 1000, 1000), 0, "a fresh one");
  assert.equal(notes(995 * MINUTE, 2000, 1000), 0, "a range that goes on into the future");
  assert.equal(notes(900 * MINUTE, 1000, 1000, true), 2);
  assert.match(bucketNotes({ written: 0, withoutRanges: true } as Answered, 1, 1)[0], /whole objects were read/);
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
