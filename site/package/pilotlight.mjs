#!/usr/bin/env node
/** The command `pilotlight`: opens profiles in the browser, or does what its first word says. */
import { existsSync, readFileSync } from "node:fs";
import { OPTIONS, open } from "./open.mjs";
import { didYouMean, readWords, UsageError } from "./options.mjs";

const USAGE = `Opens profiles in the browser, and runs and manages Pilotlight servers.

Usage: pilotlight [OPTION…] [FILE…]
       pilotlight COMMAND [OPTION…]

  FILE        a profile, in any format that the viewer reads; give several to merge or compare
              them. Nothing leaves this machine
  --port N    the port to listen on; a free one by default
  --no-open   print the address, but don't open a browser
  --version   print the version
  --help      print this help

Commands:
  serve       run a server on this machine, to store the profiles of your programs
  push        push profiles to a server
  token       create, list and revoke tokens for a server
  rules       list, save and delete recording rules, which make metrics of profiles
  demo        fill a server with made-up profiles
  export      save profiles from a server as pages that need no server
  bundle      turn a folder of profiles into pages that need no server
  deploy      deploy a server to Cloudflare
  selfhost    write a folder for running a server with an S3 bucket, with systemd or in a container

Environment:
  PILOTLIGHT_TOKEN  the token for servers that require one

Examples:
  pilotlight cpu.pprof
  pilotlight before.jfr after.jfr
  pilotlight serve
  pilotlight push cpu.pprof --name my.app

\`pilotlight COMMAND --help\` lists the options of a command.`;

const COMMANDS = {
  bundle: async () => (await import("./bundle.mjs")).bundle,
  demo: async () => (await import("./demo.mjs")).demo,
  deploy: async () => (await import("./deploy/deploy.mjs")).deploy,
  export: async () => (await import("./export.mjs")).exportSlice,
  rules: async () => (await import("./rules.mjs")).rules,
  push: async () => (await import("./push.mjs")).push,
  selfhost: async () => (await import("./selfhost/selfhost.mjs")).selfhost,
  serve: async () => (await import("./serve/serve.mjs")).serve,
  token: async () => (await import("./token.mjs")).token,
};

run(process.argv.slice(2)).then(
  () => process.exit(0),
  (error) => {
    console.error(`pilotlight: ${error.message}`);
    process.exit(error instanceof UsageError ? 2 : 1);
  },
);

async function run([first, ...rest]) {
  // As of most commands: `help push` is `push --help`.
  const words =
    first === "help" && !existsSync(first)
      ? [...rest.slice(0, 1), "--help"]
      : [first, ...rest].filter((word) => word !== undefined);
  const [command, ...more] = words;
  if (Object.hasOwn(COMMANDS, command ?? "")) return (await COMMANDS[command]())(more);
  const read = readWords(words, USAGE, { ...OPTIONS, version: { type: "boolean" } });
  if (read === undefined) return;
  if (read.values.version) return console.log(version());
  const commands = [...Object.keys(COMMANDS), "help"];
  await open(read, (path) => didYouMean(path, commands));
}

/** In a clone it is that of the site, of which the package is made. */
function version() {
  const paths = ["package.json", "../package.json"].map((path) => new URL(path, import.meta.url));
  return JSON.parse(readFileSync(paths.find(existsSync), "utf8")).version;
}
