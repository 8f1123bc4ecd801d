/** `pilotlight serve` of the npm package: a whole server in one folder, which loses nothing that it acknowledged. */
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { launch, own } from "./page.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const packed = join(root, "target/npm-serve");
const command = join(packed, "package/pilotlight.mjs");
const modules = join(packed, "package/node_modules");
/** How often the server is killed, and how many pushes it acknowledges in between. */
const KILLS = Number(process.env.PILOTLIGHT_KILLS ?? 5);
const ACKNOWLEDGED = 12;
const PUSHERS = 4;
const MINUTE = Math.floor(Date.now() / 60_000) * 60;

let browser;
const running = new Set();
before(async () => {
  execFileSync("node", [join(root, "site/tools/pack.mjs"), "--server", "--out", packed]);
  // As `npm install workerd` puts it there.
  mkdirSync(modules);
  symlinkSync(join(root, "xtask/npm/node_modules/workerd"), join(modules, "workerd"));
  browser = await launch();
});
after(async () => {
  for (const child of running) child.kill("SIGKILL");
  await browser?.close();
});

/** An empty folder for data. */
function empty(name) {
  const folder = own(`serve-${name}`);
  rmSync(folder, { recursive: true, force: true });
  return folder;
}

/** Starts a server in a folder, and waits until it says where it is. */
async function start(data, words = ["--port", "0"], variables = {}) {
  const child = spawn("node", [command, "serve", "--data", data, ...words], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, FLUSH_MS: "20", ...variables },
  });
  running.add(child);
  const ended = once(child, "exit").then(([code]) => {
    running.delete(child);
    return code;
  });
  let said = "";
  const url = await new Promise((resolve, reject) => {
    const hear = (text) => {
      said += text;
      const found = /Pilotlight is at (http:\S+)/.exec(said);
      if (found) resolve(found[1]);
    };
    child.stdout.setEncoding("utf8").on("data", hear);
    child.stderr.setEncoding("utf8").on("data", hear);
    ended.then((code) => reject(new Error(`it ended with ${code}: ${said}`)));
  });
  return { child, url, ended, said: () => said, workerd: Number(readFileSync(join(data, "workerd.pid"), "utf8")) };
}

async function stop({ child, ended }) {
  child.kill("SIGINT");
  assert.equal(await ended, 0);
}

/** A process that has ended may be listed until somebody asks for its status; it has no command line any more. */
function isAlive(pid) {
  const path = `/proc/${pid}/cmdline`;
  return existsSync(path) && readFileSync(path, "utf8") !== "";
}

/** One profile of one sample, 10 ms, with a function of its own. */
function push(url, number, headers = {}) {
  const path = `/ingest?name=served&format=folded&from=${MINUTE}&until=${MINUTE + 10}`;
  return fetch(url + path, { method: "POST", body: `main;push${number} 1\n`, headers });
}

/** How many times each function was pushed. */
async function stored(url) {
  const query = 'process_cpu:cpu:nanoseconds:cpu:nanoseconds{service_name="served"}';
  const range = { from: (MINUTE - 60) * 1000, until: (MINUTE + 60) * 1000 };
  const answer = await fetch(
    `${url}/pyroscope/render?${new URLSearchParams({ query, ...range, "max-nodes": 60_000 })}`,
  );
  assert.equal(answer.status, 200);
  const { names, levels } = (await answer.json()).flamebearer;
  const found = new Map();
  for (const level of levels)
    for (let i = 0; i < level.length; i += 4) found.set(names[level[i + 3]], level[i + 1] / 10_000_000);
  return found;
}

test("a new server takes pushes, answers queries and serves the pages", async () => {
  const data = empty("new");
  const server = await start(data);
  const check = await fetch(`${server.url}/api/v1/admin/bucket-check`, { method: "POST" });
  const { ok, checks } = await check.json();
  assert.ok(ok, JSON.stringify(checks.filter((check) => !check.ok)));
  assert.equal((await push(server.url, 1)).status, 200);
  assert.equal((await stored(server.url)).get("push1"), 1);
  // An export as a site consists of these.
  const pages = await (await fetch(`${server.url}/files.json`)).json();
  assert.ok(pages.includes("explorer.html"));
  const answers = await Promise.all(pages.map(async (name) => [name, (await fetch(`${server.url}/${name}`)).status]));
  assert.deepEqual(
    answers.filter(([, status]) => status !== 200),
    [],
  );

  const page = await browser.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  await page.goto(server.url);
  await page.getByText("served", { exact: true }).first().waitFor();
  assert.deepEqual(errors, []);
  await page.close();

  const second = spawnSync("node", [command, "serve", "--data", data, "--port", "0"], { encoding: "utf8" });
  assert.equal(second.status, 1);
  assert.match(second.stderr, new RegExp(`${data} is in use by another server \\(process ${server.child.pid}\\)`));
  const { port } = new URL(server.url);
  const taken = spawnSync("node", [command, "serve", "--data", empty("taken"), "--port", port], { encoding: "utf8" });
  assert.match(taken.stderr, /port \d+ is in use\. Choose another one with --port/);
  await stop(server);
  assert.ok(!isAlive(server.workerd));
  // The command that it printed, from the folder where it was started.
  const [, program] = /Push a profile: +node (\S+) push/.exec(server.said());
  assert.equal(resolve(program), command);
});

test(`pushes that were acknowledged are there after kill -9, ${KILLS} times`, async () => {
  const data = empty("killed");
  let server = await start(data);
  let [next, acknowledged, stopping, failed] = [0, 0, false, false];
  let enough;
  const pusher = async () => {
    while (!stopping) {
      const number = next++;
      // As agents do: the same again, until it is acknowledged. Such a push counts once.
      while (!failed) {
        const answer = await push(server.url, number).catch(() => undefined);
        if (answer?.ok) break;
        await pause(20);
      }
      acknowledged++;
      if (acknowledged % ACKNOWLEDGED === 0) enough?.();
    }
  };
  const pushers = Array.from({ length: PUSHERS }, pusher);
  try {
    for (let kill = 0; kill < KILLS; kill++) {
      await new Promise((resolve) => {
        enough = resolve;
      });
      const { child, ended, workerd } = server;
      child.kill("SIGKILL");
      await ended;
      // At once, so that the next one may find the last one's workerd.
      server = await start(data, ["--port", new URL(server.url).port]);
      assert.ok(!isAlive(workerd), "workerd ended with the server");
    }
  } catch (error) {
    failed = true;
    throw error;
  } finally {
    stopping = true;
    await Promise.all(pushers);
  }
  const found = await stored(server.url);
  const wrong = Array.from({ length: next }, (_, number) => number).filter(
    (number) => found.get(`push${number}`) !== 1,
  );
  assert.deepEqual(wrong, []);
  assert.ok(next >= KILLS * ACKNOWLEDGED);
  console.log(`${KILLS} kills, ${acknowledged} pushes acknowledged`);
  server.child.kill("SIGKILL");
  const began = Date.now();
  while (isAlive(server.workerd)) {
    assert.ok(Date.now() - began < 10_000, "workerd outlives the server");
    await pause(20);
  }
});

test("when workerd ends, the server does, and says so", async () => {
  const server = await start(empty("ended"));
  process.kill(server.workerd, "SIGKILL");
  assert.equal(await server.ended, 1);
  assert.match(server.said(), /pilotlight: workerd stopped: it was killed by SIGKILL/);
});

test("with --auth required, the token of the first start lets in", async () => {
  const data = empty("locked");
  const words = ["--port", "0", "--auth", "required"];
  const first = await start(data, words);
  assert.equal((await push(first.url, 1)).status, 401);
  const [token] = /plt_\S+/.exec(first.said());
  const made = await fetch(`${first.url}/api/v1/admin/tokens`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ tenant: "anonymous", scopes: ["push"], name: "agents" }),
  });
  assert.equal(made.status, 200);
  const { token: pushing } = await made.json();
  await stop(first);
  const second = await start(data, words);
  assert.doesNotMatch(second.said(), /plt_\w/);
  assert.equal((await push(second.url, 2, { authorization: `Bearer ${pushing}` })).status, 200);
  await stop(second);
});

test("profiles are kept in the S3 bucket that it is told, and the catalog is of that bucket", async () => {
  const [data, folder] = [empty("s3"), empty("s3-bucket")];
  // Another embedded bucket speaks S3, too.
  const { startBucket } = await import(join(packed, "package/serve/bucket.mjs"));
  const bucket = await startBucket(folder);
  const { S3_ENDPOINT, S3_BUCKET, ...keys } = bucket.variables;
  const server = await start(data, ["--port", "0", "--s3-endpoint", S3_ENDPOINT, "--s3-bucket", S3_BUCKET], keys);
  assert.equal((await push(server.url, 1)).status, 200);
  assert.equal((await stored(server.url)).get("push1"), 1);
  await stop(server);
  bucket.close();
  assert.ok(existsSync(join(folder, "objects/t")));
  assert.deepEqual(
    readdirSync(data).map((name) => name.replace(/[0-9a-f]{12}$/, "…")),
    ["state-s3-…"],
  );
});

test("the package has the licences of what the server is made of", () => {
  const text = readFileSync(join(packed, "package/THIRD_PARTY_NOTICES"), "utf8");
  for (const name of ["rusty-s3", "worker", "preact"]) assert.match(text, new RegExp(`^${name} \\d`, "m"));
});

test("what it cannot do it says", () => {
  const run = (words, variables = {}) =>
    spawnSync("node", [command, "serve", ...words], { encoding: "utf8", env: { ...process.env, ...variables } });
  const failed = (code, pattern, ...given) => {
    const { status, stderr } = run(...given);
    assert.equal(status, code);
    assert.match(stderr, pattern);
  };
  const refused = (...given) => failed(2, ...given);
  refused(/--port must be from 0 to 65535 \(got nine\)/, ["--port", "nine"]);
  refused(/--port cannot be 6000: browsers refuse/, ["--port", "6000"]);
  refused(/--host must be an IP address/, ["--host", "example.com"]);
  refused(/--auth must be open or required \(got none\)/, ["--auth", "none"]);
  refused(/--s3-bucket needs --s3-endpoint/, ["--s3-bucket", "profiles"]);
  const s3 = ["--s3-endpoint", "http://127.0.0.1:9", "--s3-bucket", "profiles"];
  refused(/S3_ACCESS_KEY_ID is not set/, s3, { S3_ACCESS_KEY_ID: "" });
  refused(/--what[\s\S]*Usage: pilotlight serve/, ["--what"]);
  failed(1, /cannot write to the data folder .*: (ENOTDIR|EEXIST)/, ["--data", join(command, "folder")]);
  failed(1, /FLUSH_MS must be a number[\s\S]*workerd stopped/, ["--port", "0", "--data", empty("wrong")], {
    FLUSH_MS: "soon",
  });
  assert.match(run(["--help"]).stdout, /^Runs a Pilotlight server/);
  rmSync(join(modules, "workerd"));
  const { workerd } = JSON.parse(readFileSync(join(packed, "package/package.json"), "utf8")).pilotlight;
  failed(1, new RegExp(`npm install workerd@${workerd}`), ["--data", empty("missing")]);
});
