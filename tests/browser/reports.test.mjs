/** The reports for machines: their numbers, their description, and what is refused. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import Ajv from "ajv/dist/2020.js";
import { pushStacks } from "./answers.mjs";
import { url } from "./page.mjs";

const TYPE = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
/** A sample of folded stacks is a hundredth of a second. */
const TICK = 10_000_000;
// At the edge of a minute, where steps begin.
const seconds = Math.floor(Date.now() / 60_000) * 60 - 900;
const service = `reports.${seconds}`;
const query = `${TYPE}{service_name="${service}"}`;
const range = { from: String((seconds - 60) * 1000), until: String((seconds + 60) * 1000) };

const push = (name, stacks, at = seconds) => pushStacks(name, stacks, at);

const get = (call, parameters) => fetch(`${url}/api/v1/${call}?${new URLSearchParams(parameters)}`);

async function json(call, parameters) {
  const answer = await get(call, parameters);
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  return JSON.parse(text);
}

let description;

before(async () => {
  await push(`${service}{version=1}`, "main;serve;json.Decode 30\nmain;serve 10\nmain;gc 60\n", seconds - 90);
  await push(`${service}{version=2,pod=a}`, "main;serve;json.Decode 50\nmain;serve 10\n");
  await push(`${service}{version=2,pod=b}`, "main;gc 40\n", seconds + 5);
  description = await json("openapi.json", {});
});

test("every answer is as it is described", async () => {
  const ajv = new Ajv({ strict: false, formats: { int64: true } });
  ajv.addSchema({ $id: "api", components: description.components });
  assert.equal(description.openapi, "3.1.0");
  const given = {
    services: range,
    labels: range,
    functions: { query, ...range },
    function: { query, ...range, name: "serve" },
    compare: { query, ...range },
    series: { query, ...range, by: "pod" },
    flamegraph: { query, ...range },
  };
  assert.deepEqual(
    Object.keys(description.paths).sort(),
    [...Object.keys(given), "annotations"].map((call) => `/api/v1/${call}`).sort(),
  );
  for (const [call, parameters] of Object.entries(given)) {
    const { responses } = description.paths[`/api/v1/${call}`].get;
    const { $ref } = responses["200"].content["application/json"].schema;
    const validate = ajv.compile({ $ref: `api${$ref}` });
    for (const cut of [{}, { limit: "1" }]) {
      if (call === "flamegraph" && cut.limit) continue;
      const answer = await json(call, { ...parameters, ...cut });
      assert.ok(validate(answer), `${call}: ${JSON.stringify(validate.errors)}`);
    }
    const text = await get(call, { ...parameters, format: "markdown" });
    assert.equal(text.headers.get("content-type"), "text/markdown; charset=utf-8");
    assert.match(await text.text(), /^\| --- \|/m, call);
    const refused = await get(call, { ...parameters, form: "x" });
    assert.equal(refused.status, 400);
    const error = await refused.json();
    assert.ok(ajv.compile({ $ref: "api#/components/schemas/Error" })(error), JSON.stringify(error));
    assert.match(error.message, /^unknown parameter "form"; expected one of /);
  }
});

test("annotations are as they are described", async () => {
  const ajv = new Ajv({ strict: false });
  ajv.addSchema({ $id: "api", components: description.components });
  const calls = description.paths["/api/v1/annotations"];
  const check = (schema, body) => {
    const validate = ajv.compile({ $ref: `api${schema.$ref}` });
    assert.ok(validate(body), `${JSON.stringify(body)}: ${JSON.stringify(validate.errors)}`);
  };
  const answered = (call, status) => {
    const { $ref, content } = call.responses[status];
    const name = $ref?.replace("#/components/responses/", "");
    return ($ref ? description.components.responses[name].content : content)["application/json"].schema;
  };
  const wanted = { text: "version 2", time: seconds * 1000, service, url: "https://ci.example.com/2" };
  check(calls.post.requestBody.content["application/json"].schema, wanted);
  const post = (body) => fetch(`${url}/api/v1/annotations`, { method: "POST", body: JSON.stringify(body) });
  const made = await post(wanted);
  assert.equal(made.status, 200);
  const annotation = await made.json();
  check(answered(calls.post, "200"), annotation);
  const list = await json("annotations", { ...range, service });
  check(answered(calls.get, "200"), list);
  assert.deepEqual(list.annotations, [{ id: annotation.id, ...wanted }]);
  const refused = await post({ ...wanted, when: 1 });
  assert.equal(refused.status, 400);
  check(answered(calls.post, "400"), await refused.json());
  const gone = () => fetch(`${url}/api/v1/annotations?id=${annotation.id}`, { method: "DELETE" });
  assert.equal((await gone()).status, 204);
  const again = await gone();
  assert.equal(again.status, 404);
  check(answered(calls.delete, "404"), await again.json());
});

test("numbers", async () => {
  const { functions, total, profiles, unit, coverage } = await json("functions", { query, ...range, limit: "2" });
  assert.deepEqual([total, profiles, unit], [100 * TICK, 2, "nanoseconds"]);
  assert.deepEqual(
    functions.map(({ name, self, total }) => [name, self / TICK, total / TICK]),
    [
      ["json.Decode", 50, 50],
      ["gc", 40, 40],
    ],
  );
  assert.deepEqual(coverage, { functions: 4, shown: 2, selfShare: 0.9 });
  const one = await json("function", { query, ...range, name: "SERVE" });
  assert.deepEqual([one.name, one.self / TICK, one.functionTotal / TICK], ["serve", 10, 60]);
  assert.deepEqual(one.callers, [{ name: "main", value: 60 * TICK, share: 1 }]);
  assert.deepEqual(one.paths, [{ functions: ["main", "serve"], value: 60 * TICK, share: 1 }]);
  const { grew, shrank, baseline } = await json("compare", { query, ...range, sort: "self" });
  assert.equal(baseline.total, 100 * TICK);
  const changes = (list) => list.map(({ name, baselineSelf, self }) => [name, baselineSelf / TICK, self / TICK]);
  assert.deepEqual(changes(grew), [["json.Decode", 30, 50]]);
  assert.deepEqual(changes(shrank), [["gc", 60, 40]]);
  const sides = {
    query: `${TYPE}{service_name="${service}",pod="a"}`,
    baseline_query: `${TYPE}{service_name="${service}",pod="b"}`,
  };
  const pods = await json("compare", { ...sides, ...range, scale: "absolute", sort: "total" });
  assert.deepEqual(
    pods.grew.map(({ name, baselineTotal, total }) => [name, baselineTotal / TICK, total / TICK]),
    [
      ["serve", 0, 60],
      ["json.Decode", 0, 50],
      ["main", 40, 60],
    ],
  );
  const { series } = await json("series", { query, ...range, by: "pod", points: "2" });
  assert.deepEqual(
    series.map(({ labels, total, points }) => [labels, total / TICK, points.map((point) => point / TICK)]),
    [
      [{ pod: "a" }, 60, [0, 60]],
      [{ pod: "b" }, 40, [0, 40]],
    ],
  );
  const { series: ofType } = await json("series", { query, ...range, by: "__profile_type__" });
  assert.deepEqual(
    ofType.map(({ labels, total }) => [labels, total / TICK]),
    [[{ __profile_type__: TYPE }, 100]],
  );
  const { nodes } = await json("flamegraph", { query, ...range });
  assert.deepEqual(
    nodes.map(({ depth, name, total }) => [depth, name, total / TICK]),
    [
      [0, "main", 100],
      [1, "serve", 60],
      [2, "json.Decode", 50],
      [1, "gc", 40],
    ],
  );
});

test("what there is nothing of", async () => {
  const empty = { query: `${TYPE}{service_name="none.${service}"}`, ...range };
  for (const call of ["functions", "flamegraph", "series", "compare"]) {
    for (const format of ["json", "markdown"]) {
      const answer = await get(call, { ...empty, format });
      assert.equal(answer.status, 200, `${call} ${await answer.text()}`);
    }
  }
  assert.equal((await json("functions", empty)).profiles, 0);
  const unknown = await get("function", { ...empty, name: "main" });
  assert.equal(unknown.status, 404);
  assert.match((await unknown.json()).message, /^no profiles match\. List the services/);
  const similar = await get("function", { query, ...range, name: "e" });
  assert.match((await similar.json()).message, /2 names contain it: "json\.Decode", "serve"/);
});

test("a time as people write it", async () => {
  const written = (millis) => new Date(Number(millis)).toISOString();
  const { from, until } = await json("functions", { query, from: written(range.from), until: written(range.until) });
  assert.deepEqual([from, until], [Number(range.from), Number(range.until)]);
});
