/** What a page does not understand of its address: a link that is misspelt shows something else than was meant. */

import { STEP_VERBS } from "../../core/steps.ts";
import { spanOf } from "../../time/range.ts";
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
/** Characters of one that are listed. */
const LONGEST = 40;

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
  const told = `This link has ${names.length === 1 ? "a parameter" : "parameters"} that Pilotlight doesn't know: ${listed(names.map(cut))}.`;
  return hints.length === 0 ? told : `${told} Write ${hints.join(", ")}.`;
}

/** Sentences about values. */
function rejectedValues(page: Page, query: string): string {
  const values = rejected(page, query);
  if (values.length === 0) return "";
  const what = values.length === 1 ? "an invalid value" : "invalid values";
  const told = `Ignored ${what} in the link: ${listed(values.map(([name, text]) => `${name}=${cut(text)}`))}.`;
  return values.some(([name]) => name === "f") ? `${told} Filters are ${STEP_VERBS.join(", ")}.` : told;
}

const cut = (text: string) => text.slice(0, LONGEST);

/** The first few texts, in quotes. */
function listed(texts: string[]): string {
  const few = texts.slice(0, MOST).map((text) => `"${text}"`);
  return few.join(", ") + (texts.length > MOST ? " …" : "");
}

/** A sentence about a range that ends before it begins. */
function reversedRange(page: Page, query: string): string {
  if (page !== "home" && page !== "explore") return "";
  const span = spanOf(parsePage(page, query).base, Date.now());
  return span ? "" : "The range in this link ends before it begins, so the last hour is shown.";
}
