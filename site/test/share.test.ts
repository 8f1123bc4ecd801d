import assert from "node:assert/strict";
import { test } from "node:test";
import { server } from "./page.ts";

const { lastDay, shareSource } = await import("../src/files/share.ts");
const { FileError } = await import("../src/files/source.ts");

const ID = "20780-00112233445566778899aabbccddeeff";
const source = (id: string) => shareSource(id, `share:${id}`);
const read = (id: string) => source(id).read(new AbortController().signal, () => {});

async function refusal(id = ID): Promise<string> {
  const failure = await read(id).catch((failure) => failure);
  assert.ok(failure instanceof FileError, String(failure));
  return [failure.message, ...failure.tries].join(" ");
}

const problem = (status: number, headers = {}) =>
  Response.json({ code: "x", message: "the server's own words" }, { status, headers });

test("a share comes with its name", async () => {
  const asked: string[] = [];
  server.answer = (url) => {
    asked.push(url.pathname);
    const headers = {
      "content-type": "application/octet-stream",
      "content-disposition": "attachment; filename*=UTF-8''N%C3%A4chte.pb.gz",
    };
    return new Response("main 3", { headers });
  };
  const shared = source(ID);
  const bytes = await shared.read(new AbortController().signal, () => {});
  assert.equal(new TextDecoder().decode(bytes), "main 3");
  assert.deepEqual([shared.name, shared.address], ["Nächte.pb.gz", `share:${ID}`]);
  assert.deepEqual(asked, [`/api/v1/shares/${ID}`]);
});

test("what is no id is asked of nobody", async () => {
  server.answer = () => assert.fail("the server was asked");
  for (const id of ["..", "../admin/tokens", `${ID}0`, ID.toUpperCase(), ID.slice(1)])
    assert.match(
      await refusal(id),
      /^This link is incomplete\. Copy the link again: some programs cut long links\./,
      id,
    );
});

test("a refusal says what is wrong with the link", async () => {
  server.answer = () => problem(410);
  assert.match(await refusal(), /^This link has expired: it was valid until the end of 23 Nov 2026 \(UTC\)\. Ask/);
  server.answer = () => problem(404);
  assert.match(await refusal(), /^Profile not found: .* Ask whoever sent you/);
  server.answer = () => problem(401, { "www-authenticate": 'Bearer realm="pilotlight"' });
  assert.match(await refusal(), /^The server needs a token\. .* read scope/);
  for (const page of [404, 200]) {
    server.answer = () => new Response("<p>", { status: page, headers: { "content-type": "text/html" } });
    assert.match(await refusal(), /^This address has no Pilotlight server/);
  }
  server.answer = () => problem(503);
  const failure = await read(ID).catch((failure) => failure);
  assert.ok(!(failure instanceof FileError), "the server's own trouble is told as everywhere");
});

test("the last day of a share", () => {
  assert.equal(lastDay(ID), "23 Nov 2026 (UTC)");
  assert.equal(lastDay("20780"), "");
});
