/** js-yaml: in the package it is beside this file, in the repository among the site's modules. */
import { existsSync } from "node:fs";

/** Loads the parser, which only files of YAML need. */
export function loadYaml() {
  const inside = new URL("vendor/js-yaml.mjs", import.meta.url);
  return import(existsSync(inside) ? inside : "js-yaml");
}
