/** Values of addresses that are more than a text: times, filters, parts of the picture, and how each is written. */
import { formatSeconds, parseSeconds, type Seconds } from "../../core/steps.ts";
import type { SortColumn } from "../../core/types.ts";
import type { Address } from "../../files/address.ts";
import type { Extent } from "../../flame/extent.ts";
import { fixed, halves, parseTime, type Range, type Span } from "../../time/range.ts";
import { apart, wholeSpan } from "../query/place.ts";
import { list, optional, type Parameter, parameter } from "./parameter.ts";

export interface Side extends Range {
  filters: string[];
}

/** A side of a comparison: baseline or comparison. */
export type SideName = "base" | "other";

/** What a comparison compares; `auto` is for `resolveMeasure` to say. */
export type Measure = "auto" | "amount" | "share" | "rate";

/** How large a graph is drawn, and which point of it is in the middle. */
export type GraphWindow = readonly [scale: number, x: number, y: number];

export interface Sort {
  column: SortColumn;
  descending: boolean;
}

const COLUMNS: SortColumn[] = ["self", "total", "name", "delta", "self_delta"];
const MEASURES: Record<Measure, string> = { auto: "", amount: "0", share: "1", rate: "rate" };

/** The last hour, or all of a bundle. */
export function initialRange(side: SideName): Range {
  const whole = wholeSpan(side);
  return whole ? fixed(whole) : { from: "now-1h", until: "now" };
}

/** Of a comparison: the halves of that; of two places all of each. */
export function initialHalf(side: SideName): Range {
  if (apart.peek()) return initialRange(side);
  const whole = wholeSpan("base");
  if (whole) return fixed(halves(whole)[side === "base" ? 0 : 1]);
  return side === "base" ? { from: "now-1h", until: "now-30m" } : { from: "now-30m", until: "now" };
}

/** A time range and label matchers: `from`, `until` and `l`, each with a suffix. */
export function sideParameter(suffix: "" | "2", initial: () => Range): Parameter<Side> {
  const [from, until, filter] = ["from", "until", "l"].map((name) => name + suffix);
  return {
    names: [from, until, filter],
    parse: (params) => {
      const normal = initial();
      const time = (name: string, otherwise: string) => parseTime(params.get(name) ?? "") ?? otherwise;
      const filters = params.getAll(filter).filter(Boolean);
      return { from: time(from, normal.from), until: time(until, normal.until), filters };
    },
    print: (side) => [
      [from, side.from],
      [until, side.until],
      ...side.filters.map((matcher): [string, string] => [filter, matcher]),
    ],
  };
}

/** Ids in hex, of so many digits. */
export const idsParameter = (name: string, digits: number): Parameter<string[]> =>
  list(name, (texts) => {
    const all = new Set(texts.map((id) => id.toLowerCase()));
    return [...all].filter((id) => id.length === digits && /^[0-9a-f]*$/.test(id));
  });

/** `<unix ms>-<unix ms>` */
export const windowParameter = (name: string): Parameter<Span | null> =>
  optional(
    name,
    (text) => {
      const match = /^(\d{1,15})-(\d{1,15})$/.exec(text);
      if (!match) return null;
      const span = { from: Number(match[1]), until: Number(match[2]) };
      return span.from < span.until ? span : null;
    },
    ({ from, until }) => `${from}-${until}`,
  );

/** `<x0>-<x1>` */
export const extentParameter = (name: string): Parameter<Extent> =>
  parameter<Extent>(
    name,
    (text) => {
      const match = /^(\d(?:\.\d+)?(?:e-\d+)?)-(\d(?:\.\d+)?(?:e-\d+)?)$/.exec(text);
      const [x0, x1] = match ? [Number(match[1]), Number(match[2])] : [0, 1];
      return 0 <= x0 && x0 < x1 && x1 <= 1 ? [x0, x1] : [0, 1];
    },
    (extent) => extent.join("-"),
  );

/** `<scale>,<x>,<y>` */
export const graphParameter = (name: string): Parameter<GraphWindow | null> =>
  optional<GraphWindow>(
    name,
    (text) => {
      const match = /^(\d{1,2}(?:\.\d{1,4})?),(-?\d{1,6}),(-?\d{1,6})$/.exec(text);
      return match && Number(match[1]) > 0 ? [Number(match[1]), Number(match[2]), Number(match[3])] : null;
    },
    (window) => window.join(","),
  );

/** A part of the time in seconds, where `allows` the rest of the address. */
export function secondsParameter(
  name: string,
  allows: (params: URLSearchParams) => boolean,
): Parameter<Seconds | null> {
  const seconds = optional(name, parseSeconds, formatSeconds);
  return { ...seconds, parse: (params) => (allows(params) ? seconds.parse(params) : null) };
}

/** `-total` is descending. */
export const sortParameter = (name: string, normal: Sort): Parameter<Sort> =>
  parameter(name, (text) => parseSort(text) ?? normal, formatSort);

export const measureParameter = (name: string): Parameter<Measure> =>
  parameter(
    name,
    (text) => (Object.keys(MEASURES) as Measure[]).find((measure) => MEASURES[measure] === text) ?? "auto",
    (measure) => MEASURES[measure],
  );

/** Addresses of profiles, and their titles if any has one. */
export const addressesParameter = (url: string, title: string): Parameter<Address[]> => ({
  names: [url, title],
  parse: (params) => {
    const titles = params.getAll(title);
    const urls = params.getAll(url).filter(Boolean);
    return urls.map((url, i) => ({ url, title: titles[i] ?? "" }));
  },
  print: (addresses) => {
    const titled = addresses.some(({ title }) => title !== "");
    return addresses.flatMap((address): [string, string][] => [
      [url, address.url],
      ...(titled ? [[title, address.title] as [string, string]] : []),
    ]);
  },
});

export function parseSort(text: string): Sort | null {
  const descending = text.startsWith("-");
  const column = COLUMNS.find((name) => name === text.replace(/^-/, ""));
  return column ? { column, descending } : null;
}

export function formatSort({ column, descending }: Sort): string {
  return (descending ? "-" : "") + column;
}
