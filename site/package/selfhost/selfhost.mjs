/**
 * `pilotlight selfhost`: a folder that runs a server on a machine that has nothing else, under workerd and with an S3 bucket.
 * `cargo xtask selfhost` runs this, too. The other files beside this one go into the folder.
 */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { DIGEST_VARIABLE, makeToken, nextSteps } from "../admintoken.mjs";
import { readOptions, wrong } from "../options.mjs";
import { findWorkerd, serverParts } from "../serve/parts.mjs";

const USAGE = `Writes a folder for running a Pilotlight server with an S3 bucket, without Node.js.

Usage: pilotlight selfhost --out FOLDER

  --out FOLDER  the folder to write; one from an earlier run is upgraded and keeps its configuration
                and data
  --help        print this help

The folder contains the server, its pages, workerd, a systemd unit and a Containerfile. It works on
machines with the same operating system and CPU architecture as this one.

Examples:
  pilotlight selfhost --out /opt/pilotlight
  $EDITOR /opt/pilotlight/pilotlight.env     # set the bucket and its keys
  /opt/pilotlight/bin/pilotlight`;

/** Where the operator's configuration is, in the folder; an upgrade leaves it as it is. */
const CONFIGURATION = "pilotlight.env";

const own = fileURLToPath(new URL(".", import.meta.url));

/** Throws an `Error` whose message is for people. */
export async function selfhost(words) {
  const values = readOptions(words, USAGE, { out: { type: "string" } });
  if (values === undefined) return;
  if (!values.out) throw wrong(USAGE, "--out is missing: give the folder to write");
  const out = resolve(values.out);
  checkFolder(out);
  const token = writeFolder(out);
  console.log(`${out} contains all that is needed to run Pilotlight on a machine like this one.`);
  if (token) {
    console.log(`Set the bucket in ${CONFIGURATION}, then start bin/pilotlight.\n`);
    console.log(nextSteps(token, "http://127.0.0.1:4040"));
  } else {
    console.log(`${CONFIGURATION} and the databases are unchanged.`);
  }
}

/** Folders in it are emptied: it must be ours. */
function checkFolder(out) {
  if (!existsSync(out) || readdirSync(out).length === 0 || existsSync(join(out, "pilotlight.capnp"))) return;
  throw new Error(`${out} is neither empty nor a folder that this command wrote. Choose another one with --out`);
}

/** Writes everything, and gives the token of a new configuration. What the operator wrote and what is stored stays. */
function writeFolder(out) {
  const { server, pages, license } = serverParts();
  const program = realpathSync(findWorkerd());
  for (const made of ["bin", "pages", "worker"]) rmSync(join(out, made), { recursive: true, force: true });
  mkdirSync(join(out, "bin"), { recursive: true });
  cpSync(join(server, "worker"), join(out, "worker"), { recursive: true });
  cpSync(pages, join(out, "pages"), { recursive: true, filter: (path) => basename(path) !== "_headers" });
  cpSync(program, join(out, "bin/workerd"));
  cpSync(join(own, "pilotlight"), join(out, "bin/pilotlight"));
  for (const name of ["workerd", "pilotlight"]) chmodSync(join(out, "bin", name), 0o755);
  cpSync(join(own, "dockerignore"), join(out, ".dockerignore"));
  for (const name of ["Containerfile", "pilotlight.service"]) cpSync(join(own, name), join(out, name));
  cpSync(license, join(out, "LICENSE"));
  // Last: a folder without it was not written to its end, and is refused the next time, unless it has it from before.
  cpSync(join(server, "pilotlight.capnp"), join(out, "pilotlight.capnp"));
  const configuration = join(out, CONFIGURATION);
  if (existsSync(configuration)) return undefined;
  const token = makeToken();
  const empty = readFileSync(join(own, CONFIGURATION), "utf8");
  const text = empty.replace(new RegExp(`^${DIGEST_VARIABLE}=$`, "m"), `${DIGEST_VARIABLE}=${token.digest}`);
  writeFileSync(configuration, text, { mode: 0o600 });
  return token;
}
