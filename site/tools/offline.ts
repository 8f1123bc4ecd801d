import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

/**
 * Writes the service worker: `serviceworker.mjs` behind the list of the files that it keeps. Its version is a hash of them,
 * so it changes with any of them and never without.
 */
export function offline(routes: string[]): Plugin {
  let outDir = "dist";
  return {
    name: "pilotlight-offline",
    apply: "build",
    configResolved(config) {
      outDir = join(config.root, config.build.outDir);
    },
    // Read back from disk: bundles of web workers are emitted beside the main one.
    writeBundle() {
      const all = readdirSync(outDir, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) =>
          join(entry.parentPath, entry.name)
            .slice(outDir.length + 1)
            .replaceAll("\\", "/"),
        )
        .sort();
      // Every route has the same page, which is kept once, as the folder it is in.
      const files = all.filter(
        (file) => !file.endsWith(".html") && !["_headers", "files.json", "sw.js"].includes(file),
      );
      const hash = createHash("sha256");
      for (const file of [...files, "index.html"])
        hash
          .update(file)
          .update("\0")
          .update(readFileSync(join(outDir, file)));
      const code = readFileSync(new URL("serviceworker.mjs", import.meta.url), "utf8");
      hash.update(code);
      const lines = [
        `const VERSION = ${JSON.stringify(hash.digest("hex").slice(0, 16))};`,
        `const FILES = ${JSON.stringify(files)};`,
        `const PAGES = ${JSON.stringify(["", ...routes])};`,
      ];
      // What a bundle is made with; it is not installed.
      const pages = all.filter((file) => !["_headers", "files.json", "manifest.webmanifest", "sw.js"].includes(file));
      writeFileSync(join(outDir, "files.json"), JSON.stringify(pages));
      writeFileSync(join(outDir, "sw.js"), `${lines.join("\n")}\n${code}`);
    },
  };
}
