/** Commands of the npm package that talk to a server, from its tarball: push, token, selfhost; and what help and mistakes say. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { install, run, startServer } from "./installed.mjs";
import { launch, own } from "./page.mjs";

/** When the profile in checkout-1.8.2.pb.gz was recorded. */
const RECORDED = Date.parse("2026-09-21T13:47:20Z");

let [installed, server, admin] = [];
before(async () => {
  installed = install("commands", { server: true });
  server = await startServer(installed.command, own("commands-data"), ["--auth", "required"]);
  [admin] = /plt_\S+/.exec(server.said());
});
const running = new Set();
after(async () => {
  for (const child of running) child.kill("SIGKILL");
  await server?.stop();
});

/** Runs the command where `files` are. */
async function pilotlight(words, options = {}) {
  const folder = own("commands-files");
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(options.files ?? {})) writeFileSync(join(folder, name), content);
  return run(installed.command, words, { cwd: folder, ...options });
}

/** A server that answers pushes one after the other, the last answer again and again. */
async function answering(...answers) {
  const asked = [];
  const server = createServer((request, response) => {
    asked.push(request);
    const [status, headers = {}, text = ""] = answers.length > 1 ? answers.shift() : answers[0];
    request.resume().on("end", () => response.writeHead(status, headers).end(text));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, asked, close: () => server.close() };
}

/** Runs a folder of `selfhost` with a bucket behind S3, until it answers. */
async function startFolder(out) {
  const { startBucket } = await import(join(installed.folder, "node_modules/pilotlight/serve/bucket.mjs"));
  rmSync(own("commands-bucket"), { recursive: true, force: true });
  const bucket = await startBucket(own("commands-bucket"));
  const free = await answering([200]);
  free.close();
  const variables = { ...bucket.variables, LISTEN: new URL(free.url).host, FLUSH_MS: "20" };
  const child = spawn(join(out, "bin/pilotlight"), [], { stdio: "inherit", env: { ...process.env, ...variables } });
  running.add(child);
  const ended = once(child, "exit");
  const isThere = () =>
    fetch(`${free.url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isThere())) {
    assert.equal(child.exitCode, null, "it ended");
    await pause(20);
  }
  const stop = async () => {
    child.kill();
    await ended;
    bucket.close();
  };
  return { url: free.url, stop };
}

/** A token that `token create` prints. */
async function tokenOf(...scopes) {
  const words = ["token", "create", "--url", server.url, "--tenant", "anonymous", "--scope", scopes.join(",")];
  const { stdout, stderr, status } = await pilotlight(words, { input: `${admin}\n` });
  assert.equal(status, 0, stderr);
  const [, token, id] = /^(plt_\S+)\n\nThe token is shown only once\. Its ID is (\S+)\.\n$/.exec(stdout);
  return { token, id };
}

test("a pushed file is stored at its own time, and the printed link shows it", async () => {
  const { token } = await tokenOf("push", "read");
  const files = [own("checkout-1.8.2.pb.gz"), own("checkout-1.9.0.pb.gz")];
  const words = ["push", ...files, "--name", "shop", "--label", "env=ci", "--label", "note=a b=c", "--url", server.url];
  const pushed = await pilotlight(words, { variables: { PILOTLIGHT_TOKEN: token } });
  assert.deepEqual([pushed.status, pushed.stderr], [0, ""]);
  const [first, second, , look] = pushed.stdout.split("\n");
  assert.equal(first, `${files[0]}: stored, recorded 2026-09-21 13:47:20 UTC`);
  assert.equal(second, `${files[1]}: stored, recorded 2026-09-21 13:49:20 UTC`);
  const [, link] = /^Look at shop: (\S+)$/.exec(look);

  const asked = new URLSearchParams({ from: RECORDED, until: RECORDED + 1, query: '{service_name="shop"}' });
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${server.url}/api/v1/labels?${asked}`, { headers });
  const { labels } = await answer.json();
  assert.deepEqual([labels.env, labels.note], [["ci"], ["a b=c"]]);

  const again = await pilotlight(words, { variables: { PILOTLIGHT_TOKEN: token } });
  assert.match(again.stdout, /checkout-1\.8\.2\.pb\.gz: already pushed; counted only once, recorded/);

  const browser = await launch();
  const context = await browser.newContext({ extraHTTPHeaders: headers });
  const page = await context.newPage();
  await page.goto(link);
  await page.getByTestId("flame").waitFor();
  await browser.close();
});

test("files without a time are stored now, or when the command line says", async () => {
  const { token: PILOTLIGHT_TOKEN } = await tokenOf("push");
  const options = { variables: { PILOTLIGHT_TOKEN }, files: { "cpu.folded": "main;work 7\n" } };
  const words = ["push", "cpu.folded", "--name", "my.app.alloc_space", "--url", server.url];
  const began = Date.now() - 1000;
  const now = await pilotlight(words, options);
  const [, recorded] = /stored, recorded (\S+ \S+) UTC/.exec(now.stdout);
  assert.ok(Date.parse(`${recorded}Z`) >= began - 1000 && Date.parse(`${recorded}Z`) <= Date.now(), recorded);
  assert.match(now.stdout, /Look at my\.app: \S+\/explore\?s=my\.app&from=/, "the type is no part of the service");
  const earlier = await pilotlight([...words, "--time", "2026-11-20T10:00:00Z"], options);
  assert.match(earlier.stdout, /stored, recorded 2026-11-20 10:00:00 UTC/);
  const read = await pilotlight(words.with(1, "-"), { ...options, input: "main;rest 3\n" });
  assert.match(read.stdout, /^-: stored/);
});

test("what can't be stored is said for each file, and the others are", async () => {
  const { token: PILOTLIGHT_TOKEN } = await tokenOf("push");
  const files = { "a.folded": "main;work 7\n", "perf.data": "PERFILE2\0\0\0", "none.folded": "main;work 0\n" };
  const words = ["push", ...Object.keys(files), "--name", "some", "--url", server.url];
  const { status, stdout, stderr } = await pilotlight(words, { variables: { PILOTLIGHT_TOKEN }, files });
  assert.equal(status, 1);
  assert.match(stdout, /^a\.folded: stored/m);
  assert.match(stdout, /^none\.folded: no value is above zero, so there is nothing to store$/m);
  assert.match(
    stderr,
    /^pilotlight: perf\.data: the body is .*: the server accepts pprof, JFR, speedscope and folded stacks\. If `pilotlight perf\.data` opens it, export it as pprof there and push the export$/m,
  );
  assert.match(stderr, /^pilotlight: 1 of 3 files could not be stored$/m);
});

test("a token that is missing or may not push, and a server that isn't there", async () => {
  const words = ["push", "a.folded", "--name", "some", "--url", server.url];
  const files = { "a.folded": "main;work 7\n" };
  const missing = await pilotlight(words, { files });
  assert.equal(missing.status, 1);
  assert.match(missing.stderr, /needs a token with the push scope: set PILOTLIGHT_TOKEN \(401: /);
  const { token: PILOTLIGHT_TOKEN } = await tokenOf("read");
  const forbidden = await pilotlight(words, { files, variables: { PILOTLIGHT_TOKEN } });
  assert.equal(forbidden.status, 1);
  assert.match(forbidden.stderr, /needs a token with the push scope: set PILOTLIGHT_TOKEN \(403: /);
  const gone = await answering([200]);
  gone.close();
  const nowhere = await pilotlight([...words.slice(0, -1), gone.url], { files });
  assert.equal(nowhere.status, 1);
  assert.match(nowhere.stderr, /does not answer \(.*ECONNREFUSED.*\)\. Start a server there/);
});

test("a busy server gets the push again after the pause that it asks for, unless that is long", async () => {
  const files = { "a.folded": "main;work 7\n" };
  const busy = (seconds) => [429, { "retry-after": seconds }, '{"code":"resource_exhausted","message":"too fast"}'];
  const soon = await answering(busy(0), busy(0), [200, { "x-pilotlight-push": "stored" }]);
  const words = ["push", "a.folded", "--name", "some", "--url"];
  const pushed = await pilotlight([...words, soon.url], { files });
  assert.equal(pushed.status, 0, pushed.stderr);
  assert.equal(soon.asked.length, 3);
  assert.match(pushed.stderr, /^The server is busy \(429: too fast\)\. Trying again in 0 s$/m);
  soon.close();
  const late = await answering(busy(3600));
  const refused = await pilotlight([...words, late.url], { files });
  assert.deepEqual([refused.status, late.asked.length], [1, 1]);
  assert.match(refused.stderr, /returned 429: too fast\. Try again in 3600 s/);
  late.close();
  const small = await answering([413, {}, '{"code":"x","message":"16 MiB are allowed"}']);
  const large = await pilotlight([...words, small.url], { files });
  assert.match(large.stderr, /a\.folded: too large for the server \(16 MiB are allowed\)\. Record for a shorter time/);
  small.close();
});

test("tokens are created, listed and revoked", async () => {
  const { token, id } = await tokenOf("push", "read");
  const variables = { PILOTLIGHT_TOKEN: admin };
  const list = await pilotlight(["token", "list", "--url", `${server.url}/`], { variables });
  const line = list.stdout.split("\n").find((line) => line.startsWith(id));
  assert.match(line, /^\S+ +anonymous +push,read +\d{4}-\S+ +- +- +/);
  assert.doesNotMatch(list.stdout, new RegExp(token));
  const revoked = await pilotlight(["token", "revoke", id, "--url", server.url], { variables });
  assert.equal(revoked.stdout, `revoked ${id}; it stops working within 30 seconds\n`);
  const denied = await pilotlight(["token", "list", "--url", server.url], { input: `${token}\n` });
  assert.equal(denied.status, 1);
  assert.match(denied.stderr, /needs a token with the admin scope/);
  const asked = await answering([200, {}, '{"token":"plt_x","id":"0a1b"}']);
  const words = ["token", "create", "--tenant", "t1", "--scope", "push,read", "--expires", "90d", "--name", "ci"];
  await pilotlight([...words, "--url", asked.url], { variables });
  const [{ method, headers, url }] = asked.asked;
  assert.deepEqual([method, url, headers.authorization], ["POST", "/api/v1/admin/tokens", `Bearer ${admin}`]);
  asked.close();
});

test("recording rules are saved from a file, listed, replaced and deleted", async () => {
  const { token: PILOTLIGHT_TOKEN } = await tokenOf("read");
  const variables = { PILOTLIGHT_TOKEN };
  const rule = { metric_name: "profiles_recorded_command", query: "process_cpu:cpu:nanoseconds:cpu:nanoseconds{}" };
  const files = { "rules.json": JSON.stringify([{ ...rule, function: "work", self: true, group_by: ["region"] }]) };
  const at = ["--url", server.url];
  const saved = await pilotlight(["rules", "apply", "rules.json", ...at], { files, variables });
  const [, id] = /^saved ([a-z]{10}) \(profiles_recorded_command\)\n$/.exec(saved.stdout) ?? [];
  assert.ok(id, saved.stdout + saved.stderr);
  const again = await pilotlight(["rules", "apply", "rules.json", ...at], { files, variables });
  assert.equal(again.stdout, `replaced ${id} (profiles_recorded_command)\n`);
  const list = await pilotlight(["rules", "list", ...at], { variables });
  assert.match(list.stdout, new RegExp(`^${id} +profiles_recorded_command +\\S+ +self of work +region$`, "m"));
  const json = await pilotlight(["rules", "list", "--json", ...at], { variables });
  const same = await pilotlight(["rules", "apply", "all.json", ...at], {
    files: { "all.json": json.stdout },
    variables,
  });
  assert.equal(same.stdout, `replaced ${id} (profiles_recorded_command)\n`);
  const wrong = { "rules.json": JSON.stringify({ ...rule, metric_name: "cpu" }) };
  const refused = await pilotlight(["rules", "apply", "rules.json", ...at], { files: wrong, variables });
  assert.deepEqual([refused.status, refused.stdout], [1, ""]);
  assert.match(
    refused.stderr,
    /^pilotlight: rules\.json: rule 1 \(cpu\): .* returned 400: metric_name must begin with profiles_recorded_/,
  );
  const deleted = await pilotlight(["rules", "delete", id, ...at], { variables });
  assert.equal(deleted.stdout, `deleted ${id}\n`);
  const gone = await pilotlight(["rules", "delete", id, ...at], { variables });
  assert.match(gone.stderr, /returned 404: no rule has the id/);
});

test("rule files are YAML, too, with rules of Pyroscope's command line", async () => {
  const { token: PILOTLIGHT_TOKEN } = await tokenOf("read");
  const variables = { PILOTLIGHT_TOKEN };
  const at = ["--url", server.url];
  const cpu = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
  const yaml = `# Of the shop
rules:
  - metric_name: profiles_recorded_yaml
    query: ${cpu}{service_name="shop"}
    function_regex: ^work
    external_labels:
      team: shop
  - metric_name: profiles_recorded_pyroscope
    matchers:
      - '{ __profile_type__="${cpu}", region="emea"}'
      - '{service_name=~"a|b"}'
    group_by: [service_name]
    external_labels:
      - {name: team, value: runtime}
    function_name: runtime.gcBgMarkWorker
`;
  const apply = (content) =>
    pilotlight(["rules", "apply", "rules.yaml", ...at], { files: { "rules.yaml": content }, variables });
  const saved = await apply(yaml);
  assert.equal(saved.stderr, "");
  const ids = [...saved.stdout.matchAll(/^saved ([a-z]{10}) /gm)].map(([, id]) => id);
  assert.equal(ids.length, 2);
  const list = await pilotlight(["rules", "list", "--yaml", ...at], { variables });
  assert.equal(
    list.stdout,
    `rules:
  - id: ${ids[0]}
    metric_name: profiles_recorded_yaml
    query: ${cpu}{service_name="shop"}
    external_labels:
      team: shop
    function_regex: ^work
  - id: ${ids[1]}
    metric_name: profiles_recorded_pyroscope
    query: ${cpu}{region="emea", service_name=~"a|b"}
    group_by:
      - service_name
    external_labels:
      team: runtime
    function: runtime.gcBgMarkWorker
`,
  );
  const same = await apply(list.stdout);
  assert.deepEqual(
    same.stdout.split("\n").slice(0, 2),
    ids.map((id, i) => `replaced ${id} (profiles_recorded_${["yaml", "pyroscope"][i]})`),
  );
  const says = async (content) => (await apply(content)).stderr;
  assert.equal(
    await says(yaml.replace("function_regex", "function_reqex")),
    "pilotlight: rules.yaml: rule 1 (profiles_recorded_yaml): unknown field function_reqex. Did you mean function_regex?\n",
  );
  assert.match(await says(yaml.replace("rules:", "rules: [")), /^pilotlight: rules\.yaml: line \d+: /);
  assert.match(
    await says(yaml.replace("_pyroscope", "_yaml")),
    /^pilotlight: rules\.yaml: rule 2 \(profiles_recorded_yaml\) would replace rules\.yaml: rule 1 /,
  );
  assert.match(
    await says(yaml.replace('region="emea"', "region=emea")),
    /^pilotlight: rules\.yaml: rule 2 \(profiles_recorded_pyroscope\): http:\S+ returned 400: /,
  );
  await pilotlight(["rules", "delete", ...ids, ...at], { variables });
});

test("a folder is written that runs on its own, and an upgrade keeps its configuration", async () => {
  const out = own("commands-selfhost");
  rmSync(out, { recursive: true, force: true });
  const written = await pilotlight(["selfhost", "--out", out]);
  assert.equal(written.status, 0, written.stderr);
  assert.match(written.stdout, /shown only once:\n\n {4}plt_\S{43}\n/);
  for (const name of ["worker/entry.js", "pages/index.html", "pilotlight.service", "Containerfile", ".dockerignore"])
    assert.ok(existsSync(join(out, name)), name);
  assert.ok(!existsSync(join(out, "pages/_headers")));
  const configuration = join(out, "pilotlight.env");
  assert.equal(statSync(configuration).mode & 0o777, 0o600);
  const text = readFileSync(configuration, "utf8");
  assert.match(text, /^ADMIN_TOKEN_SHA256=[0-9a-f]{64}$/m);
  const unset = await run(join(out, "bin/pilotlight"), []);
  assert.deepEqual([unset.status, unset.stderr], [2, "S3_ENDPOINT is not set: see pilotlight.env\n"]);
  const [token] = /plt_\S{43}/.exec(written.stdout);
  const alone = await startFolder(out);
  const words = ["push", "a.folded", "--name", "alone", "--url", alone.url];
  const files = { "a.folded": "main;work 7\n" };
  assert.equal((await pilotlight(words, { files })).status, 1, "it is locked");
  const pushed = await pilotlight(words, { files, variables: { PILOTLIGHT_TOKEN: token } });
  assert.match(pushed.stdout, /^a\.folded: stored/, pushed.stderr);
  await alone.stop();

  const again = await pilotlight(["selfhost", "--out", out]);
  assert.match(again.stdout, /pilotlight\.env and the databases are unchanged/);
  assert.equal(readFileSync(configuration, "utf8"), text);
  const other = await pilotlight(["selfhost", "--out", "."], { files: { "a.folded": "" } });
  assert.equal(other.status, 1);
  assert.match(other.stderr, /is neither empty nor a folder that this command wrote/);
  rmSync(out, { recursive: true });
});

test("every command has help with an example, and says what was probably meant", async () => {
  const { stdout } = await pilotlight(["--help"]);
  const commands = [...stdout.matchAll(/^ {2}([a-z]+) {2,}\S/gm)].map(([, name]) => name);
  assert.ok(
    ["bundle", "demo", "export", "push", "selfhost", "serve", "token"].every((name) => commands.includes(name)),
  );
  for (const command of commands) {
    const help = await pilotlight([command, "--help"]);
    assert.equal(help.status, 0, command);
    assert.match(help.stdout, new RegExp(`^Usage: pilotlight ${command} `, "m"));
    assert.match(help.stdout, new RegExp(`^Examples:\n(.*\n)* .*pilotlight ${command}`, "m"));
    assert.ok(
      help.stdout.split("\n").every((line) => line.length <= 100),
      `${command}: lines are short`,
    );
    assert.equal((await pilotlight(["help", command])).stdout, help.stdout);
    const unknown = await pilotlight([command, "--halp"]);
    assert.equal(unknown.status, 2);
    assert.match(unknown.stderr, /^pilotlight: unknown option --halp\. Did you mean --help\?\n\nUsage: pilotlight /);
  }
  const wrong = async (words, pattern) => {
    const { status, stderr } = await pilotlight(words.split(" "));
    assert.equal(status, 2, words);
    assert.match(stderr, pattern);
  };
  await wrong("psuh a.folded", /^pilotlight: psuh is neither a file nor a command\. Did you mean push\?\n$/);
  await wrong("push a.folded", /--name is missing/);
  await wrong("push --name app", /give at least one file/);
  await wrong("push a --naem app", /unknown option --naem\. Did you mean --name\?/);
  await wrong("push a --name", /--name needs a value/);
  await wrong("push a --name app --label env", /--label must be KEY=VALUE without commas, such as env=ci \(got env\)/);
  await wrong("push a --name app --time soon", /--time must be a time/);
  await wrong("push a --name app --url example.com", /--url must be the URL of a server/);
  await wrong("token lst", /unknown command token lst\. Did you mean list\?/);
  await wrong("token create --tenant t", /--scope is missing/);
  await wrong("token create --tenant t --scope push --expires 90", /--expires must be a length of time/);
  await wrong("token list --tenant t", /--tenant works only with token create/);
  await wrong("token list x", /unexpected argument x/);
  await wrong("token revoke", /give the ID of a token/);
});
