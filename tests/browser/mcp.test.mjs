/** The tools of language models, asked by the protocol's own client in both of its generations. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { getEncoding } from "js-tiktoken";
import { pushStacks } from "./answers.mjs";
import { url } from "./page.mjs";

const TYPE = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
const seconds = Math.floor(Date.now() / 1000) - 900;
/** A service of this run alone. */
const service = `mcp.${seconds}`;
const query = `${TYPE}{service_name="${service}"}`;
const range = { from: String((seconds - 60) * 1000), until: String((seconds + 60) * 1000) };
const encoding = getEncoding("cl100k_base");
/** What an answer may cost a model. */
const MAX_TOKENS = 4_000;

const GENERATIONS = {
  "2025-11-25": { mode: "legacy" },
  "2026-07-28": { mode: { pin: "2026-07-28" } },
};
const clients = {};

async function connected(versionNegotiation) {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation });
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url)));
  return client;
}

const push = (name, stacks, at = seconds) => pushStacks(name, stacks, at);

before(async () => {
  const few = "main;serve;json.Decode 30\nmain;serve 10\nmain;gc 60\n";
  await push(`${service}{version=1}`, few, seconds - 90);
  await push(`${service}{version=2}`, "main;serve;json.Decode 50\nmain;serve 10\nmain;gc 40\n");
  const names = Array.from({ length: 2_000 }, (_, i) => `main;関数${"é|`<>{}()".repeat(30)}${i} ${i + 1}`);
  await push(`${service}.wide{pod=a}`, `${names.join("\n")}\n`);
  for (const [generation, options] of Object.entries(GENERATIONS)) {
    clients[generation] = await connected(options);
  }
});

after(async () => {
  for (const client of Object.values(clients)) await client.close();
});

/** The text that a tool answers, and whether it is an error. */
async function call(client, name, given) {
  const { content, isError } = await client.callTool({ name, arguments: given });
  assert.equal(content.length, 1);
  assert.equal(content[0].type, "text");
  // Numbers and their units have spaces between them that do not break.
  return { text: content[0].text.replaceAll("\u00a0", " "), isError: isError ?? false };
}

for (const generation of Object.keys(GENERATIONS)) {
  const ask = (name, given) => call(clients[generation], name, given);

  test(`${generation}: what the server says of itself`, async () => {
    const client = clients[generation];
    assert.equal(client.getNegotiatedProtocolVersion(), generation);
    assert.equal(client.getServerVersion().name, "pilotlight");
    assert.match(client.getInstructions(), /list_services/);
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      [
        "list_services",
        "list_labels",
        "top_functions",
        "describe_function",
        "compare_profiles",
        "query_series",
        "flame_graph",
      ],
    );
    for (const { name, description, inputSchema, annotations } of tools) {
      assert.ok(description.length > 20 && annotations.readOnlyHint, name);
      for (const [parameter, { description }] of Object.entries(inputSchema.properties)) {
        assert.ok(description?.length > 10, `${name}: ${parameter}`);
      }
    }
    const tokens = encoding.encode(JSON.stringify(tools)).length;
    assert.ok(tokens <= MAX_TOKENS, `the list of tools has ${tokens} tokens`);
  });

  test(`${generation}: from the services to the line`, async () => {
    const services = await ask("list_services", range);
    assert.match(services.text, new RegExp(`\`${service}\` \\| \`${TYPE}\` \\| 1 s \\| 1 s in 1 profile \\| 1 \\|`));
    const labels = await ask("list_labels", { query: `{service_name="${service}"}`, ...range });
    assert.match(labels.text, /\| `version` \| `2` \| 1 \|/);
    const top = await ask("top_functions", { query, ...range, limit: 2 });
    assert.match(top.text, /Showing 2 of 4 functions; their self values are 90 ?% of the total\./);
    assert.match(top.text, /\| `json\.Decode` \| 500 ms \| 50 ?% \| 500 ms \| 50 ?% \|/);
    const one = await ask("describe_function", { query, ...range, name: "decode" });
    assert.match(one.text, /`main` → `serve` → `json\.Decode`/);
    const compared = await ask("compare_profiles", { query, ...range });
    assert.match(compared.text, /uses more \(2 of 2\)[\s\S]*\| `json\.Decode` \| 30 ?% \| 50 ?% \|/);
    assert.match(compared.text, /uses less \(1 of 1\)[\s\S]*\| `gc` \| 60 ?% \| 40 ?% \|/);
    const series = await ask("query_series", { query, ...range, by: "version", points: 2 });
    assert.match(series.text, /\| `version="2"`|\| step starts \| `version="2"` \|/);
    const graph = await ask("flame_graph", { query, ...range });
    assert.match(graph.text, /\| 2 `json\.Decode` \| 500 ms \|/);
  });

  test(`${generation}: what is wrong is told to the model`, async () => {
    for (const [name, given, message] of [
      ["top_functions", {}, /query parameter "query" is missing/],
      ["top_functions", { query: "x" }, /must start with a profile type/],
      ["top_functions", { query, form: "now" }, /unknown parameter "form"; expected one of query, from/],
      ["top_functions", { query, limit: 0 }, /limit must be a number from 1 to 1000 \(got "0"\)/],
      ["describe_function", { query, ...range, name: "nothing" }, /no function .* is named "nothing"/],
      ["compare_profiles", { query, baseline_from: "now-1h" }, /must be given together/],
    ]) {
      const { text, isError } = await ask(name, given);
      assert.ok(isError, `${name} ${text}`);
      assert.match(text, message);
    }
    const long = await ask("top_functions", { query, from: "関数é".repeat(1_500) });
    assert.ok(long.isError);
    const bytes = Buffer.byteLength(long.text);
    assert.ok(bytes > 5_990 && bytes <= 6_000 && long.text.endsWith("…"), `${bytes}: ${long.text.slice(-50)}`);
    await assert.rejects(ask("nothing", {}), /unknown tool "nothing"; the tools are list_services, /);
  });

  test(`${generation}: an answer costs a model little`, async () => {
    const wide = { query: `${TYPE}{service_name="${service}.wide"}`, ...range };
    for (const [name, given] of [
      ["list_services", range],
      ["list_labels", range],
      ["top_functions", { ...wide, limit: 1_000 }],
      ["describe_function", { ...wide, name: "main", limit: 100 }],
      ["compare_profiles", { ...wide, limit: 1_000, scale: "absolute" }],
      ["query_series", { ...wide, by: "pod", points: 4_000 }],
      ["flame_graph", { ...wide, nodes: 16_384 }],
    ]) {
      const { text, isError } = await ask(name, given);
      assert.ok(!isError, text);
      const tokens = encoding.encode(text).length;
      assert.ok(tokens <= MAX_TOKENS, `${name}: ${tokens} tokens`);
    }
  });
}

test("what no client sends", async () => {
  const post = (body, headers = {}) =>
    fetch(`${url}/mcp`, { method: "POST", body, headers: { "content-type": "application/json", ...headers } });
  const code = async (answer) => [answer.status, (await answer.json()).error.code];
  assert.deepEqual(await code(await post("{")), [400, -32700]);
  assert.deepEqual(await code(await post("[]")), [400, -32600]);
  const list = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  assert.deepEqual(await code(await post(list, { "mcp-protocol-version": "2030-01-01" })), [400, -32022]);
  const unknown = await post(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "prompts/list" }));
  assert.deepEqual(await code(unknown), [200, -32601]);
  const told = await post(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
  assert.deepEqual([told.status, await told.text()], [202, ""]);
  const large = await post(
    JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping", params: { x: "x".repeat(70_000) } }),
  );
  assert.equal(large.status, 413);
  for (const method of ["GET", "DELETE"]) {
    const answer = await fetch(`${url}/mcp`, { method });
    assert.equal(answer.status, 405, await answer.text());
  }
  const foreign = await post(list, { origin: "https://evil.example", "sec-fetch-site": "cross-site" });
  assert.equal(foreign.status, 403, await foreign.text());
});
