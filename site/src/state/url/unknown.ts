/** Parameters of an address that no page has: a link that is misspelt shows something else than was meant. */

import { parameterNames } from "./route.ts";

/** Which place is asked, on any page (see query/place.ts). */
const PLACES = ["bucket", "bucket2"];

/** What people write in place of the short names. */
const MEANT: Record<string, string> = {
  service: "s",
  service_name: "s",
  type: "t",
  query: "q",
  search: "q",
  to: "until",
  label: "l",
  filter: "l",
  panel: "p",
  function: "fn",
};

/** More are not listed. */
const MOST = 5;

/** Of campaigns and mail, which other programs append. */
const FOREIGN = /^utm_|clid$|^_/;

/** What to say of an address; empty where each of its parameters is known. */
export function unknownParameters(query: string): string {
  const known = new Set([...parameterNames(), ...PLACES]);
  const names = [...new Set(new URLSearchParams(query).keys())].filter(
    (name) => !known.has(name) && !FOREIGN.test(name),
  );
  if (names.length === 0) return "";
  const hints = names.flatMap((name) => (Object.hasOwn(MEANT, name) ? [`"${MEANT[name]}" for "${name}"`] : []));
  const few = names.slice(0, MOST).map((name) => `"${name.slice(0, 40)}"`);
  const listed = few.join(", ") + (names.length > MOST ? " …" : "");
  const told = `This link has ${names.length === 1 ? "a parameter" : "parameters"} that Pilotlight doesn't know: ${listed}.`;
  return hints.length === 0 ? told : `${told} Write ${hints.join(", ")}.`;
}
