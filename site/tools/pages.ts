import type { Plugin } from "vite";

/**
 * Emits a copy of index.html for each route, so that a deep link also works on a static host that serves
 * `explore.html` for `/explore` but has no fallback for unknown paths.
 */
export function pages(routes: string[]): Plugin {
  return {
    name: "pilotlight-pages",
    apply: "build",
    enforce: "post",
    generateBundle(_, bundle) {
      const index = bundle["index.html"];
      if (index?.type !== "asset") return this.error("pages: the build made no index.html");
      for (const route of routes) this.emitFile({ type: "asset", fileName: `${route}.html`, source: index.source });
    },
  };
}
