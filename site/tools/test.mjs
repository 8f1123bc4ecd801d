// Runs test/*.test.ts under node:test, or the one that is named without its ending. Vite, which is here anyway, bundles them, since Node 20 reads no TypeScript.
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const root = fileURLToPath(new URL("..", import.meta.url));
const only = process.argv[2];
const outDir = `${root}node_modules/.cache/pilotlight-test`;
const input = readdirSync(`${root}test`)
  .filter((name) => name.endsWith(".test.ts") && (!only || name === `${only}.test.ts`))
  .map((name) => `${root}test/${name}`);

rmSync(outDir, { recursive: true, force: true });
await build({
  root,
  configFile: false,
  logLevel: "warn",
  build: {
    ssr: true,
    outDir,
    target: "node20",
    minify: false,
    rollupOptions: { input, output: { entryFileNames: "[name].mjs" } },
  },
});
const bundles = readdirSync(outDir).filter((name) => name.endsWith(".test.mjs"));
if (bundles.length !== input.length) throw new Error(`bundled ${bundles.length} of ${input.length} test files`);
const run = spawnSync(
  process.execPath,
  ["--test", "--test-reporter=spec", ...bundles.map((name) => `${outDir}/${name}`)],
  {
    cwd: root,
    stdio: "inherit",
  },
);
process.exit(run.status ?? 1);
