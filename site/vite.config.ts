import { defineConfig } from "vite";
import { budget } from "./tools/budget.ts";
import { offline } from "./tools/offline.ts";
import { pages } from "./tools/pages.ts";
import { policy } from "./tools/policy.ts";
import { preload } from "./tools/preload.ts";
import { template } from "./tools/template.ts";

// JSX goes through Vite's own compiler; preact needs no plugin beyond this.
const oxc = { jsx: { runtime: "automatic", importSource: "preact" } } as const;
// The oldest browsers with light-dark(); an older target would also rewrite oklch(), which the palette reads.
const target = ["chrome123", "firefox120", "safari17.5"];

const ROUTES = ["explore", "diff", "file", "rules", "alerts"];

/** What only the pages and dialogs of rules and alerts need. */
const RULES =
  /\/src\/(components\/rules|pages\/rules|state\/saving|state\/page\/alerting|state\/query\/(alertlist|recordingrule))/;

/** What they share with parts of other pages, which would load them otherwise. */
const SHARED = /\/src\/(components\/controls\/width|state\/query\/(askinturn|labelvalues|ownlabels))/;

export default defineConfig({
  // Relative asset addresses: the same build works at `/`, at a sub-path of a static host, anywhere.
  base: "./",
  oxc,
  worker: { format: "es" },
  build: {
    target,
    assetsInlineLimit: 0,
    // What several later views share is one script: many small ones are more requests, and larger when gzipped.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: "first", tags: ["$initial"], priority: 3 },
            { name: "shared", test: SHARED, priority: 3 },
            // The page of alerts has charts of rules, and both pages one frame.
            { name: "recording", test: RULES, priority: 2 },
            { name: "later", minShareCount: 2, priority: 1 },
          ],
        },
      },
    },
  },
  plugins: [
    policy(process.env.PROFILE_ORIGINS ?? "", process.env.FRAME_ORIGINS ?? ""),
    pages(ROUTES),
    offline(ROUTES),
    preload(),
    template({ oxc, build: { target } }),
    budget({
      entry: 73.5,
      all: 170.5,
      apart: {
        arrange: 36,
        callgraph: 6,
        lines: 6,
        mapping: 18,
        minimap: 3,
        sidebyside: 3,
        bucket: 3,
        bucketreader: 12,
        bundler: 8,
        sharedlist: 3,
        annotatedialog: 3,
        explaindialog: 7,
        servicepanels: 26.5,
        alerting: 10,
        firingnote: 1,
        recording: 12,
        splitcontrols: 3,
        pusher: 3,
        firstprofile: 2,
        demonote: 2,
        unlisted: 2,
      },
    }),
  ],
  server: {
    proxy: {
      "/api": "http://localhost:4040",
      "/ingest": "http://localhost:4040",
      "/querier.v1.QuerierService": "http://localhost:4040",
      "/settings.v1.SettingsService": "http://localhost:4040",
    },
  },
});
