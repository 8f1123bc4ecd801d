/** Where a function is in the source, in words: of its two lines, the first one and a sampled one, each says which it is. */
import type { NodeDetail } from "../core/types.ts";

/** "svc/orders.go, defined at line 142"; without a source file, the binary. */
export function definedAt({ file, line, module }: Pick<NodeDetail, "file" | "line" | "module">): string {
  return file ? withLine(file, "defined", line) : module;
}

const and = new Intl.ListFormat("en");
/** Files that are listed at most. */
const MOST_FILES = 3;

/** "svc/orders.go, sampled most at line 150", of lines whose first has most samples; all files of several functions of one name. */
export function sampledAt(lines: { file: string; line: number }[]): string {
  const [first, ...others] = lines;
  const files = [...new Set(lines.map(({ file }) => file))].filter(Boolean);
  if (files.length > 1) {
    const listed = files.slice(0, MOST_FILES);
    if (files.length > MOST_FILES) listed.push(`${files.length - MOST_FILES} more`);
    return `functions of this name in ${and.format(listed)}, counted together`;
  }
  return first?.file ? withLine(first.file, others.length > 0 ? "sampled most" : "sampled", first.line) : "";
}

/** Of functions in one list, what tells those of one name apart: the end of the file. Empty for a name that only one has. */
export function namesakePlaces<T extends Pick<NodeDetail, "name" | "file">>(listed: T[]): (of: T) => string {
  const files = new Map<string, Set<string>>();
  for (const { name, file } of listed) files.set(name, (files.get(name) ?? new Set()).add(file));
  return ({ name, file }) => {
    const others = [...(files.get(name) ?? [])].filter((other) => other !== file).map((other) => `/${other}`);
    if (others.length === 0) return "";
    const parts = file.split("/");
    const ends = parts.map((_, i) => parts.slice(-1 - i).join("/"));
    return ends.find((end) => !others.some((other) => other.endsWith(`/${end}`))) || file || "no source file";
  };
}

function withLine(file: string, what: string, line: number): string {
  return line > 0 ? `${file}, ${what} at line ${line}` : file;
}
