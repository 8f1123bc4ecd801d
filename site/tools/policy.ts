import { createHash } from "node:crypto";
import type { Plugin } from "vite";

/** What a header can say and a page itself cannot. */
const HEADERS = [
  "Cross-Origin-Opener-Policy: same-origin",
  "Cross-Origin-Resource-Policy: same-origin",
  "Permissions-Policy: camera=(), geolocation=(), microphone=()",
  "Referrer-Policy: no-referrer",
  "X-Content-Type-Options: nosniff",
  "X-Frame-Options: DENY",
];

/**
 * Writes the page's content security policy: scripts and connections of its own origin only. "Nothing leaves your
 * machine" is then enforced by the browser, not only promised by us. The page carries it for any static host;
 * `_headers`, which Cloudflare reads, says the same and what only a header can.
 *
 * `origins` are others that links to /file may fetch profiles from, with blanks between them.
 */
export function policy(origins: string): Plugin {
  const allowed = origins.split(" ").filter((origin) => origin !== "");
  let rules: string[] = [];
  return {
    name: "pilotlight-policy",
    apply: "build",
    enforce: "post",
    buildStart() {
      const wrong = allowed.find((origin) => !/^https?:\/\/[a-z0-9.-]+(:\d+)?$/.test(origin));
      if (wrong !== undefined) this.error(`PROFILE_ORIGINS: ${wrong} is no origin, like https://profiles.example.com`);
    },
    generateBundle() {
      const policy = [...rules, "frame-ancestors 'none'"].join("; ");
      const lines = [`Content-Security-Policy: ${policy}`, ...HEADERS].map((line) => `  ${line}\n`);
      this.emitFile({ type: "asset", fileName: "_headers", source: `/*\n${lines.join("")}` });
    },
    transformIndexHtml: {
      order: "post",
      handler(html) {
        const inline = [...html.matchAll(/<script>(.*?)<\/script>/gs)].map(
          ([, code]) => `'sha256-${createHash("sha256").update(code).digest("base64")}'`,
        );
        rules = [
          "default-src 'none'",
          `script-src 'self' 'wasm-unsafe-eval' ${inline.join(" ")}`,
          "style-src 'self'",
          "img-src 'self' data:",
          `connect-src ${["'self'", ...allowed].join(" ")}`,
          "worker-src 'self'",
          "manifest-src 'self'",
          "base-uri 'none'",
          "form-action 'none'",
        ];
        return [
          {
            tag: "meta",
            attrs: { "http-equiv": "Content-Security-Policy", content: rules.join("; ") },
            injectTo: "head-prepend",
          },
        ];
      },
    },
  };
}
