/**
 * `.pyroscope.yaml`: which files of a profile are where. Version v1 of Pyroscope's: `source_code.mappings` is a list, each with
 * prefixes of paths or of functions, and a `source` that is `local` or at GitHub.
 */
import { load } from "js-yaml";

export interface Mapping {
  /** What paths, or names of functions, begin with. */
  paths: string[];
  functions: string[];
  /** Of another repository its address and ref; empty for the service's own. */
  repository: string;
  ref: string;
  path: string;
}

type Fields = Record<string, unknown>;

/** Fails with a message that says what is wrong. */
export function parseMappings(text: string): Mapping[] {
  const file = fields(load(text));
  if (file.version !== undefined && file.version !== "v1")
    throw new Error(`version must be v1 (got ${JSON.stringify(file.version)})`);
  const { mappings } = fields(file.source_code);
  if (mappings === undefined) return [];
  if (!Array.isArray(mappings)) throw new Error("source_code.mappings must be a list");
  return mappings.map((mapping: unknown, i) => {
    const { path, function_name, source } = fields(mapping);
    const { local, github } = fields(source);
    const [here, there] = [fields(local), fields(github)];
    const text = (from: Fields, name: string) => (typeof from[name] === "string" ? from[name] : "");
    const paths = prefixes(path);
    const functions = prefixes(function_name);
    if (paths.length + functions.length === 0) throw new Error(`mapping ${i + 1} needs a path or function_name prefix`);
    if (github === undefined) {
      if (local === undefined) throw new Error(`mapping ${i + 1} needs a source: local or github`);
      return { paths, functions, repository: "", ref: "", path: text(here, "path") };
    }
    const [owner, repo] = [text(there, "owner"), text(there, "repo")];
    if (owner === "" || repo === "") throw new Error(`mapping ${i + 1} needs source.github.owner and repo`);
    return {
      paths,
      functions,
      repository: `https://github.com/${owner}/${repo}`,
      ref: text(there, "ref"),
      path: text(there, "path"),
    };
  });
}

function fields(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function prefixes(list: unknown): string[] {
  const all = Array.isArray(list) ? list : [];
  return all
    .map((one) => fields(one).prefix)
    .filter((prefix): prefix is string => typeof prefix === "string" && prefix !== "");
}
