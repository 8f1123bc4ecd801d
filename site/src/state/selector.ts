/** Label matchers and the query the server understands: type id, then PromQL matchers in braces. */

export interface Matcher {
  name: string;
  op: "=" | "!=" | "=~" | "!~";
  value: string;
}

/** `region="eu"`, the form that filters have in the URL. */
export function formatMatcher({ name, op, value }: Matcher): string {
  return `${name}${op}"${value.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n")}"`;
}

export function parseMatcher(text: string): Matcher | null {
  const match = /^([A-Za-z_][\w.]*)(=~|!~|!=|=)"((?:[^"\\]|\\.)*)"$/s.exec(text);
  if (!match) return null;
  const value = match[3].replace(/\\(.)/gs, (_, c: string) => (c === "n" ? "\n" : c));
  return { name: match[1], op: match[2] as Matcher["op"], value };
}

/** How a chip shows a matcher: `region=eu`, quotes only where they help. */
export function matcherLabel(text: string): string {
  const matcher = parseMatcher(text);
  if (!matcher) return text;
  return `${matcher.name}${matcher.op}${matcher.value === "" ? '""' : matcher.value}`;
}

/** Matchers that cannot be read are left out: they came from a hand-written link. */
export function selector(service: string, filters: string[]): string {
  const all = [formatMatcher({ name: "service_name", op: "=", value: service }), ...filters.filter(parseMatcher)];
  return `{${all.join(",")}}`;
}
