/** workerd, which runs the worker: how it starts, and that it does not outlive this process. */
import { execFileSync, spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { readIfThere } from "./folder.mjs";
import { serverParts } from "./parts.mjs";

/** Has the process number of workerd, in the data folder. */
const PID = "workerd.pid";
/** How long requests that were accepted may take when the server is stopped: longer than pushes gather (`FLUSH_MS`). */
const DRAIN_MS = 10_000;
/** Until a process is gone that was killed. */
const GONE_MS = 5000;

/**
 * Starts workerd in the data folder. `port` is where it listens, once it does; `ended` says why it has ended. Both are promises
 * that never fail.
 */
export function startWorkerd(program, { listen, state, variables }) {
  const { server, pages } = serverParts();
  const words = ["serve", join(server, "pilotlight.capnp"), `-shttp=${listen}`, `-dstate=${state}`, `-dpages=${pages}`];
  const child = spawn(program, [...words, "--control-fd=3"], {
    env: variables,
    // Ctrl-C is for this process, which then ends workerd.
    detached: true,
    stdio: ["ignore", process.stderr, process.stderr, "pipe"],
  });
  const ended = new Promise((resolve) => {
    child.on("error", (error) => resolve(`it could not start: ${error.message}`));
    child.on("exit", (code, signal) => resolve(signal ? `it was killed by ${signal}` : `it ended with code ${code}`));
  });
  const port = new Promise((resolve) => {
    createInterface({ input: child.stdio[3] }).on("line", (line) => {
      const { event, port } = JSON.parse(line);
      if (event === "listen") resolve(port);
    });
  });
  if (child.pid !== undefined) {
    writeFileSync(PID, String(child.pid));
    const watchdog = watch(child.pid);
    ended.then(() => {
      watchdog?.kill("SIGKILL");
      rmSync(PID, { force: true });
    });
  }
  /** Answers what was asked, then ends; at once when `now` is set. */
  const stop = async (now = false) => {
    child.kill(now ? "SIGKILL" : "SIGTERM");
    const late = setTimeout(() => child.kill("SIGKILL"), DRAIN_MS);
    await ended;
    clearTimeout(late);
  };
  return { port, ended, stop };
}

/** Ends workerd as soon as this process is gone, and with it the pipe that the shell reads from. Windows has no such shell. */
function watch(pid) {
  if (process.platform === "win32") return undefined;
  const script = 'read -r _; kill -9 "$1"';
  const shell = spawn("sh", ["-c", script, "sh", String(pid)], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  shell.on("error", (error) => console.error(`pilotlight: cannot watch workerd: ${error.message}`));
  shell.unref();
  shell.stdin.unref();
  return shell;
}

/**
 * Ends the workerd of a server that was killed, if it is still there: it would write to the same databases. Says whether there
 * was such a server.
 */
export async function endLeftover(state) {
  const pid = Number(readIfThere(PID));
  if (!pid) return false;
  if (!commandOf(pid).includes(`-dstate=${state}`)) return true;
  try {
    process.kill(pid, "SIGKILL");
  } catch ({ code }) {
    // The shell that watched it was quicker.
    if (code !== "ESRCH") throw new Error(`cannot stop workerd from an earlier server (process ${pid}): ${code}`);
  }
  for (const began = Date.now(); commandOf(pid) !== ""; await pause(10))
    if (Date.now() - began > GONE_MS)
      throw new Error(`workerd from an earlier server is still running (process ${pid}). Stop it and try again`);
  return true;
}

/** The command line of a process, empty where there is none. */
function commandOf(pid) {
  try {
    if (process.platform === "linux") return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
    if (process.platform === "win32") return "";
    return execFileSync("ps", ["-o", "command=", "-p", String(pid)], { encoding: "utf8" });
  } catch {
    return "";
  }
}
