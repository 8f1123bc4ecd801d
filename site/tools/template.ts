import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Plugin, type Rolldown, type UserConfig } from "vite";

/** A page that stands alone. */
interface Template {
  file: string;
  /** The script that it begins with. */
  main: string;
  /** Modules of the site for which it has its own. */
  replaced: Record<string, string>;
  /** The script element that is filled in. */
  place: string;
  /** The WASM that it holds, by its folder; the page finds each by `<folder>-engine`. */
  engines: string[];
}

const OWN = {
  "src/components/alerts/alerting.ts": "src/standalone/norules.ts",
  "src/components/alerts/firingnote.tsx": "src/standalone/norules.ts",
  "src/components/rules/recording.ts": "src/standalone/norules.ts",
  "src/core/imports.ts": "src/standalone/noimports.ts",
  "src/core/index.ts": "src/standalone/embeddedcore.ts",
  "src/core/symbols.ts": "src/standalone/nosymbols.ts",
  "src/source/mapping.ts": "src/standalone/nomapping.ts",
};
const TEMPLATES: Template[] = [
  {
    file: "viewer.html",
    main: "src/standalone/viewer/viewerpage.tsx",
    replaced: {
      ...OWN,
      "src/api.ts": "src/standalone/viewer/noserver.ts",
      "src/base.ts": "src/standalone/viewer/viewerbase.ts",
      "src/bundle/bundle.ts": "src/standalone/explorer/nobundler.ts",
    },
    place: "embedded",
    engines: ["viewer"],
  },
  {
    file: "explorer.html",
    main: "src/standalone/explorer/explorerpage.tsx",
    replaced: {
      ...OWN,
      "src/base.ts": "src/standalone/explorer/explorerbase.ts",
      "src/bucket/bucket.ts": "src/standalone/explorer/bundledbucket.ts",
      "src/bucket/objectplace.ts": "src/standalone/explorer/bundledplace.ts",
      "src/bundle/bundle.ts": "src/standalone/explorer/nobundler.ts",
      "src/components/services/demonote.tsx": "src/standalone/explorer/nodemo.ts",
      "src/components/services/firstprofile.tsx": "src/standalone/explorer/nodemo.ts",
    },
    place: "bundle",
    engines: ["viewer", "bucket"],
  },
];
/** How the WASM's own module finds it. */
const WASM_ADDRESS = "new URL('pilotlight_bg.wasm', import.meta.url)";

/**
 * Emits pages with scripts, styles and WASM inside: viewer.html, with a place for profiles (src/export/page.ts fills it), and
 * explorer.html, with one for a bundle (bundles/page.rs of the core does). `options` are those of the site's own build.
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
      for (const template of TEMPLATES) {
        const { script, style } = await bundle(root, template, options);
        const source = page(root, template, script, style);
        console.log(`${template.file}: ${kB(source.length)} kB, ${kB(gzipSync(source).length)} kB gzipped`);
        this.emitFile({ type: "asset", fileName: template.file, source });
      }
    },
  };
}

/** All scripts as one, and all styles as one. */
async function bundle(root: string, template: Template, options: Pick<UserConfig, "oxc" | "build">) {
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
      rolldownOptions: { input: join(root, template.main), output: { format: "iife" } },
    },
    plugins: [standalone(root, template.replaced)],
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

function standalone(root: string, replacements: Record<string, string>): Plugin {
  return {
    name: "pilotlight-standalone",
    enforce: "pre",
    resolveId(source, importer) {
      if (!importer || !source.startsWith(".")) return null;
      const path = resolve(dirname(importer), source);
      const replaced = Object.keys(replacements).find((name) => path === join(root, name));
      return replaced ? join(root, replacements[replaced]) : null;
    },
    transform(code, id) {
      if (!id.endsWith("/pilotlight.js")) return null;
      if (!code.includes(WASM_ADDRESS)) this.error(`template: ${id} has no ${WASM_ADDRESS}`);
      // The page hands it over: a file on a disk may fetch nothing.
      return { code: code.replace(WASM_ADDRESS, "undefined"), map: null };
    },
  };
}

function page(root: string, template: Template, script: string, style: string): string {
  const index = readFileSync(join(root, "index.html"), "utf8");
  const icon = readFileSync(join(root, "public/icon.svg"));
  const engines = template.engines.map((folder) => {
    const wasm = gzipSync(readFileSync(join(root, "src/wasm", folder, "pilotlight_bg.wasm")), { level: 9 });
    return `<script type="application/octet-stream" id="${folder}-engine">${wasm.toString("base64")}</script>`;
  });
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
  const place = `<script type="application/json" id="${template.place}"></script>`;
  replace("</body>", `${[place, ...engines, `<script>${script}</script>`].join("\n")}\n</body>`);
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
