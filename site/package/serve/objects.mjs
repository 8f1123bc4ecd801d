/**
 * Objects as files below a folder. An object is written to a file of `staged`, flushed to disk, and then takes its name, so
 * that it is whole and lasting when the write ends, whatever ends the process. Writes and deletions of a name take turns.
 * Names are binary strings (names.mjs).
 */
import { mkdir, open, readdir, rename, rm, rmdir, stat, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { entryOf, folderOf, pathOf } from "./names.mjs";

/** How often a write makes its folder, which deletions in it may remove at the same time. */
const ATTEMPTS = 100;

/** A write whose condition does not hold. */
export class PreconditionFailed extends Error {}
/** A write over an object that is not there. */
export class NoSuchObject extends Error {}

export class Objects {
  #root;
  #staged;
  #writes = 0;
  /** The last turn of each name that is being written or deleted. */
  #turns = new Map();
  /** Folders whose entry in the folder above is on disk. */
  #lasting = new Set();
  /** When the last object was written, microseconds: no two have the same time, which tags are made of. */
  #clock = 0;

  /** Opens the bucket in a folder, or makes it. What a process left that was killed within a write is deleted. */
  static async open(folder) {
    const objects = new Objects();
    objects.#root = join(folder, "objects");
    objects.#staged = join(folder, "staged");
    await rm(objects.#staged, { recursive: true, force: true });
    for (const made of [objects.#root, objects.#staged]) await mkdir(made, { recursive: true });
    for (const made of [folder, dirname(folder)]) await flushFolder(made);
    return objects;
  }

  /** An open file with size, tag and time; `undefined` when there is no such object. The caller closes it. */
  async get(name) {
    const handle = await unlessMissing(open(this.#path(name)));
    return handle && { handle, ...stateOf(await handle.stat({ bigint: true })) };
  }

  /** Size, tag and time. */
  async head(name) {
    const found = await unlessMissing(stat(this.#path(name), { bigint: true }));
    return found && stateOf(found);
  }

  /** Writes an object and gives its tag. `matches` is the tag of what it may replace; `absent`: only where there is nothing. */
  async put(name, bytes, { matches, absent }) {
    const staged = join(this.#staged, String(++this.#writes));
    try {
      const { etag } = await this.#stage(staged, bytes);
      await this.#inTurn(name, async () => {
        const present = matches !== undefined || absent ? await this.head(name) : undefined;
        if (matches !== undefined && !present) throw new NoSuchObject();
        if (absent ? present : matches !== undefined && present.etag !== matches) throw new PreconditionFailed();
        await this.#place(staged, this.#path(name));
      });
      return etag;
    } catch (error) {
      await rm(staged, { force: true });
      throw error;
    }
  }

  /** Deletes objects and the folders that they leave empty. Those that are not there are no error. */
  async delete(names) {
    const changed = new Set();
    for (const name of names)
      await this.#inTurn(name, async () => {
        const path = this.#path(name);
        const missing = await unlessMissing(unlink(path).then(() => "deleted"));
        if (missing === undefined) return;
        changed.add(await this.#removeEmpty(dirname(path)));
      });
    for (const folder of changed) await unlessMissing(flushFolder(folder));
  }

  /** At most `limit` names after `after`, in order: objects, and prefixes where `cut` ends names behind the next slash. */
  async list({ prefix, cut, after, limit }) {
    const { path, below } = folderOf(prefix);
    const found = [];
    for await (const entry of this.#walk(join(this.#root, path), below, { prefix, cut, after })) {
      found.push(entry);
      if (found.length > limit) break;
    }
    const next = found.length > limit ? found.slice(0, limit).at(-1)?.name : undefined;
    const page = found.slice(0, limit);
    const objects = await Promise.all(
      page.filter((entry) => !entry.isFolder).map(async ({ name }) => ({ name, ...(await this.head(name)) })),
    );
    return {
      // One that was deleted meanwhile has no tag.
      objects: objects.filter(({ etag }) => etag !== undefined),
      prefixes: page.filter((entry) => entry.isFolder).map(({ name }) => name),
      next,
    };
  }

  /** Names below a folder, in order. */
  async *#walk(folder, below, { prefix, cut, after }) {
    const entries = (await unlessMissing(readdir(folder, { withFileTypes: true }))) ?? [];
    const named = entries.flatMap((entry) => {
      const read = entryOf(entry.name, entry.isDirectory());
      return read ? [{ name: below + read.text, isFolder: read.isFolder, path: join(folder, entry.name) }] : [];
    });
    named.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const { name, isFolder, path } of named) {
      const inside = name.startsWith(prefix);
      const passed = after !== undefined && name <= after;
      if (!isFolder) {
        if (inside && !passed) yield { name, isFolder };
      } else if (cut && inside && name.endsWith("/")) {
        if (!passed && (await this.#holdsAny(path, name))) yield { name, isFolder };
      } else if ((inside || prefix.startsWith(name)) && (!passed || after.startsWith(name))) {
        yield* this.#walk(path, name, { prefix, cut, after });
      }
    }
  }

  /** A write that was killed may have left a folder empty. */
  async #holdsAny(folder, below) {
    for await (const _ of this.#walk(folder, below, { prefix: "" })) return true;
    return false;
  }

  #path(name) {
    return join(this.#root, pathOf(name));
  }

  async #stage(path, bytes) {
    const handle = await open(path, "wx", 0o600);
    try {
      await handle.writeFile(bytes);
      this.#clock = Math.max(Date.now() * 1000, this.#clock + 1);
      await handle.utimes(this.#clock / 1e6, this.#clock / 1e6);
      await handle.sync();
      return stateOf(await handle.stat({ bigint: true }));
    } finally {
      await handle.close();
    }
  }

  async #place(staged, path) {
    const folder = dirname(path);
    for (let attempt = 1; ; attempt++) {
      await mkdir(folder, { recursive: true });
      const placed = await unlessMissing(rename(staged, path).then(() => true));
      if (placed) break;
      if (attempt === ATTEMPTS) throw new Error(`cannot write to ${folder}: another process keeps deleting it`);
    }
    await flushFolder(folder);
    const made = [];
    for (let at = folder; at !== this.#root && !this.#lasting.has(at); at = dirname(at)) made.push(at);
    for (const at of made) await flushFolder(dirname(at));
    for (const at of made) this.#lasting.add(at);
  }

  /** Removes a folder and those above that are empty. Gives the first that stays. */
  async #removeEmpty(folder) {
    for (let at = folder; at !== this.#root; at = dirname(at)) {
      this.#lasting.delete(at);
      const left = await rmdir(at).then(
        () => false,
        ({ code }) => code !== "ENOENT",
      );
      if (left) return at;
    }
    return this.#root;
  }

  /** Does the work when those before it of the same name are done. */
  async #inTurn(name, work) {
    const before = this.#turns.get(name) ?? Promise.resolve();
    const turn = before.then(work, work);
    this.#turns.set(name, turn);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(name) === turn) this.#turns.delete(name);
    }
  }
}

/** The tag tells each write from every other: files that are there at once have numbers of their own, and all have times of their own. */
function stateOf({ ino, size, mtimeNs, mtimeMs }) {
  const parts = [ino, size, mtimeNs].map((part) => part.toString(16));
  return { size: Number(size), etag: `"${parts.join("-")}"`, modified: new Date(Number(mtimeMs)) };
}

/** `undefined` where a file or a folder is missing. */
async function unlessMissing(work) {
  try {
    return await work;
  } catch (error) {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Makes the names in a folder last. Windows knows no such thing. */
async function flushFolder(folder) {
  if (process.platform === "win32") return;
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
