import { defineConfig } from "vite";
import { budget } from "./tools/budget.ts";
import { pages } from "./tools/pages.ts";
import { policy } from "./tools/policy.ts";

export default defineConfig({
  // Relative asset addresses: the same build works at `/`, at a sub-path of a static host, anywhere.
  base: "./",
  // JSX goes through Vite's own compiler; preact needs no plugin beyond this.
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  worker: { format: "es" },
  // The oldest browsers with light-dark(); an older target would also rewrite oklch(), which the palette reads.
  build: {
    target: ["chrome123", "firefox120", "safari17.5"],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  plugins: [policy(), pages(["explore", "diff", "file"]), budget({ entry: 45, all: 76 })],
  server: { proxy: { "/api": "http://localhost:4040", "/ingest": "http://localhost:4040" } },
});
