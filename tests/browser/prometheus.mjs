/** Debian's Prometheus: fetched, started and asked. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startServer, unpacked } from "./debian.mjs";

export { until } from "./debian.mjs";

/** Where tests keep their data. */
export const folder = join(process.env.PILOTLIGHT_SHOTS, "../prometheus-data");
mkdirSync(folder, { recursive: true });

/** The folder with the programs; undefined where there is none. */
export async function prometheus() {
  const files = await unpacked("prometheus");
  return files && join(files, "usr/bin");
}

/** Starts it over a folder of data. */
export async function startPrometheus(program, data, configuration, flags = []) {
  const config = `${data}.yml`;
  // YAML has JSON in it.
  writeFileSync(config, JSON.stringify(configuration));
  return startServer(join(program, "prometheus"), [`--config.file=${config}`, `--storage.tsdb.path=${data}`, ...flags]);
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
