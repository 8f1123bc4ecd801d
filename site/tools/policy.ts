import { createHash } from "node:crypto";
import type { Plugin } from "vite";

/**
 * Writes the page's content security policy: scripts and connections of its own origin only. "Nothing leaves your
 * machine" is then enforced by the browser, not only promised by us.
 */
export function policy(): Plugin {
  return {
    name: "pilotlight-policy",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(html) {
        const inline = [...html.matchAll(/<script>(.*?)<\/script>/gs)].map(
          ([, code]) => `'sha256-${createHash("sha256").update(code).digest("base64")}'`,
        );
        const rules = [
          "default-src 'none'",
          `script-src 'self' 'wasm-unsafe-eval' ${inline.join(" ")}`,
          "style-src 'self'",
          "img-src 'self' data:",
          "connect-src 'self'",
          "worker-src 'self'",
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
