/**
 * Every snippet that the front page shows, run against the real agent as its registry has it. Where an agent cannot be
 * fetched, its test is skipped and says so; a snippet that nobody runs is a mistake.
 */
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { promisify } from "node:util";
import { launch, openPage, own, url } from "./page.mjs";

const run = promisify(execFile);
/** Fetching takes seconds; a registry that does not answer is given up. */
const FETCH_LIMIT = 90_000;
/** Compiling Go's agent for the first time takes a minute on a busy machine. */
const RUN_LIMIT = 150_000;
/** An agent pushes every 15 s; stopping it pushes at once. The worker then gathers for seconds. */
const ARRIVAL_LIMIT = 30_000;

/** A release of an agent changes nothing here until somebody tries it. */
const NODE_AGENT = "@pyroscope/nodejs@0.6.4";
const GO_AGENT = "github.com/grafana/pyroscope-go@v1.4.3";

const root = join(process.env.PILOTLIGHT_SHOTS, "../agents");

let snippets;
before(async () => {
  const browser = await launch();
  try {
    snippets = await shown(browser);
  } finally {
    await browser.close();
  }
});

/** The snippets of a front page without data, by language. */
async function shown(browser) {
  const { page, at, end } = await openPage(browser, "/file");
  await page.route("**/api/v1/services**", (route) => route.fulfill({ json: { services: [], ended: [] } }));
  await page.goto(url);
  await at("empty").waitFor();
  const found = new Map();
  const languages = page.getByRole("group", { name: "Language" }).getByRole("button");
  for (const button of await languages.all()) {
    await button.click();
    found.set(await button.textContent(), await at("snippet").textContent());
  }
  await end();
  return found;
}

/** A snippet with an application of its own, so that what arrives is its own. */
function named(language, application) {
  const text = snippets.get(language);
  assert.ok(text?.includes("my.app"), `the snippet for ${language} names its application: ${text}`);
  assert.ok(text.includes(url.replace(/\/$/, "")), `the snippet for ${language} has this address: ${text}`);
  return text.replaceAll("my.app", application);
}

function folder(name) {
  const path = join(root, name);
  mkdirSync(path, { recursive: true });
  return path;
}

function fetched(context, words, options) {
  const [program, ...args] = words;
  const outcome = spawnSync(program, args, { timeout: FETCH_LIMIT, encoding: "utf8", ...options });
  if (outcome.status === 0) return true;
  context.skip(
    `${words.join(" ")} does not work here: ${outcome.error?.message ?? outcome.stderr.trim().split("\n").at(-1)}`,
  );
  return false;
}

/** Waits until the service has a profile of any time, and says which types it has. */
async function arrived(service) {
  const began = Date.now();
  for (;;) {
    const { services } = await (await fetch(`${url}/api/v1/services?from=0&until=${Date.now() + 60_000}`)).json();
    const found = services.find(({ name }) => name === service);
    if (found) return found.types.map(({ id }) => id);
    if (Date.now() - began > ARRIVAL_LIMIT)
      throw new Error(`nothing of ${service} has arrived; there are ${services.map(({ name }) => name)}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** A program that has something to profile. */
const BUSY_NODE = `
const until = Date.now() + 3_000;
while (Date.now() < until) {
  JSON.parse(JSON.stringify([...Array(1_000).keys()]));
  await new Promise((resolve) => setImmediate(resolve));
}
await Pyroscope.stop();
process.exit(0);
`;
const BUSY_GO = `
	for until := time.Now().Add(3 * time.Second); time.Now().Before(until); {
		_ = strings.Repeat("x", 1000)
	}
	profiler.Stop()
`;

const RUNS = {
  curl: async () => {
    const [where, application] = [folder("curl"), `curl.${Date.now()}`];
    // The profile's own time counts: the file is a fixed one.
    copyFileSync(own("checkout-1.8.2.pb.gz"), join(where, "cpu.pprof"));
    const { stdout } = await run(
      "bash",
      ["-euc", named("curl", application).replace("curl ", "curl --fail --silent --show-error ")],
      { cwd: where, timeout: RUN_LIMIT },
    );
    assert.equal(stdout, "", "no complaint");
    assert.ok((await arrived(application)).some((id) => id.includes(":cpu:")));
  },
  Node: async (context) => {
    const [where, application] = [folder("node"), `node.${Date.now()}`];
    writeFileSync(join(where, "package.json"), '{ "private": true }');
    if (!fetched(context, ["npm", "install", "--no-audit", "--no-fund", "--no-progress", NODE_AGENT], { cwd: where }))
      return;
    writeFileSync(join(where, "main.mjs"), named("Node", application) + BUSY_NODE);
    await run("node", ["main.mjs"], { cwd: where, timeout: RUN_LIMIT });
    assert.ok((await arrived(application)).length > 0);
  },
  Go: async (context) => {
    if (spawnSync("go", ["version"]).status !== 0) return context.skip("there is no go on this machine");
    const [where, application] = [folder("go"), `go.${Date.now()}`];
    for (const name of ["go.mod", "go.sum"]) rmSync(join(where, name), { force: true });
    // To stop it makes it push what it has; by itself it does so every quarter minute.
    const [imports, start] = named("Go", application)
      .replace("pyroscope.Start(", "profiler, err := pyroscope.Start(")
      .split("\n\n");
    writeFileSync(
      join(where, "main.go"),
      `package main\n\nimport (\n\t"strings"\n\t"time"\n)\n${imports}\n\nfunc main() {\n${start}\n\tif err != nil {\n\t\tpanic(err)\n\t}\n${BUSY_GO}}\n`,
    );
    const environment = { ...process.env, GOFLAGS: "-mod=mod", GOTOOLCHAIN: "local" };
    if (!fetched(context, ["go", "mod", "init", "snippet"], { cwd: where, env: environment })) return;
    if (!fetched(context, ["go", "get", GO_AGENT], { cwd: where, env: environment })) return;
    await run("go", ["run", "."], { cwd: where, timeout: RUN_LIMIT, env: environment });
    const types = await arrived(application);
    assert.ok(types.some((id) => id.startsWith("process_cpu:cpu:")));
  },
};

test("every snippet that is shown is run here", () =>
  assert.deepEqual([...snippets.keys()].sort(), Object.keys(RUNS).sort()));

for (const [language, tried] of Object.entries(RUNS)) {
  test(`the snippet for ${language} pushes`, { timeout: FETCH_LIMIT * 2 + RUN_LIMIT + ARRIVAL_LIMIT }, tried);
}
