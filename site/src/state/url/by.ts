/** By what a panel of /explore tells series apart, or what it compares. */
import type { Parameter } from "./parameter.ts";

/** Two values of a label. Where they are the same it is the two that came last. */
export interface ComparedValues {
  label: string;
  before: string;
  after: string;
}

/** Null is what suits the service; spans are for the panel of single profiles. */
export type By = { label: string } | ComparedValues | "time" | "spans" | null;

/** "label", or "label,before,after" with each escaped; ",," is the time, and where `ofSpans` holds "span" are the spans. */
export const byParameter = (name: string, ofSpans: (params: URLSearchParams) => boolean): Parameter<By> => ({
  names: [name],
  parse: (params) => {
    const text = params.get(name) ?? "";
    return text === "span" && ofSpans(params) ? "spans" : parseBy(text);
  },
  print: (by) => [[name, formatBy(by)]],
});

function parseBy(text: string): By {
  if (text === "") return null;
  const parts = text.split(",");
  if (parts.length !== 3) return { label: text };
  if (parts[0] === "") return "time";
  try {
    const [label, before, after] = parts.map(decodeURIComponent);
    return { label, before, after };
  } catch {
    return { label: text };
  }
}

export function formatBy(by: By): string {
  if (by === null) return "";
  if (by === "time") return ",,";
  if (by === "spans") return "span";
  return "before" in by ? [by.label, by.before, by.after].map(encodeURIComponent).join(",") : by.label;
}
