/** Debian's Prometheus: fetched, started and asked. */
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
export const folder = join(process.env.PILOTLIGHT_SHOTS, "../prometheus");

/** The folder with the programs; undefined where there is none. */
export async function prometheus() {
  const programs = join(folder, "program/usr/bin");
  if (existsSync(programs)) return programs;
  mkdirSync(folder, { recursive: true });
  try {
    // It is not installed: that would start it.
    await run("apt-get", ["download", "prometheus"], { cwd: folder, timeout: 120_000 });
    const [archive] = readdirSync(folder).filter((name) => name.endsWith(".deb"));
    await run("dpkg", ["-x", archive, "program"], { cwd: folder });
    return programs;
  } catch (error) {
    console.log(`Debian's Prometheus cannot be fetched: ${error.stderr || error}`);
    return undefined;
  }
}

const freePort = () =>
  new Promise((found) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => found(port));
    });
  });

/** Starts it over a folder of data, and waits until it answers. */
export async function startPrometheus(program, data, configuration, flags = []) {
  const config = `${data}.yml`;
  // YAML has JSON in it.
  writeFileSync(config, JSON.stringify(configuration));
  const port = await freePort();
  const server = spawn(
    join(program, "prometheus"),
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${data}`,
      `--web.listen-address=127.0.0.1:${port}`,
      "--log.level=error",
      ...flags,
    ],
    { stdio: ["ignore", "ignore", "inherit"] },
  );
  const address = `http://127.0.0.1:${port}`;
  await until(async () => (await fetch(`${address}/-/ready`).catch(() => undefined))?.ok);
  return { address, stop: () => server.kill() };
}

/** Asks until something is there. */
export async function until(found) {
  const last = Date.now() + 60_000;
  for (;;) {
    const value = await found();
    if (value) return value;
    assert.ok(Date.now() < last, "nothing came within a minute");
    await new Promise((later) => setTimeout(later, 100));
  }
}

export async function askPrometheus(address, path, parameters) {
  const answer = await fetch(`${address}/api/v1/${path}?${new URLSearchParams(parameters)}`);
  assert.equal(answer.status, 200, `${path} ${JSON.stringify(parameters)}: ${await answer.clone().text()}`);
  return (await answer.json()).data;
}

/** Series in order of labels; sums of decimals may differ in the last digit. */
export function shown({ resultType, result }) {
  const rounded = ([time, value]) => [time, Number(Number(value).toPrecision(12))];
  const series = result.map(({ metric, value, values }) => {
    const labels = Object.entries(metric).sort();
    return [JSON.stringify(labels), (values ?? [value]).map(rounded)];
  });
  return [resultType, series.sort()];
}
