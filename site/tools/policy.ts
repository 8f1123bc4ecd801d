import { createHash } from "node:crypto";
import type { Plugin } from "vite";

/** What a header can say and a page itself cannot. */
const HEADERS = [
  "Cross-Origin-Opener-Policy: same-origin",
  "Cross-Origin-Resource-Policy: same-origin",
  "Permissions-Policy: camera=(), geolocation=(), microphone=()",
  "Referrer-Policy: no-referrer",
  "X-Content-Type-Options: nosniff",
];

/**
 * Writes the page's content security policy: scripts and connections of its own origin only. "Nothing leaves your
 * machine" is then enforced by the browser, not only promised by us. The page carries it for any static host;
 * `_headers`, which Cloudflare reads, says the same and what only a header can.
 *
 * `origins` are others that links to /file may fetch profiles from, `frames` those whose pages may have this one in a frame;
 * each with blanks between them.
 */
export function policy(origins: string, frames: string): Plugin {
  const [allowed, around] = [origins, frames].map((list) => list.split(" ").filter((origin) => origin !== ""));
  let rules: string[] = [];
  return {
    name: "pilotlight-policy",
    apply: "build",
    enforce: "post",
    buildStart() {
      for (const [name, list] of Object.entries({ PROFILE_ORIGINS: allowed, FRAME_ORIGINS: around })) {
        const wrong = list.find((origin) => !/^https?:\/\/[a-z0-9.-]+(:\d+)?$/.test(origin));
        if (wrong !== undefined) this.error(`${name}: ${wrong} is no origin, like https://profiles.example.com`);
      }
    },
    generateBundle() {
      const ancestors = around.length > 0 ? ["'self'", ...around].join(" ") : "'none'";
      const policy = [...rules, `frame-ancestors ${ancestors}`].join("; ");
      // It cannot name origins: where some are allowed, the policy alone speaks.
      const refusal = around.length > 0 ? [] : ["X-Frame-Options: DENY"];
      const lines = [`Content-Security-Policy: ${policy}`, ...HEADERS, ...refusal].map((line) => `  ${line}\n`);
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
