/** Label matchers and the query the server understands: type id, then PromQL matchers in braces. */

export interface Matcher {
  name: string;
  op: "=" | "!=" | "=~" | "!~";
  value: string;
}

/** A name that PromQL takes without quotes. A dot is none of it, and the server takes that, too. */
const PLAIN = /^[A-Za-z_][\w.]*$/;

/** What the server reads behind backslashes: bytes, of which several may make one character, code points, and letters. */
const ESCAPES = /((?:\\x[\dA-Fa-f]{2}|\\[0-3][0-7]{2})+)|\\u([\dA-Fa-f]{4})|\\U([\dA-Fa-f]{8})|\\(.)/gs;

const LETTERS: Record<string, string> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  '"': '"',
  "'": "'",
};

/** `region="eu"`, the form that filters have in the URL. */
export function formatMatcher({ name, op, value }: Matcher): string {
  return `${PLAIN.test(name) ? name : quoted(name)}${op}${quoted(value)}`;
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&").replace(/\n/g, "\\n")}"`;
}

export function parseMatcher(text: string): Matcher | null {
  const match = /^([A-Za-z_][\w.]*|"(?:[^"\\]|\\.)+")(=~|!~|!=|=)"((?:[^"\\]|\\.)*)"$/s.exec(text);
  if (!match) return null;
  const op = match[2] as Matcher["op"];
  const name = match[1].startsWith('"') ? unquoted(match[1].slice(1, -1), false) : match[1];
  return { name, op, value: unquoted(match[3], op.endsWith("~")) };
}

/** What the server does not know stays as it is: the server says what is wrong. So does `\b` of a regular expression. */
function unquoted(text: string, regex: boolean): string {
  return text.replace(ESCAPES, (whole: string, bytes?: string, short?: string, long?: string, letter?: string) => {
    if (bytes !== undefined) {
      const values = bytes
        .slice(1)
        .split("\\")
        .map((byte) => (byte.startsWith("x") ? parseInt(byte.slice(1), 16) : parseInt(byte, 8)));
      return new TextDecoder("utf-8", { ignoreBOM: true }).decode(new Uint8Array(values));
    }
    if (letter !== undefined) return regex && letter === "b" ? whole : (LETTERS[letter] ?? whole);
    const point = parseInt(short ?? long ?? "", 16);
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });
}

export function hasMatcher(filters: string[], matcher: Matcher): boolean {
  return filters.includes(formatMatcher(matcher));
}

/** Filters with one more. Another value of a label replaces the one that was asked for: both together would select nothing. */
export function withMatcher(filters: string[], matcher: Matcher): string[] {
  const text = formatMatcher(matcher);
  const kept = matcher.op === "=" ? withoutValue(filters, matcher.name) : filters;
  return [...kept.filter((filter) => filter !== text), text];
}

/** Filters without those of a label. */
export function withoutLabel(filters: string[], name: string): string[] {
  return filters.filter((filter) => parseMatcher(filter)?.name !== name);
}

/** Filters without those for one value of a label; what excludes some of its values stays. */
export function withoutValue(filters: string[], name: string): string[] {
  return filters.filter((filter) => {
    const other = parseMatcher(filter);
    return !(other?.name === name && other.op === "=");
  });
}

/** Filters with one more, or without the one that they have. */
export function toggleMatcher(filters: string[], matcher: Matcher): string[] {
  if (!hasMatcher(filters, matcher)) return withMatcher(filters, matcher);
  return filters.filter((filter) => filter !== formatMatcher(matcher));
}

/** How a chip shows a matcher: `region=eu`, quotes only where they help. */
export function matcherLabel(text: string): string {
  const matcher = parseMatcher(text);
  if (!matcher) return text;
  return `${matcher.name}${matcher.op}${matcher.value === "" ? '""' : matcher.value}`;
}

/** Filters go as they are written, also those that this page cannot read: left out, they would make the answer wider. */
export function selector(service: string, filters: string[]): string {
  const all = [formatMatcher({ name: "service_name", op: "=", value: service }), ...filters];
  return `{${all.join(",")}}`;
}
