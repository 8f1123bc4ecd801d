/** Writes the zip of a bundle as what people want of it: a folder, a zip or one page, all with Pilotlight's pages. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { UsageError } from "./options.mjs";
import { loadWasm } from "./wasm.mjs";

/** What help says of it. */
export const OUT = `  --out PATH      a folder for any static host, or FILE.zip with that folder, or FILE.html, one page
                  with everything in it; by default, a folder pilotlight-<digest of its content>
  --commit TEXT   the profiles' commit, shown on the first page
  --when TIME     when the pages were made, such as 2026-11-23T12:00:00Z, shown on the first page`;

const here = fileURLToPath(new URL(".", import.meta.url));
const site = join(here, "site");

/** What there is already is not overwritten. Gives where it is and what it is. */
export async function writeSite(zip, out) {
  const { BundleSite } = await loadWasm("bundler");
  const bundle = BundleSite.read(zip);
  const path = resolve(out ?? bundle.name);
  if (existsSync(path)) throw new Error(`${path} already exists. Choose another path with --out`);
  const shown = relative(".", path) || path;
  const staged = join(dirname(path), `.${basename(path)}-${process.pid}`);
  if (path.endsWith(".html")) {
    writeWhole(path, staged, bundle.page(readFileSync(join(site, "explorer.html"), "utf8")));
    return { path: shown, hint: "one page: open it in a browser" };
  }
  for (const name of pages()) bundle.add_page(name, readFileSync(join(site, name)));
  if (path.endsWith(".zip")) {
    writeWhole(path, staged, bundle.zip());
    return { path: shown, hint: "unpack it on a static host" };
  }
  try {
    const files = bundle.files();
    for (let file = files.next(); file; file = files.next()) write(join(staged, file.name), file.take_bytes());
    renameSync(staged, path);
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
  return { path: shown, hint: `serve it with any static host, such as: python3 -m http.server --directory ${shown}` };
}

/** The files of the site without the docs, which are about servers, in an order that is the same everywhere. */
function pages() {
  const entries = readdirSync(site, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries
    .map((entry) =>
      relative(site, join(entry.parentPath ?? entry.path, entry.name))
        .split(sep)
        .join("/"),
    )
    .filter((name) => !name.startsWith("docs/"))
    .sort();
}

/** A file that is there once it is whole. */
function writeWhole(path, staged, bytes) {
  try {
    write(staged, bytes);
    renameSync(staged, path);
  } finally {
    rmSync(staged, { force: true });
  }
}

function write(path, bytes) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
}

/** Throws when `--when` is not a time, which the pages would leave out. */
export function checkWhen(when) {
  if (when !== undefined && Number.isNaN(Date.parse(when)))
    throw new UsageError(`--when must be a time, such as 2026-11-23T12:00:00Z (got ${when})`);
}
