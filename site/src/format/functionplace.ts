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

function withLine(file: string, what: string, line: number): string {
  return line > 0 ? `${file}, ${what} at line ${line}` : file;
}
