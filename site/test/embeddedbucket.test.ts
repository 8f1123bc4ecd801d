import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
// @ts-expect-error: the package's own scripts have no types.
import { startBucket } from "../package/serve/bucket.mjs";
// @ts-expect-error: the package's own scripts have no types.
import { pathOf } from "../package/serve/names.mjs";

const folder = mkdtempSync(join(tmpdir(), "pilotlight-bucket-"));
let bucket: { variables: Record<string, string>; close: () => void };
before(async () => {
  bucket = await startBucket(folder);
});
after(() => {
  bucket.close();
  rmSync(folder, { recursive: true });
});

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** Sends a request for an object, or for the bucket itself; fetch would tidy up the path. */
function ask(
  method: string,
  name: string,
  { query = {}, headers = {}, body = "" }: { query?: object; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  const { S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID } = bucket.variables;
  const credential = `${S3_ACCESS_KEY_ID}/20261128/auto/s3/aws4_request`;
  const search = new URLSearchParams({ "X-Amz-Credential": credential, ...query });
  const path = `/${S3_BUCKET}/${name.split("/").map(encodeURIComponent).join("/")}?${search}`;
  return new Promise((resolve, reject) => {
    const sent = request(S3_ENDPOINT ?? "", { method, path, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part) => {
        text += part;
      });
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
    });
    sent.on("error", reject).end(body);
  });
}

const put = (name: string, body: string, headers: Record<string, string> = {}) => ask("PUT", name, { body, headers });

const DECODED: Record<string, string> = { "&#38;": "&", "&#60;": "<", "&#62;": ">", "&#34;": '"', "&#10;": "\n" };
const texts = (xml: string, pattern: RegExp) =>
  [...xml.matchAll(pattern)].map(([, text = ""]) => text.replace(/&#\d+;/g, (entity) => DECODED[entity] ?? entity));

async function list(query: Record<string, string>) {
  const { text } = await ask("GET", "", { query: { "list-type": "2", ...query } });
  return {
    keys: texts(text, /<Contents><Key>(.*?)<\/Key>/gs),
    prefixes: texts(text, /<CommonPrefixes><Prefix>(.*?)<\/Prefix>/gs),
    next: texts(text, /<NextContinuationToken>(.*?)</g)[0],
  };
}

test("objects are written, read, replaced and deleted", async () => {
  assert.equal((await ask("GET", "a/b")).status, 404);
  const first = await put("a/b", "first");
  const second = await put("a/b", "second");
  assert.deepEqual([first.status, second.status], [200, 200]);
  assert.notEqual(first.headers.etag, second.headers.etag);
  const read = await ask("GET", "a/b");
  assert.deepEqual([read.status, read.text, read.headers.etag], [200, "second", second.headers.etag]);
  const head = await ask("HEAD", "a/b");
  assert.deepEqual([head.headers["content-length"], head.headers.etag], ["6", second.headers.etag]);
  assert.equal((await ask("DELETE", "a/b")).status, 204);
  assert.equal((await ask("DELETE", "a/b")).status, 204);
  assert.equal((await ask("HEAD", "a/b")).status, 404);
  assert.deepEqual(readdirSync(join(folder, "objects")), [], "no empty folder is left");
});

test("the same bytes written again have another tag", async () => {
  const tags = [];
  for (let i = 0; i < 20; i++) tags.push((await put("same", "bytes")).headers.etag);
  assert.equal(new Set(tags).size, tags.length);
});

test("ranges", async () => {
  await put("range", "0123456789");
  const range = async (text: string) => {
    const { status, headers, text: body } = await ask("GET", "range", { headers: { range: `bytes=${text}` } });
    return [status, headers["content-range"], status === 206 ? body : ""];
  };
  assert.deepEqual(await range("0-2"), [206, "bytes 0-2/10", "012"]);
  assert.deepEqual(await range("8-30"), [206, "bytes 8-9/10", "89"]);
  assert.deepEqual(await range("10-11"), [416, undefined, ""]);
  await put("empty", "");
  assert.equal((await ask("GET", "empty", { headers: { range: "bytes=0-3" } })).status, 416);
  assert.deepEqual((await ask("GET", "empty")).headers["content-length"], "0");
});

test("of conditional writes at once, one wins", async () => {
  const rivals = async (name: string, headers: Record<string, string>) => {
    const answers = await Promise.all(Array.from({ length: 16 }, (_, i) => put(name, `${name} ${i}`, headers)));
    const won = answers.flatMap(({ status }, i) => (status === 200 ? [i] : []));
    assert.equal(won.length, 1);
    assert.ok(answers.every(({ status }) => status === 200 || status === 412));
    const { text, headers: read } = await ask("GET", name);
    assert.equal(text, `${name} ${won[0]}`);
    return String(read.etag);
  };
  for (let round = 0; round < 5; round++) {
    const etag = await rivals(`rivals/${round}`, { "if-none-match": "*" });
    await rivals(`rivals/${round}`, { "if-match": etag });
    assert.equal((await put(`rivals/${round}`, "x", { "if-match": etag })).status, 412);
  }
  assert.equal((await put("rivals/none", "x", { "if-match": '"1"' })).status, 404);
});

test("writes and deletions in one folder don't disturb each other", async () => {
  const rounds = Array.from({ length: 200 }, async (_, i) => {
    const name = `busy/${i % 4}/${i % 10}`;
    const answer = i % 2 ? await put(name, "x") : await ask("DELETE", name);
    assert.ok(answer.status < 300, answer.text);
  });
  await Promise.all(rounds);
});

/** In the order of their bytes, which is not that of UTF-16. */
const ODD = [
  "odd/!'()*+ $&,;=@[]~%2F%",
  "odd/%",
  "odd/+",
  "odd//twice",
  "odd/A",
  "odd/a",
  "odd/a!",
  "odd/a/",
  "odd/a/b",
  "odd/a@",
  'odd/a é 漢字 <a href="?x#y">|\\^`{}',
  "odd/con\n",
  `odd/${"x".repeat(79)}`,
  `odd/${"x".repeat(80)}`,
  `odd/${"x".repeat(80)}!`,
  `odd/${"x".repeat(80)}/y`,
  `odd/${"x".repeat(81)}`,
  `odd/${"é".repeat(400)}`,
  "odd/\u{ffee}",
  "odd/\u{1f525}",
];

test("names of all characters and lengths are kept apart, and listed in order", async () => {
  const expected = ODD.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  for (const name of ODD) assert.equal((await put(name, name)).status, 200, name);
  for (const name of ODD) assert.equal((await ask("GET", name)).text, name);
  assert.deepEqual((await list({ prefix: "odd/" })).keys, expected);
  // Page by page, of every size.
  for (const size of [1, 2, 7]) {
    const found: string[] = [];
    for (let next: string | undefined = ""; next !== undefined; ) {
      const page = await list({
        prefix: "odd/",
        "max-keys": String(size),
        ...(next ? { "continuation-token": next } : {}),
      });
      assert.ok(page.keys.length <= size);
      found.push(...page.keys);
      next = page.next;
    }
    assert.deepEqual(found, expected, `pages of ${size}`);
  }
  const starts = (prefix: string) => expected.filter((name) => name.startsWith(prefix));
  for (const prefix of ["odd/a", "odd/a/", `odd/${"x".repeat(80)}`, `odd/${"x".repeat(85)}`, "od", "odd/é"])
    assert.deepEqual((await list({ prefix })).keys, starts(prefix), prefix);
  const cut = await list({ prefix: "odd/", delimiter: "/" });
  assert.deepEqual(cut.prefixes, ["odd//", "odd/a/", `odd/${"x".repeat(80)}/`]);
  assert.equal(cut.keys.length, ODD.length - 4);
});

test("no name leads out of the bucket's folder", async () => {
  for (const name of ["../out", "..", "a/../../out", "/etc/passwd", "a/./b", ".hidden", "C:\\x", "nul\0"]) {
    const path = pathOf(Buffer.from(name).toString("latin1"));
    assert.match(path, /^[a-z0-9._%@+/-]+$/, name);
    assert.ok(
      path.split("/").every((segment: string) => segment !== "" && !segment.startsWith(".")),
      `${name} is at ${path}`,
    );
  }
  assert.equal((await put("x".repeat(1025), "")).status, 400);
});

test("many are deleted at once, and folders that are left empty are no prefixes", async () => {
  for (const name of ["many/1/x", "many/1/y&<>", "many/2/z"]) await put(name, name);
  const body =
    "<Delete><Quiet>true</Quiet><Object><Key>many/1/x</Key></Object><Object><Key>many/1/y&amp;&lt;&gt;</Key></Object>" +
    "<Object><Key>many/absent</Key></Object></Delete>";
  const answer = await ask("POST", "", { query: { delete: "" }, body });
  assert.equal(answer.status, 200);
  assert.deepEqual((await list({ prefix: "many/" })).keys, ["many/2/z"]);
  // As a write leaves one that is killed.
  mkdirSync(join(folder, "objects/many/3/4"), { recursive: true });
  assert.deepEqual((await list({ prefix: "many/", delimiter: "/" })).prefixes, ["many/2/"]);
});

test("whoever has another key is refused", async () => {
  const query = { "X-Amz-Credential": "0".repeat(32) };
  assert.equal((await ask("GET", "range", { query })).status, 403);
  assert.equal((await ask("GET", "", { query: { "list-type": "2", "X-Amz-Credential": "" } })).status, 403);
  assert.equal((await ask("PATCH", "range")).status, 501);
});

test("what was written is there after a new start, and what was being written is not", async () => {
  const { headers } = await put("kept", "kept");
  writeFileSync(join(folder, "staged/99"), "half");
  bucket.close();
  bucket = await startBucket(folder);
  assert.equal((await ask("GET", "kept")).headers.etag, headers.etag);
  assert.deepEqual(readdirSync(join(folder, "staged")), []);
});
