/**
 * The commands in README.md, docs/ and the README of the npm package, as they stand there. Blocks of shell that can run on one machine do, against a server of the
 * npm package; all others are listed with the reason. A block that is in neither list fails.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { install, run, startServer } from "./installed.mjs";
import { own } from "./page.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** No file of the tests is one. tests/tests push recordings that they make. */
const NO_RECORDING = /\.jfr\b/;

/** By file and beginning: lines that are left out, or whether it is a server, which runs until it is stopped. */
const RUN = {
  "README.md": { "curl --data-binary @cpu.pprof": {} },
  "docs/alerts.md": {
    'curl -H "Authorization: Bearer $TOKEN" https://profiles.example.com/api/v1/rules': {},
    'curl -H "Authorization: Bearer $TOKEN" https://profiles.example.com/api/v1/receivers': {},
  },
  "docs/api.md": {
    "# What a pull request made slower": {},
    "curl -H 'Authorization: Bearer TOKEN' -d '{\"text\"": {},
    "curl --data-binary @cpu.pb.gz": {},
  },
  "docs/bundles.md": { "pilotlight bundle": { without: /^python3/ }, "PILOTLIGHT_TOKEN=": {} },
  "docs/first-profile.md": { "curl --data-binary @cpu.pprof": {} },
  "docs/operate.md": { "curl -X POST": {} },
  "docs/pgo.md": { "curl --fail --header": {} },
  "docs/push.md": {
    "pilotlight push cpu.pprof": { without: NO_RECORDING },
    "curl --data-binary @cpu.pprof": { without: NO_RECORDING },
  },
  "docs/query.md": { "curl 'http://localhost:4040/pyroscope/render": {} },
  "docs/rules.md": { 'curl -H "Authorization: Bearer $TOKEN"': {} },
  "docs/security.md": { "pilotlight token create": {}, "curl -X PUT": {} },
  "docs/serve.md": {
    "npm install --global": { without: /^npm install/, isServer: true },
    "pilotlight push": {},
    "pilotlight serve --host 0.0.0.0": { isServer: true },
    "pilotlight token create": {},
  },
  "site/package/README.md": {
    "pilotlight bundle": {},
    "npm install --global": { without: /^npm install/, isServer: true },
    "pilotlight push": {},
  },
};

const BUILD = "builds everything";
const ACCOUNT = "needs an account in a cloud; deploy.test.mjs runs the command with a stand-in";

/** By file and beginning: why it does not run here. */
const NOT_RUN = {
  "README.md": { "cargo xtask run": BUILD, "cargo xtask demo": BUILD, "cargo xtask setup": ACCOUNT },
  "docs/alerts.md": {
    'curl -H "Authorization: Bearer $TOKEN" https://profiles.example.com/api/v1/alerts':
      "needs an alert with this ID and a receiver that answers; alerts.test.mjs makes both",
  },
  "docs/api.md": { "claude mcp add": "a program that is not ours" },
  "docs/first-profile.md": { "cargo xtask run": BUILD },
  "docs/security.md": { 'token="plt_': ACCOUNT },
  "docs/selfhost.md": {
    "pilotlight selfhost": "the configuration is edited by hand; commands.test.mjs runs such a folder",
    "# as root": "changes the services of this machine",
    "cd /opt/pilotlight": "needs Docker",
  },
  "docs/serve.md": { "export S3_ACCESS_KEY_ID": "needs a bucket in a cloud; serve.test.mjs runs it with another" },
  "site/package/README.md": {
    "pilotlight cpu.pb.gz": "opens a browser; package.test.mjs runs it without one",
    "pilotlight demo": "needs a server at its own address; demo.test.mjs runs it with another",
  },
  "docs/viewer.md": { PROFILE_ORIGINS: BUILD, FRAME_ORIGINS: BUILD, "cargo xtask package": BUILD },
};

const folder = own("docs");
/** What stands before each block: failures of curl are failures, servers take a free port, and no module of Go is here. */
const PRELUDE = `set -eu
curl() { command curl --fail --silent --show-error "$@"; }
go() { test "$1" = build; }
pilotlight() {
  if [ "$1" != serve ]; then command pilotlight "$@"; return; fi
  shift; exec pilotlight serve --port 0 --data data "$@"
}
`;

let [installed, server, token] = [];
before(async () => {
  installed = install("docs", { server: true });
  server = await startServer(installed.command, own("docs-data"));
  rmSync(folder, { recursive: true, force: true });
  for (const name of ["cmd/checkout", "profiles"]) mkdirSync(join(folder, name), { recursive: true });
  for (const name of ["cpu.pprof", "cpu.pb.gz", "profiles/checkout.pb.gz"])
    copyFileSync(own("checkout-1.9.0.pb.gz"), join(folder, name));
  writeFileSync(join(folder, "stacks.folded"), "main;work 7\n");
  writeFileSync(join(folder, "profile.speedscope.json"), SPEEDSCOPE);
  const pilotlight = async (...words) => {
    const { status, stdout, stderr } = await run(installed.command, [...words, "--url", server.url], { cwd: folder });
    assert.equal(status, 0, stderr);
    return stdout;
  };
  // What the queries of the docs are about.
  const push = ["push", "stacks.folded", "--name"];
  for (const version of ["1", "2"]) await pilotlight(...push, "checkout", "--label", `version=${version}`);
  await pilotlight(...push, "checkout", "--time", "2026-11-03T12:00:00Z");
  await pilotlight(...push, "my.app");
  const made = await pilotlight("token", "create", "--tenant", "anonymous", "--scope", "admin");
  token = { text: /plt_\S+/.exec(made)[0], id: /Its ID is (\S+)\./.exec(made)[1] };
});
after(() => server?.stop());

const SPEEDSCOPE = JSON.stringify({
  $schema: "https://www.speedscope.app/file-format-schema.json",
  shared: { frames: [{ name: "main" }] },
  profiles: [{ type: "sampled", name: "p", unit: "seconds", startValue: 0, endValue: 1, samples: [[0]], weights: [1] }],
});

/** The blocks of shell of a page. */
function blocksOf(file) {
  const text = readFileSync(join(root, file), "utf8");
  return [...text.matchAll(/^```(?:sh|bash|shell|console)\n(.*?)^```$/gms)].map(([, block]) => block);
}

/** Runs a block in the folder. A server is stopped when it is ready. */
async function runBlock(block, { without, isServer }) {
  const lines = block.split("\n").filter((line) => !without?.test(line));
  const script = lines
    .join("\n")
    .replace(/http:\/\/(localhost|127\.0\.0\.1):4040|https:\/\/profiles\.example\.com/g, server.url)
    .replaceAll("0a1b2c3d4e5f", token.id)
    .replaceAll("plt_…", token.text)
    // The default.
    .replace(/pilotlight (push|token) (?![^\n]*--url)[^\n#]*/g, `$& --url ${server.url} `);
  const child = spawn("sh", ["-c", PRELUDE + script], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      PATH: `${dirname(installed.command)}:${process.env.PATH}`,
      TOKEN: token.text,
      PILOTLIGHT_TOKEN: token.text,
    },
  });
  let [said, isStopped] = ["", false];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => {
      said += text;
      if (!isServer || isStopped || !said.includes("Pilotlight is at http")) return;
      isStopped = true;
      child.kill("SIGINT");
    });
  const [status] = await once(child, "close");
  assert.equal(status, 0, `${script}\n${said}`);
  assert.equal(isStopped, isServer === true);
}

const pages = [
  "README.md",
  "site/package/README.md",
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];
for (const file of pages) {
  const [toRun, notRun] = [RUN[file] ?? {}, NOT_RUN[file] ?? {}];
  const blocks = blocksOf(file);
  for (const block of blocks) {
    const begins = (start) => block.startsWith(start);
    const start = Object.keys(toRun).find(begins);
    if (start) test(`${file}: ${start}`, () => runBlock(block, toRun[start]));
    else if (!Object.keys(notRun).some(begins))
      test(`${file}: ${block.split("\n")[0]}`, () => assert.fail("add it to RUN or NOT_RUN in docs.test.mjs"));
  }
  for (const start of [...Object.keys(toRun), ...Object.keys(notRun)])
    if (!blocks.some((block) => block.startsWith(start)))
      test(`${file}: ${start}`, () => assert.fail("it is no longer there: take it out of docs.test.mjs"));
}
