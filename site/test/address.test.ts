import assert from "node:assert/strict";
import { test } from "node:test";
import { addressSource } from "../src/files/address.ts";
import { FileError } from "../src/files/source.ts";

let report: ((event: { effectiveDirective: string }) => void) | null = null;
let answer: (url: URL, how: { mode?: string }) => Response | Promise<Response>;
Object.assign(globalThis, {
  location: new URL("http://here.test/some/where/file"),
  document: {
    baseURI: "http://here.test/some/where/file",
    addEventListener: (_: string, listener: typeof report) => (report = listener),
    removeEventListener: () => (report = null),
  },
  fetch: async (url: URL, how: { mode?: string }) => answer(url, how),
});

const read = (url: string, progress = (_bytes: number, _size: number) => {}) =>
  addressSource({ url, title: "" }).read(new AbortController().signal, progress);

async function refusal(url: string): Promise<string> {
  const failure = await read(url).catch((failure) => failure);
  assert.ok(failure instanceof FileError, String(failure));
  assert.equal(report, null, "nothing listens any more");
  return failure.message;
}

const unreachable = () => {
  throw new TypeError("Failed to fetch");
};

test("an address is relative to the page, and its bytes come with their progress", async () => {
  const asked: string[] = [];
  answer = (url) => {
    asked.push(url.href);
    return new Response("main 3", { headers: { "content-length": "6" } });
  };
  const heard: number[][] = [];
  const bytes = await read("../made/cpu.txt", (...how) => heard.push(how));
  assert.equal(new TextDecoder().decode(bytes), "main 3");
  assert.deepEqual(asked, ["http://here.test/some/made/cpu.txt"]);
  assert.deepEqual(heard, [[6, 6]]);
});

test("a profile is called by its title, else by the end of its address", () => {
  const name = (url: string, title = "") => addressSource({ url, title }).name;
  assert.equal(name("/a/b%20c.pb.gz?x=/1#y"), "b c.pb.gz");
  assert.equal(name("https://there.test/"), "there.test");
  assert.equal(name("/a/100%"), "100%");
  assert.equal(name("/a/b", "before"), "before");
});

test("a failure says what it was: status, policy, CORS, or nobody there", async () => {
  answer = () => new Response("", { status: 404, statusText: "Not Found" });
  assert.match(await refusal("/gone"), /^here\.test returned status 404 \(Not Found\)\./);
  answer = unreachable;
  assert.match(await refusal("/gone"), /^here\.test did not answer\./);
  assert.match(await refusal("https://there.test/a"), /^there\.test did not answer\./);
  answer = (_, { mode }) => (mode === "no-cors" ? new Response("") : unreachable());
  assert.match(await refusal("https://there.test/a"), /\(CORS\)/);
  answer = () => {
    setTimeout(() => report?.({ effectiveDirective: "connect-src" }));
    return unreachable();
  };
  assert.match(await refusal("https://there.test/a"), /can only fetch from here\.test; .* blocks there\.test/);
  for (const url of ["file:///etc/hosts", "data:text/plain,main 1", "javascript:alert(1)", "http://"])
    assert.match(await refusal(url), /not a web address/);
});

test("more than the cap is not read to its end", async () => {
  let sent = 0;
  const megabyte = new Uint8Array(1 << 20);
  answer = () =>
    new Response(
      new ReadableStream({
        pull: (stream) => {
          sent++;
          stream.enqueue(megabyte);
        },
      }),
    );
  assert.match(await refusal("/endless"), /the limit is 268 MB/);
  assert.ok(sent < 300, `${sent} MiB were sent`);
});
