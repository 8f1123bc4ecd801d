/** Firefox, driven over Marionette: JSON over a socket, which every Firefox has. Playwright needs one of its own build. */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";
export const KEYS = { Enter: "\uE007", ArrowDown: "\uE015", Home: "\uE011" };
const PATIENCE_MILLIS = 60_000;

/** Starts it with a profile folder of its own, where it also saves what it downloads. */
export async function launchFirefox(path) {
  const folder = mkdtempSync(join(tmpdir(), "pilotlight-firefox-"));
  const settings = {
    "marionette.port": 0,
    "browser.download.folderList": 2,
    "browser.download.dir": folder,
    "browser.shell.checkDefaultBrowser": false,
    "datareporting.policy.dataSubmissionEnabled": false,
    // What Firefox itself asks the network for goes to a port where nobody listens; the loopback needs no proxy.
    "network.proxy.type": 1,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
  };
  const lines = Object.entries(settings).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});\n`);
  writeFileSync(join(folder, "user.js"), lines.join(""));
  const words = ["--marionette", "--headless", "--no-remote", "--profile", folder];
  const firefox = spawn(path, words, {
    stdio: "ignore",
    env: { ...process.env, HOME: folder, MOZ_CRASHREPORTER_DISABLE: "1" },
  });
  const ended = new Promise((resolve) => firefox.once("exit", resolve));
  const close = async () => {
    firefox.kill();
    await ended;
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const port = await until(() => {
      if (firefox.exitCode !== null) throw new Error(`${path} ended with ${firefox.exitCode}`);
      return portIn(folder);
    }, "Firefox to listen");
    const call = await session(port);
    return { ...pageOf(call), folder, close };
  } catch (failure) {
    await close();
    throw failure;
  }
}

function portIn(folder) {
  const path = join(folder, "MarionetteActivePort");
  return existsSync(path) ? Number(readFileSync(path, "utf8")) : 0;
}

/** What `look` gives, once that is something. */
export async function until(look, what) {
  for (const end = Date.now() + PATIENCE_MILLIS; Date.now() < end; await sleep(100)) {
    const found = await look();
    if (found) return found;
  }
  throw new Error(`waited for ${what}`);
}

/** Opens a session; what it gives calls a command by name. */
async function session(port) {
  const socket = connect(port, "127.0.0.1");
  const waiting = new Map();
  let read = Buffer.alloc(0);
  socket.on("data", (bytes) => {
    read = Buffer.concat([read, bytes]);
    for (let colon = read.indexOf(":"); colon > 0; colon = read.indexOf(":")) {
      const end = colon + 1 + Number(read.subarray(0, colon));
      if (read.length < end) return;
      const message = JSON.parse(read.subarray(colon + 1, end));
      read = read.subarray(end);
      // The first one is a greeting.
      if (Array.isArray(message)) waiting.get(message[1])(message);
    }
  });
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  let last = 0;
  const call = async (name, parameters = {}) => {
    const id = ++last;
    const answer = new Promise((resolve) => waiting.set(id, resolve));
    const text = Buffer.from(JSON.stringify([0, id, name, parameters]));
    socket.write(Buffer.concat([Buffer.from(`${text.length}:`), text]));
    const [, , failure, result] = await answer;
    if (failure) throw new Error(`${name}: ${failure.message}`);
    return result?.value ?? result;
  };
  await call("WebDriver:NewSession");
  return call;
}

/** What a test does with the page. */
function pageOf(call) {
  /** Runs a function in the page. */
  const evaluate = (look, ...args) =>
    call("WebDriver:ExecuteScript", { script: `return (${look})(...arguments)`, args });
  /** An element, once it is there: what a key has asked for comes a moment later. */
  const element = async (selector) => {
    await until(() => evaluate((selector) => document.querySelector(selector) !== null, selector), selector);
    return (await call("WebDriver:FindElement", { using: "css selector", value: selector }))[ELEMENT];
  };
  return {
    goto: (url) => call("WebDriver:Navigate", { url }),
    evaluate,
    /** What a function finds in the page, once that is something. */
    waitFor: (look, ...args) => until(() => evaluate(look, ...args), `${look} ${args}`),
    click: async (selector) => call("WebDriver:ElementClick", { id: await element(selector) }),
    /** Writes into a field; into one for files, their paths. */
    type: async (selector, text) => call("WebDriver:ElementSendKeys", { id: await element(selector), text }),
    press: (value) => {
      const actions = [
        { type: "keyDown", value },
        { type: "keyUp", value },
      ];
      return call("WebDriver:PerformActions", { actions: [{ type: "key", id: "keys", actions }] });
    },
  };
}
