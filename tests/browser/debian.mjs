/** Programs of Debian's packages, which are unpacked and not installed: that would start them. */
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The folder with the files of a package; undefined where it can't be downloaded. */
export async function unpacked(name) {
  const folder = join(process.env.PILOTLIGHT_SHOTS, `../debian-${name}`);
  if (existsSync(folder)) return folder;
  // Other test files may fetch the same: whoever is first puts all of it in place at once.
  const own = `${folder}.${process.pid}`;
  mkdirSync(own, { recursive: true });
  try {
    await run("apt-get", ["download", name], { cwd: own, timeout: 120_000 });
    const [archive] = readdirSync(own).filter((file) => file.endsWith(".deb"));
    await run("dpkg", ["-x", archive, "files"], { cwd: own });
    if (!existsSync(folder)) renameSync(join(own, "files"), folder);
    return folder;
  } catch (error) {
    if (existsSync(folder)) return folder;
    console.log(`Debian's package ${name} can't be fetched: ${error.stderr || error}`);
    return undefined;
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

/** Starts a server with the flags that it needs to listen at an address, and waits until it is ready. */
export async function startServer(program, flags) {
  const port = await freePort();
  const listen = `127.0.0.1:${port}`;
  const server = spawn(program, [`--web.listen-address=${listen}`, "--log.level=error", ...flags], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const address = `http://${listen}`;
  await until(async () => (await fetch(`${address}/-/ready`).catch(() => undefined))?.ok);
  return { address, stop: () => server.kill() };
}

const freePort = () =>
  new Promise((found) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => found(port));
    });
  });

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
