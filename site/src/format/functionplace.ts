/** Where a function is in the source, in words: of its two lines, the first one and a sampled one, each says which it is. */
import type { NodeDetail } from "../core/types.ts";

/** "svc/orders.go, defined at line 142"; without a source file, the binary. */
export function definedAt({ file, line, module }: Pick<NodeDetail, "file" | "line" | "module">): string {
  return file ? withLine(file, "defined", line) : module;
}

/** "svc/orders.go, sampled most at line 150", of lines whose first has most samples. */
export function sampledAt([first, ...others]: { file: string; line: number }[]): string {
  return first?.file ? withLine(first.file, others.length > 0 ? "sampled most" : "sampled", first.line) : "";
}

function withLine(file: string, what: string, line: number): string {
  return line > 0 ? `${file}, ${what} at line ${line}` : file;
}
