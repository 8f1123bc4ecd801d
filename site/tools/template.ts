import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Plugin, type Rolldown, type UserConfig } from "vite";

/** Modules of the site for which a page that stands alone has its own. */
const REPLACED: Record<string, string> = {
  "src/api.ts": "src/standalone/api.ts",
  "src/base.ts": "src/standalone/base.ts",
  "src/core/imports.ts": "src/standalone/imports.ts",
  "src/core/index.ts": "src/standalone/core.ts",
  "src/core/symbols.ts": "src/standalone/symbols.ts",
};
const WASM = "src/wasm/viewer/pilotlight_bg.wasm";
/** How the WASM's own module finds it. */
const WASM_ADDRESS = "new URL('pilotlight_bg.wasm', import.meta.url)";

/**
 * Emits viewer.html: a page with scripts, styles and WASM inside, and a place for a profile. The page itself puts one in
 * (src/export/page.ts). `options` are those of the site's own build.
 */
export function template(options: Pick<UserConfig, "oxc" | "build">): Plugin {
  let root = "";
  return {
    name: "pilotlight-template",
    apply: "build",
    configResolved(config) {
      root = config.root;
    },
    async generateBundle() {
      const { script, style } = await bundle(root, options);
      const source = page(root, script, style);
      console.log(`template: ${kB(source.length)} kB, ${kB(gzipSync(source).length)} kB gzipped`);
      this.emitFile({ type: "asset", fileName: "viewer.html", source });
    },
  };
}

/** All scripts as one, and all styles as one. */
async function bundle(root: string, options: Pick<UserConfig, "oxc" | "build">) {
  const built = (await build({
    ...options,
    root,
    configFile: false,
    logLevel: "warn",
    build: {
      ...options.build,
      write: false,
      cssCodeSplit: false,
      modulePreload: false,
      rolldownOptions: { input: join(root, "src/standalone/main.tsx"), output: { format: "iife" } },
    },
    plugins: [standalone(root)],
  })) as Rolldown.RolldownOutput | Rolldown.RolldownOutput[];
  const files = [built].flat().flatMap(({ output }) => output);
  const scripts = files.filter((file) => file.type === "chunk");
  const styles = files.filter((file) => file.type === "asset" && file.fileName.endsWith(".css"));
  const others = files.filter((file) => !scripts.includes(file as never) && !styles.includes(file as never));
  if (scripts.length !== 1 || styles.length !== 1 || others.length > 0)
    throw new Error(`template: one script and one style were to be made, not ${files.map((file) => file.fileName)}`);
  // An element ends at the first "</script", also within a text.
  const script = scripts[0].code.replace(/<(?=\/script|!--)/gi, "\\x3C");
  return { script, style: String((styles[0] as Rolldown.OutputAsset).source) };
}

function standalone(root: string): Plugin {
  return {
    name: "pilotlight-standalone",
    enforce: "pre",
    resolveId(source, importer) {
      if (!importer || !source.startsWith(".")) return null;
      const path = resolve(dirname(importer), source);
      const replaced = Object.keys(REPLACED).find((name) => path === join(root, name));
      return replaced ? join(root, REPLACED[replaced]) : null;
    },
    transform(code, id) {
      if (!id.endsWith("/src/wasm/viewer/pilotlight.js")) return null;
      if (!code.includes(WASM_ADDRESS)) this.error(`template: the viewer's module has no ${WASM_ADDRESS}`);
      // The page hands it over: a file on a disk may fetch nothing.
      return { code: code.replace(WASM_ADDRESS, "undefined"), map: null };
    },
  };
}

function page(root: string, script: string, style: string): string {
  const index = readFileSync(join(root, "index.html"), "utf8");
  const icon = readFileSync(join(root, "public/icon.svg"));
  const wasm = gzipSync(readFileSync(join(root, WASM)), { level: 9 }).toString("base64");
  const theme = /<script>(.*?)<\/script>/s.exec(index)?.[1] ?? "";
  const policy = [
    "default-src 'none'",
    `script-src ${hash(theme)} ${hash(script)} 'wasm-unsafe-eval'`,
    `style-src ${hash(style)}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  let html = index;
  const replace = (what: string, by: string) => {
    if (html.split(what).length !== 2) throw new Error(`template: index.html has not one ${what}`);
    html = html.replace(what, () => by);
  };
  replace(`<meta charset="utf-8" />`, `<meta charset="utf-8" />\n    ${meta(policy)}`);
  replace(`<link rel="manifest" href="/manifest.webmanifest" />`, "");
  replace("/icon.svg", `data:image/svg+xml;base64,${icon.toString("base64")}`);
  replace(`<script type="module" src="./src/main.tsx"></script>`, `<style>${style}</style>`);
  const embedded = `<script type="application/json" id="embedded"></script>`;
  const engine = `<script type="application/octet-stream" id="engine">${wasm}</script>`;
  replace("</body>", `${embedded}\n${engine}\n<script>${script}</script>\n</body>`);
  return html;
}

function meta(policy: string): string {
  return `<meta http-equiv="Content-Security-Policy" content="${policy}" />`;
}

function hash(inline: string): string {
  return `'sha256-${createHash("sha256").update(inline).digest("base64")}'`;
}

function kB(bytes: number): string {
  return (bytes / 1000).toFixed(0);
}
