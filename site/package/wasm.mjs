/** Modules of WASM: in the package they are beside this file, in the repository where the build puts them. */
import { existsSync, readFileSync } from "node:fs";

/** Loads a module, which is ready for use then: `bundler` or `demo`. */
export async function loadWasm(name) {
  const folders = [`./wasm/${name}/`, `../src/wasm/${name}/`].map((path) => new URL(path, import.meta.url));
  const folder = folders.find((folder) => existsSync(new URL("pilotlight_bg.wasm", folder)));
  if (!folder) throw new Error("the WASM module of this command is not built: run `cargo xtask run` first");
  const module = await import(new URL("pilotlight.js", folder));
  await module.default({ module_or_path: readFileSync(new URL("pilotlight_bg.wasm", folder)) });
  return module;
}
