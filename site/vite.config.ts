import { defineConfig } from "vite";
import { budget } from "./tools/budget.ts";
import { pages } from "./tools/pages.ts";

export default defineConfig({
  // Relative asset addresses: the same build works at `/`, at a sub-path of a static host, anywhere.
  base: "./",
  // JSX goes through Vite's own compiler; preact needs no plugin beyond this.
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  worker: { format: "es" },
  build: { target: "es2022", assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  plugins: [pages(["explore", "diff", "file"]), budget({ entry: 45, all: 75 })],
  server: { proxy: { "/api": "http://localhost:4040", "/ingest": "http://localhost:4040" } },
});
