/** Pyroscope's services for settings, uploads and builds, asked by a client of Connect in each of its forms. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Code, createClient } from "@connectrpc/connect";
import { machineMillis } from "../local/ahead.mjs";
import { url } from "./page.mjs";
import { AdHocProfiles, RecordingRules, Settings, Status } from "./settingsproto.mjs";
import { FORMS, refusal } from "./transports.mjs";

const base64 = (text) => Buffer.from(text).toString("base64");
/** The code of an error, and its message. */
async function refused(answer) {
  const { code, rawMessage } = await refusal(answer);
  return [code, rawMessage];
}

/** Names of this run alone. */
const run = Date.now();

for (const [form, transport] of Object.entries(FORMS)) {
  test(`${form}: settings`, async () => {
    const client = createClient(Settings, transport);
    const name = `settings ${form} ${run}`;
    const mine = async () => (await client.get({})).settings.find((setting) => setting.name === name);
    assert.equal(await mine(), undefined);
    const first = { name, value: '{"maxNodes":"16384"}', modifiedAt: BigInt(run) };
    const { setting } = await client.set({ setting: first });
    assert.deepEqual([setting.name, setting.value, setting.modifiedAt], [name, first.value, BigInt(run)]);
    const older = client.set({ setting: { ...first, value: "older", modifiedAt: BigInt(run - 1) } });
    assert.equal((await refused(older))[0], Code.AlreadyExists);
    assert.equal((await mine()).value, first.value);
    await client.set({ setting: { ...first, value: "newer", modifiedAt: BigInt(run + 1) } });
    assert.equal((await mine()).value, "newer");
    await client.delete({ name });
    assert.equal(await mine(), undefined);
    assert.deepEqual(await refused(client.set({})), [Code.InvalidArgument, "the setting is missing"]);
    assert.deepEqual(await refused(client.set({ setting: { value: "x" } })), [
      Code.InvalidArgument,
      "the name of the setting is missing",
    ]);
    assert.equal((await refused(client.delete({})))[0], Code.InvalidArgument);
    const large = { name, value: "v".repeat(256 * 1024) };
    assert.equal((await refused(client.set({ setting: large })))[0], Code.ResourceExhausted);
  });

  test(`${form}: uploads`, async () => {
    const client = createClient(AdHocProfiles, transport);
    const name = `${form} ${run}.txt`;
    const upload = (name, text, more) => client.upload({ name, profile: base64(text), ...more });
    const old = await upload(name, "main;a 3\nmain;b 5\n");
    assert.deepEqual([old.name, old.profileType, old.profileTypes], [name, "samples", ["samples"]]);
    assert.ok(Math.abs(Number(old.uploadedAt) - machineMillis()) < 600_000, String(old.uploadedAt));
    const { flamebearer, metadata } = JSON.parse(old.flamebearerProfile);
    assert.deepEqual(flamebearer, {
      names: ["total", "main", "b", "a"],
      levels: [
        [0, 8, 0, 0],
        [0, 8, 0, 1],
        [0, 3, 3, 3, 0, 5, 5, 2],
      ],
      numTicks: 8,
      maxSelf: 5,
    });
    assert.deepEqual([metadata.format, metadata.name, metadata.units], ["single", "samples", "objects"]);
    const again = await client.get({ id: old.id, profileType: "samples" });
    assert.deepEqual(again, old);
    const cut = JSON.parse((await client.get({ id: old.id, maxNodes: 1n })).flamebearerProfile);
    assert.deepEqual(cut.flamebearer.names, ["total", "main", "other"]);
    // What was drawn here is opened here.
    const redrawn = await upload(`${name}.json`, old.flamebearerProfile);
    assert.deepEqual(JSON.parse(redrawn.flamebearerProfile).flamebearer, flamebearer);
    const { profiles } = await client.list({});
    const found = profiles.find(({ id }) => id === old.id);
    assert.deepEqual([found.name, found.uploadedAt], [name, old.uploadedAt]);
    const next = await upload(`${name}.new`, "main;a 3\nmain;b;c 7\n");
    const both = await client.diff({ leftId: old.id, rightId: next.id });
    const comparison = JSON.parse(both.flamebearerProfile);
    assert.deepEqual(both.profileTypes, ["samples"]);
    assert.deepEqual([comparison.leftTicks, comparison.rightTicks, comparison.metadata.format], [8, 10, "double"]);
    assert.deepEqual(comparison.flamebearer.levels[1], [0, 8, 0, 0, 10, 0, 1]);
    for (const id of [old.id, redrawn.id, next.id]) {
      const deleted = await fetch(`${url}/api/v1/shares/${id}`, { method: "DELETE" });
      assert.equal(deleted.status, 204);
    }
    assert.equal((await refused(client.get({ id: old.id })))[0], Code.NotFound);
    assert.equal((await refused(client.get({ id: "../tokens" })))[0], Code.InvalidArgument);
    const [code, message] = await refused(upload(name, "PERFILE2 and more"));
    assert.equal(code, Code.InvalidArgument);
    assert.match(message, /^this is a perf recording/);
    assert.equal((await refused(client.upload({ name, profile: "?" })))[0], Code.InvalidArgument);
    assert.equal((await refused(upload(name, "main 1", { maxNodes: -1n })))[0], Code.InvalidArgument);
  });

  test(`${form}: recording rules`, async () => {
    const rules = createClient(RecordingRules, transport);
    const metricName = `profiles_recorded_${form.replace(/\W/g, "_")}_${run}`;
    const type = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
    const wanted = {
      metricName,
      matchers: [`{__profile_type__="${type}"}`, '{service_name="rules"}'],
      groupBy: ["region"],
      externalLabels: [{ name: "team", value: "shop" }],
      stacktraceFilter: { functionName: { functionName: "work", metricType: 0 } },
    };
    const { rule } = await rules.upsertRecordingRule(wanted);
    assert.match(rule.id, /^[a-z]{10}$/);
    assert.deepEqual([rule.profileType, rule.matchers, rule.provisioned], [type, wanted.matchers, false]);
    assert.equal(rule.stacktraceFilter.functionName.functionName, "work");
    const listed = async () => (await rules.listRecordingRules({})).rules.filter((one) => one.id === rule.id);
    assert.deepEqual(await listed(), [rule]);

    // Who did not see the last change does not undo it.
    const { id, generation } = rule;
    const { rule: changed } = await rules.upsertRecordingRule({ ...wanted, id, generation, groupBy: [] });
    assert.ok(changed.generation > generation);
    const stale = rules.upsertRecordingRule({ ...wanted, id, generation });
    assert.equal((await refused(stale))[0], Code.AlreadyExists);
    assert.deepEqual((await rules.getRecordingRule({ id })).rule, changed);

    const wrong = [
      [{ metricName: "cpu" }, /^metric_name must begin with profiles_recorded_/],
      [{ matchers: ['{service_name="rules"}'] }, /^exactly one profile type must be given/],
      [{ id: "a1" }, /must be 1 to 64 letters/],
      [{ externalLabels: [{ name: "a-b", value: "" }] }, /^external_labels: "a-b"/],
    ];
    for (const [change, message] of wrong) {
      const [code, text] = await refused(rules.upsertRecordingRule({ ...wanted, ...change }));
      assert.equal(code, Code.InvalidArgument);
      assert.match(text, message);
    }
    await rules.deleteRecordingRule({ id });
    assert.deepEqual(await listed(), []);
    assert.equal((await refused(rules.getRecordingRule({ id })))[0], Code.NotFound);
    assert.equal((await refused(rules.deleteRecordingRule({ id })))[0], Code.NotFound);
  });

  test(`${form}: builds`, async () => {
    const { status, data } = await createClient(Status, transport).getBuildInfo({});
    assert.equal(status, "success");
    const { version } = (await (await fetch(`${url}/api/v1/status/buildinfo`)).json()).data;
    assert.match(version, /^\d+\.\d+\.\d+/);
    assert.equal(data.version, version);
  });
}

test("what is not served says so in JSON", async () => {
  for (const path of ["vcs.v1.VCSService/GithubApp", "settings.v1.SettingsService/List", "of_later.v1.Service/Call"]) {
    const headers = { "content-type": "application/proto" };
    const answer = await fetch(`${url}/${path}`, { method: "POST", headers, body: "" });
    assert.deepEqual([answer.status, answer.headers.get("content-type")], [501, "application/json"]);
    assert.equal((await answer.json()).code, "unimplemented");
  }
});

test("who asks whether the server is there", async () => {
  const ready = await fetch(`${url}/ready`);
  assert.deepEqual([ready.status, await ready.text()], [200, "ready\n"]);
  const answer = await (await fetch(`${url}/api/v1/status/buildinfo`)).json();
  assert.equal(answer.status, "success");
  const fields = ["version", "revision", "branch", "buildUser", "buildDate", "goVersion"];
  assert.deepEqual(Object.keys(answer.data), fields);
});

test("changes at the same time are all kept", async () => {
  const client = createClient(Settings, FORMS.protobuf);
  const names = Array.from({ length: 4 }, (_, i) => `both ${run} ${i}`);
  await Promise.all(names.map((name) => client.set({ setting: { name, value: name } })));
  const { settings } = await client.get({});
  const found = settings.filter(({ name }) => names.includes(name));
  assert.deepEqual(
    found.map(({ value }) => value),
    names,
  );
  assert.ok(found.every(({ modifiedAt }) => Number(modifiedAt) >= run - 60_000));
  for (const name of names) await client.delete({ name });
});
