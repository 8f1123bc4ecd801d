// A program with a known hot function, profiled by @pyroscope/nodejs. The argument names the
// package, under which both versions stand beside each other.

import { setImmediate } from "node:timers/promises";

const { default: Pyroscope } = await import(process.argv[2]);
const { AGENT_APPLICATION, AGENT_SECONDS, AGENT_SERVER, AGENT_TOKEN } = process.env;

function hotWork() {
  return sum(30_000_000);
}

function mildWork() {
  return sum(10_000_000);
}

// Version 0.4 has no profiler for a moment after each upload, and throws then.
function labelled(work) {
  try {
    Pyroscope.wrapWithLabels({ step: "hot" }, work);
  } catch {
    work();
  }
}

function sum(steps) {
  let total = 0;
  for (let step = 0; step < steps; step += 1) total = (total + step * 31) % 1_000_003;
  return total;
}

Pyroscope.init({
  appName: AGENT_APPLICATION,
  serverAddress: AGENT_SERVER,
  authToken: AGENT_TOKEN,
  tags: { region: "eu" },
  flushIntervalMs: 4000,
  wall: { samplingDurationMs: 4000, collectCpuTime: true },
});
Pyroscope.start();
const kept = [];
const end = performance.now() + Number(AGENT_SECONDS) * 1000;
while (performance.now() < end) {
  labelled(hotWork);
  mildWork();
  kept.push(new Array(10_000).fill(kept.length));
  if (kept.length > 64) kept.shift();
  // The agent uploads from this very thread.
  await setImmediate();
}
// A round that is due at the moment of the stop finds no profiler, and rejects a promise that nobody awaits.
process.on("unhandledRejection", (error) => {
  if (!/profiler is not (started|enabled)/.test(error?.message)) throw error;
});
await Pyroscope.stop();
// A round whose timer fired just before the stop still begins the next one, and so on: the program would never end.
process.exit();
