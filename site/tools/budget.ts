import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Plugin } from "vite";

interface Limits {
  /** Scripts that index.html names: what must arrive before anything shows. In kB, gzipped. */
  entry: number;
  /** Every script, also those loaded when they are needed, but for those apart. */
  all: number;
  /** Scripts that one view alone loads, by the beginning of their names. A library is there twice, as a worker has its own. */
  apart: Record<string, number>;
}

/** Fails the build when the JavaScript, gzipped, is larger than its budget. WASM has its own budget elsewhere. */
export function budget(limits: Limits): Plugin {
  let outDir = "dist";
  return {
    name: "pilotlight-budget",
    apply: "build",
    configResolved(config) {
      outDir = join(config.root, config.build.outDir);
    },
    closeBundle() {
      // Read back from disk: the web worker's bundle is emitted beside the main one and must count too.
      const scripts = readdirSync(join(outDir, "assets")).filter((file) => file.endsWith(".js"));
      const index = readFileSync(join(outDir, "index.html"), "utf8");
      const entry = scripts.filter((file) => index.includes(file));
      if (entry.length === 0) this.error("budget: index.html names no script");
      const named = (name: string) => scripts.filter((file) => file.startsWith(`${name}-`));
      const apart = Object.entries(limits.apart).map(([name, limit]) => ({ name, files: named(name), limit }));
      const rest = scripts.filter((file) => !apart.some(({ files }) => files.includes(file)));
      for (const { name, files, limit } of [
        { name: "entry", files: entry, limit: limits.entry },
        { name: "all", files: rest, limit: limits.all },
        ...apart,
      ]) {
        const size =
          files.reduce((sum, file) => sum + gzipSync(readFileSync(join(outDir, "assets", file))).length, 0) / 1000;
        const used = `${size.toFixed(1)} kB of ${limit} kB gzipped in ${files.length} scripts (${name})`;
        if (size > limit) this.error(`budget: too much JavaScript, ${used}`);
        console.log(`budget: ${used}`);
      }
    },
  };
}
