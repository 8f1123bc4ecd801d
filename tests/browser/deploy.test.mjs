/** `pilotlight deploy` of the npm package, from its tarball, with a stand-in for wrangler and the account behind it. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, beforeEach, test } from "node:test";
import { install, run } from "./installed.mjs";
import { own } from "./page.mjs";

/** Answers as wrangler does. The account is a file: what is there, which command fails, and which ones were run. */
const WRANGLER = `
const { readFileSync, writeFileSync } = require("node:fs");
const { basename } = require("node:path");
const account = JSON.parse(readFileSync(process.env.ACCOUNT, "utf8"));
const words = process.argv.slice(2);
const call = words.map((word) => word.startsWith("/") ? basename(word) : word).join(" ");
account.calls.push(call);
const end = (text, status = 0) => {
  writeFileSync(process.env.ACCOUNT, JSON.stringify(account));
  (status === 0 ? process.stdout : process.stderr).write(text + "\\n");
  process.exitCode = status;
};
const at = (option) => words[words.indexOf(option) + 1];
const [first, second, third] = words;
if (account.fails && call.startsWith(account.fails[0])) end(account.fails[1], 1);
else if (first === "whoami") end(account.isLoggedIn ? "You are logged in." : "You are not authenticated.");
else if (third === "info") account.bucket === words[3] ? end("") : end("The specified bucket does not exist", 1);
else if (third === "create") end("", 0, account.bucket = words[3]);
else if (first === "secret" && !account.config) end('Worker "' + at("--name") + '" not found.', 1);
else if (first === "secret") end(account.digest ? '[{"name":"ADMIN_TOKEN_SHA256","type":"secret_text"}]' : "[]");
else if (first === "deploy") {
  account.config = readFileSync(at("--config"), "utf8");
  if (words.includes("--secrets-file"))
    account.digest = JSON.parse(readFileSync(at("--secrets-file"), "utf8")).ADMIN_TOKEN_SHA256;
  end("Deployed\\n  https://pilotlight.someone.workers.dev\\n  schedule: * * * * *");
} else end("");
`;

let installed;
before(() => {
  installed = install("deploy", { server: true });
  const wrangler = join(installed.folder, "node_modules/wrangler");
  mkdirSync(join(wrangler, "bin"), { recursive: true });
  writeFileSync(join(wrangler, "package.json"), '{ "name": "wrangler", "version": "0.0.0" }');
  writeFileSync(join(wrangler, "bin/wrangler.js"), WRANGLER);
});

const cwd = own("deploy");
const ACCOUNT = join(cwd, "account.json");
const account = () => JSON.parse(readFileSync(ACCOUNT, "utf8"));
const change = (values) => writeFileSync(ACCOUNT, JSON.stringify({ ...account(), calls: [], ...values }));
beforeEach(() => {
  rmSync(cwd, { recursive: true, force: true });
  mkdirSync(cwd);
  writeFileSync(ACCOUNT, JSON.stringify({ isLoggedIn: true, calls: [] }));
});

const deploy = (...words) => run(installed.command, ["deploy", ...words], { cwd, variables: { ACCOUNT, TMPDIR: cwd } });
const digestOf = (token) => createHash("sha256").update(token).digest("hex");

test("a first deployment makes everything, and a second one keeps it", async () => {
  const first = await deploy("--bucket", "files", "--preset", "free");
  assert.equal(first.status, 0, first.stderr);
  assert.deepEqual(account().calls, [
    "whoami",
    "r2 bucket info files",
    "r2 bucket create files",
    "secret list --name pilotlight --config wrangler.toml",
    "deploy --config wrangler.toml --secrets-file secrets.json",
  ]);
  assert.match(first.stdout, /Pilotlight is at https:\/\/pilotlight\.someone\.workers\.dev and is locked/);
  assert.match(first.stdout, /pilotlight token create --url https:\/\/pilotlight\.someone\.workers\.dev --tenant/);
  const [token] = /plt_\S{43}/.exec(first.stdout);
  const { digest, config } = account();
  assert.equal(digest, digestOf(token));
  assert.match(config, /\nAUTH = "required"\n/, "it is never open");
  assert.match(config, /\nRETENTION_RAW_DAYS = "14"\n/);
  const [, main] = /\nmain = "(.*)"\n/.exec(config);
  assert.ok(readFileSync(main, "utf8").includes("./build/pilotlight.js"));

  change({});
  const second = await deploy();
  assert.deepEqual(account().calls, [
    "whoami",
    "r2 bucket info files",
    "secret list --name pilotlight --config wrangler.toml",
    "deploy --config wrangler.toml",
  ]);
  assert.equal(account().config, config, "the options are those of the first");
  assert.doesNotMatch(second.stdout, /plt_\S{43}/);
  assert.match(second.stdout, /Upgraded; tokens and data are unchanged/);

  const third = await deploy("--new-token", "--domain", "p.example.com");
  const [replaced] = /plt_\S{43}/.exec(third.stdout);
  assert.notEqual(replaced, token);
  assert.equal(account().digest, digestOf(replaced));
  assert.match(third.stdout, /Pilotlight is at https:\/\/p\.example\.com and/);
  assert.deepEqual(readdirSync(cwd), ["account.json", "deploy.toml"], "nothing else stays behind");
});

test("a rollback and a check of the login are one command each, and a dry run needs no account", async () => {
  change({ isLoggedIn: false });
  const dry = await deploy("--dry-run", "--bucket", "files");
  assert.equal(dry.status, 0, dry.stderr);
  assert.match(dry.stdout, /wrangler r2 bucket create files\n/);
  assert.deepEqual(account().calls, ["deploy --config wrangler.toml --dry-run --outdir bundle"]);
  change({});
  for (const words of [[], ["--check-login"], ["--rollback"]]) {
    const { status, stderr } = await deploy(...words);
    assert.equal(status, 1);
    assert.match(stderr, /not logged in[\s\S]*What to do: [\s\S]*wrangler login[\s\S]*CLOUDFLARE_API_TOKEN/);
  }
  assert.deepEqual(account().calls, ["whoami", "whoami", "whoami"]);
  change({ isLoggedIn: true });
  assert.match((await deploy("--check-login")).stdout, /You are logged in/);
  const back = await deploy("--rollback", "--name", "mine");
  assert.match(back.stdout, /mine runs the previous version/);
  assert.deepEqual(account().calls.slice(1), [
    "whoami",
    "rollback --name mine --message pilotlight deploy --rollback --yes",
  ]);
});

test("what failed is made up for by the same command, and a token is only replaced when that is asked for", async () => {
  for (const [start, says, remedy] of [
    [
      "r2 bucket create",
      "Please enable R2 through the Cloudflare Dashboard. [code: 10042]",
      /enable R2 for the account/,
    ],
    ["secret list", "fetch failed", /wrangler did not reach Cloudflare/],
    ["deploy", "broken", /run the same command again to continue/],
  ]) {
    change({ fails: [start, says] });
    const { status, stderr } = await deploy();
    assert.equal(status, 1);
    assert.ok(stderr.includes(says), stderr);
    assert.match(stderr, remedy);
    assert.equal(account().digest, undefined);
  }
  change({ fails: undefined });
  const [token] = /plt_\S{43}/.exec((await deploy()).stdout);
  change({ fails: ["secret list", "fetch failed"] });
  assert.equal((await deploy()).status, 1);
  assert.equal(account().digest, digestOf(token));
  assert.ok(!account().calls.some((call) => call.startsWith("deploy")));
});

test("options that can't be used are refused before anything is done", async () => {
  const refused = async (pattern, ...words) => {
    const { status, stderr } = await deploy(...words);
    assert.equal(status, 2);
    assert.match(stderr, pattern);
  };
  await refused(/--preset must be free or paid \(got huge\)/, "--preset", "huge");
  await refused(/--name must be 3 to 54 lower-case letters, digits and hyphens \(got A\)/, "--name", "A");
  await refused(/--bucket must be 3 to 54/, "--bucket", 'a"b');
  await refused(/--domain must be a host name, such as profiles\.example\.com/, "--domain", "localhost");
  await refused(/unknown option --dry-rnu\. Did you mean --dry-run\?/, "--dry-rnu");
  assert.deepEqual(account().calls, []);
});
