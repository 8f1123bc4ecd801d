/** What a page does not understand of its address: a link that is misspelt shows something else than was meant. */

import { resolveTime } from "../../time/range.ts";
import { type Page, parameterNames, parsePage, rejected } from "./route.ts";

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

/** What to say of the address of a page; empty where all of it is understood. */
export function linkProblems(page: Page, query: string): string {
  return [unknownParameters(query), rejectedValues(page, query), reversedRange(page, query)].filter(Boolean).join(" ");
}

/** Sentences about names. */
function unknownParameters(query: string): string {
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

/** Sentences about values. */
function rejectedValues(page: Page, query: string): string {
  const values = rejected(page, query);
  if (values.length === 0) return "";
  const listed = values.slice(0, MOST).map(([name, text]) => `"${name}=${text.slice(0, 40)}"`);
  return values.length === 1
    ? `This link has a value that Pilotlight doesn't understand, and ignores: ${listed}.`
    : `This link has values that Pilotlight doesn't understand, and ignores: ${listed.join(", ")}${values.length > MOST ? " …" : ""}.`;
}

/** A sentence about a range that ends before it begins. */
function reversedRange(page: Page, query: string): string {
  if (page !== "home" && page !== "explore") return "";
  const { from, until } = parsePage(page, query).base;
  const now = Date.now();
  const reversed = (resolveTime(from, now) ?? 0) >= (resolveTime(until, now) ?? now);
  return reversed ? "The range of this link ends before it begins, so the last hour is shown." : "";
}
