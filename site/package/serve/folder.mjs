/** The data folder: made for one user, and used by one server at a time. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { accessSync, constants, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { connect, createServer } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";

/** The lock is a socket in the folder: whatever ends the process that listens on it, nobody listens on it any more. */
const LOCK = "server.sock";
/** How long a server is waited for that has the lock and says nothing. */
const PATIENCE_MS = 2000;

/** Where data is kept unless the user says otherwise. */
export function defaultFolder({ platform, env } = process) {
  if (platform === "win32") return join(env.LOCALAPPDATA ?? join(homedir(), "AppData/Local"), "pilotlight");
  if (platform === "darwin") return join(homedir(), "Library/Application Support/pilotlight");
  // The specification wants relative paths to be ignored.
  const base = env.XDG_DATA_HOME?.startsWith("/") ? env.XDG_DATA_HOME : join(homedir(), ".local/share");
  return join(base, "pilotlight");
}

/** Makes the folder if need be. Throws when it cannot be written to. */
export function openFolder(folder) {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK);
  } catch ({ code }) {
    throw new Error(`cannot write to the data folder ${folder}: ${code}. Choose another one with --data`);
  }
}

/** Locks the folder, which becomes the working folder. Throws when another server has it. */
export async function lockFolder(folder) {
  // Paths of sockets have 107 bytes, so this one is relative.
  process.chdir(folder);
  const path =
    process.platform === "win32"
      ? `\\\\.\\pipe\\pilotlight-${createHash("sha256").update(folder).digest("hex").slice(0, 16)}`
      : LOCK;
  const server = createServer((socket) => socket.on("error", () => {}).end(String(process.pid)));
  const inUse = (pid) =>
    new Error(
      `the data folder ${folder} is in use by another server${pid ? ` (process ${pid})` : ""}. ` +
        "Stop that server, or choose another folder with --data",
    );
  while (!(await listen(server, path))) {
    const seen = identity(path);
    const owner = await ownerOf(path);
    if (owner) return Promise.reject(inUse(owner.pid));
    // Another server that starts may have taken over the lock meanwhile.
    if (identity(path) === seen) rmSync(path, { force: true });
  }
  server.unref();
  return {
    /** Throws when a server that started in the same moment has the lock now. */
    check: async () => {
      const owner = await ownerOf(path);
      if (owner?.pid !== String(process.pid)) throw inUse(owner?.pid);
    },
    release: () => server.close(),
  };
}

/** Whether it listens; `false` where somebody else does, or did. */
async function listen(server, path) {
  server.listen(path);
  try {
    await once(server, "listening");
    return true;
  } catch (error) {
    if (error.code === "EADDRINUSE") return false;
    throw error;
  }
}

/** Tells a socket from one that was made later. */
function identity(path) {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.ino} ${found.ctimeNs}`;
}

/** The server that has the lock; `undefined` if nobody listens. */
async function ownerOf(path) {
  const socket = connect(path).setEncoding("utf8");
  let pid = "";
  socket.on("data", (text) => {
    pid += text;
  });
  const silent = setTimeout(() => socket.destroy(), PATIENCE_MS);
  try {
    await once(socket, "connect");
  } catch {
    return undefined;
  } finally {
    clearTimeout(silent);
  }
  socket.setTimeout(PATIENCE_MS, () => socket.destroy());
  await once(socket, "close").catch(() => {});
  return { pid };
}

/** What a file says; `undefined` without one. */
export function readIfThere(path) {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}
