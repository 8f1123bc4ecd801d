/** A worker of a test's own, whose clock the test sets and whose bucket it copies to a folder. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const at = (name) => fileURLToPath(new URL(`../local/${name}`, import.meta.url));

/** Starts the built worker over an empty bucket, which it keeps in the folder `state`. */
export async function startWorker(state, variables, parts = {}) {
  rmSync(state, { recursive: true, force: true });
  const asked = { state, port: 0, variables, itself: false, core: null, entry: null, ...parts };
  const child = spawn("node", [at("serve.mjs"), JSON.stringify(asked)], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async () => {
    for (;;) {
      const { value, done } = await lines.next();
      assert.ok(!done, "the worker ended");
      if (value.startsWith("answer: ")) return JSON.parse(value.slice("answer: ".length));
    }
  };
  const tell = async (line) => {
    child.stdin.write(`${line}\n`);
    const { objects, problem } = await answer();
    assert.equal(problem, undefined);
    return objects.map(([key]) => key);
  };
  const { ready: url } = await answer();
  let minutes = 0;
  const get = async (path) => {
    const response = await fetch(url + path);
    assert.ok(response.ok, `${path}: ${response.status} ${response.ok || (await response.text())}`);
    return response;
  };
  return {
    url,
    get,
    setClock: (millis) => get(`/clock?millis=${millis}`),
    /** A minute of the schedule: publication when it is due, and one job. The shards take turns in being the first. */
    runSchedule: () => get(`/cdn-cgi/handler/scheduled?time=${60_000 * ++minutes}`),
    /** Names of all objects. */
    objects: () => tell("objects"),
    /** Writes all objects as files below a folder, and gives their names. */
    copy: (folder) => {
      rmSync(folder, { recursive: true, force: true });
      return tell(`copy ${folder}`);
    },
    close: async () => {
      child.stdin.end();
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}
