/** How one value of a page is written in a query or a fragment: under which names, how it is read, how it is printed. */

export interface Parameter<T> {
  /** A promise to everyone who has a link: they do not change. */
  names: readonly string[];
  /** Whatever makes no sense is as if absent. */
  parse(params: URLSearchParams): T;
  /** Names with texts, in order. Those that are printed without the parameter, too, are left out of addresses. */
  print(value: T): [name: string, text: string][];
}

/** The parameters of a page by the names of its values, in the order in which they are printed. */
export type Table = Record<string, Parameter<unknown>>;
export type Values<T> = { [Name in keyof T]: T[Name] extends Parameter<infer Value> ? Value : never };

/** A value in one text; `parse` makes what is there at first of an empty one. */
export function parameter<T>(name: string, parse: (text: string) => T, print: (value: T) => string): Parameter<T> {
  return {
    names: [name],
    parse: (params) => parse(params.get(name) ?? ""),
    print: (value) => [[name, print(value)]],
  };
}

export const text = (name: string): Parameter<string> => parameter(name, String, String);

export const flag = (name: string, on = "1"): Parameter<boolean> =>
  parameter(
    name,
    (text) => text === on,
    (value) => (value ? on : ""),
  );

/** Null where there is none. */
export const optional = <T>(
  name: string,
  parse: (text: string) => T | null,
  print: (value: T) => string,
): Parameter<T | null> => parameter(name, parse, (value) => (value === null ? "" : print(value)));

/** A name, or null without one. */
export const name = (inAddress: string): Parameter<string | null> =>
  optional(inAddress, (text) => text || null, String);

/** One of some words; the first is the one without the parameter. */
export const choice = <T extends string>(name: string, words: readonly T[]): Parameter<T> =>
  parameter(name, (text) => words.find((word) => word === text) ?? words[0], String);

/** Texts that may be there several times; `parse` leaves out what makes no sense. */
export const list = (name: string, parse: (texts: string[]) => string[]): Parameter<string[]> => ({
  names: [name],
  parse: (params) => parse(params.getAll(name)),
  print: (values) => values.map((value) => [name, value]),
});

export function parseTable<T extends Table>(table: T, params: URLSearchParams): Values<T> {
  const values = Object.entries(table).map(([name, { parse }]) => [name, parse(params)]);
  return Object.fromEntries(values) as Values<T>;
}

export function printTable<T extends Table>(table: T, values: Values<T>): string {
  const printed = Object.entries(table).flatMap(([name, { parse, print }]) => {
    const initial = print(parse(new URLSearchParams())).map(String);
    return print(values[name]).filter((pair) => !initial.includes(String(pair)));
  });
  return new URLSearchParams(printed).toString();
}

export function namesOf(table: Table): string[] {
  return Object.values(table).flatMap(({ names }) => names);
}
