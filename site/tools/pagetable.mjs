// The table of the site's files: which path is answered with which file and headers, as Cloudflare's static assets answer it.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const TYPES = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  ico: "image/x-icon",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
  wasm: "application/wasm",
  webmanifest: "application/json",
  woff2: "font/woff2",
  // The search of the docs.
  pagefind: "application/octet-stream",
  pf_fragment: "application/octet-stream",
  pf_index: "application/octet-stream",
  pf_meta: "application/octet-stream",
};

/** The module `pages.js` for the files of a folder; their names are relative to it. */
export function tableOf(folder, files) {
  const rules = files.includes("_headers") ? rulesOf(readFileSync(join(folder, "_headers"), "utf8")) : [];
  const rows = files
    .filter((file) => file !== "_headers")
    .flatMap((file) => {
      const digest = createHash("sha256")
        .update(readFileSync(join(folder, file)))
        .digest("hex");
      const { page, aliases } = addressesOf(file);
      const headers = Object.assign(
        {
          "content-type": typeOf(file),
          etag: `"${digest.slice(0, 16)}"`,
          "cache-control": "public, max-age=0, must-revalidate",
        },
        ...rules.filter((rule) => isMatch(rule.pattern, page)).map((rule) => rule.headers),
      );
      return [[page, { file, headers }], ...aliases.map((alias) => [alias, { location: page }])];
    });
  return `export const pages = new Map([\n${rows.map((row) => `  ${JSON.stringify(row)},\n`).join("")}]);\n`;
}

/** Where a file is found, and from where one is sent there: pages have no `.html` in their address. */
function addressesOf(file) {
  if (file === "index.html") return { page: "/", aliases: ["/index.html", "/index"] };
  if (!file.endsWith(".html")) return { page: `/${file}`, aliases: [] };
  const [, folder] = /^(.*)\/index\.html$/.exec(file) ?? [];
  if (folder) return { page: `/${folder}/`, aliases: [`/${folder}`, `/${folder}/index`, `/${folder}/index.html`] };
  const page = `/${file.slice(0, -".html".length)}`;
  return { page, aliases: [`${page}.html`, `${page}/`] };
}

export function typeOf(file) {
  const type = TYPES[file.split(".").at(-1)];
  if (!type) throw new Error(`the site has a file of unknown type: ${file}. Add its type to site/tools/pagetable.mjs`);
  return type;
}

/** Headers for paths, as in the file `_headers` of Cloudflare's static assets: lines of paths, and below each its headers. */
export function rulesOf(text) {
  const rules = [];
  for (const line of text.split("\n").filter((line) => line.trim() !== "" && !line.trim().startsWith("#"))) {
    const [, name, value] = /^[ \t]+([^!:\s][^:]*):(.*)$/.exec(line) ?? [];
    if (/^\/[^*:]*\*?\s*$/.test(line)) rules.push({ pattern: line.trim(), headers: {} });
    else if (name && rules.length > 0) rules.at(-1).headers[name.trim().toLowerCase()] = value.trim();
    else
      throw new Error(
        `_headers: ${JSON.stringify(line)} is not understood. Use paths with at most one *, at their end, and headers below them`,
      );
  }
  return rules;
}

function isMatch(pattern, path) {
  return pattern.endsWith("*") ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
}
