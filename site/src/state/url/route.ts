/**
 * Each page's part of the address: everything that changes the picture, so a link shows the other person the same thing.
 *
 * A parameter is one line in the table of its page: the value's name in the code, the name in the address, and how it is
 * read and printed. The types of the pages, `parseRoute`, `formatRoute` and the check for unknown names follow from the tables.
 *
 * All pages may also have `bucket`, the address of a bucket or of a bundle that is asked in place of a server, and `bucket2`,
 * another that /diff asks for the comparison (see query/place.ts). Addresses are absolute or relative to the page; an empty
 * one is the server.
 */

import { parseSteps, timeAmong } from "../../core/steps.ts";
import { parseTime } from "../../time/range.ts";
import { byParameter } from "./by.ts";
import {
  choice,
  flag,
  list,
  name,
  namesOf,
  parseTable,
  printTable,
  type Table,
  text,
  type Values,
} from "./parameter.ts";
import {
  addressesParameter,
  extentParameter,
  graphParameter,
  idsParameter,
  initialHalf,
  initialRange,
  measureParameter,
  secondsParameter,
  sideParameter,
  sortParameter,
  windowParameter,
} from "./values.ts";

/** What /explore shows of a service below its timeline. */
export type Panel = "profile" | "types" | "labels" | "changes" | "function" | "singles";
export type View = "flame" | "table" | "both" | "tree" | "sandwich" | "chart" | "lines" | "graph" | "sides";

const PANELS: Panel[] = ["profile", "types", "labels", "changes", "function", "singles"];
const VIEWS: View[] = ["flame", "table", "both", "tree", "sandwich", "chart", "lines", "graph", "sides"];

/** What is drawn. */
const DRAWN = {
  view: choice("v", VIEWS),
  /** In order: `focus:REGEX`, `hide:REGEX`, `group:package` and so on (see core/steps.ts). */
  steps: list("f", parseSteps),
};

/** How it is looked at. */
const LOOK = {
  /** Upside down, callers below what they call. */
  invert: flag("i"),
  /** The function of the sandwich, by name. */
  sandwich: name("b"),
  /** The thread of the chart, by name. */
  thread: text("th"),
  /** Source lines are those of a whole file. */
  wholeFile: flag("lb", "file"),
  /** What is seen of the call graph; null for all of it. */
  graph: graphParameter("g"),
  /** The key of the zoomed frame, and the part of its width that is seen. */
  zoom: name("z"),
  extent: extentParameter("x"),
  /** The key of the selected frame. */
  selection: name("n"),
  search: text("q"),
  /** The order of the table. */
  sort: sortParameter("o", { column: "self", descending: true }),
};

/** Services, and the way to files. */
const HOME = {
  /** The id of a saved view, to which this link leads on. */
  saved: name("view"),
  type: text("t"),
  base: sideParameter("", () => initialRange("base")),
  search: text("q"),
  /** The order of the services. */
  sort: sortParameter("o", { column: "name", descending: false }),
};

/** Recording rules, with their metrics over a day unless another range is chosen. */
const RULES = {
  base: sideParameter("", () => ({ from: "now-24h", until: "now" })),
};

const PANEL = choice("p", PANELS);

/** One service, one type, one range. */
const EXPLORE = {
  service: text("s"),
  type: text("t"),
  base: sideParameter("", () => initialRange("base")),
  /** The selected part of the range. */
  window: windowParameter("w"),
  /** The label by whose values the timeline is split. */
  split: name("split"),
  /**
   * Only samples of these spans, or if there are none of these traces, as in links of tracing systems. Spans are narrower:
   * they hold where both are given.
   */
  spans: idsParameter("span", 16),
  traces: idsParameter("trace", 32),
  panel: PANEL,
  /** What series are told apart by, or what is compared. */
  by: byParameter("by", (params) => PANEL.parse(params) === "singles"),
  /** The function of the panel `function`, by name. */
  func: name("fn"),
  ...DRAWN,
  ...LOOK,
};

/** Baseline against comparison. */
const DIFF = {
  service: text("s"),
  type: text("t"),
  base: sideParameter("", () => initialHalf("base")),
  other: sideParameter("2", () => initialHalf("other")),
  /** What the timelines show around the sides: what they showed before a side was selected in one. */
  around: windowParameter("w"),
  ...DRAWN,
  ...LOOK,
  measure: measureParameter("norm"),
};

/** Opened profiles. Nothing of them is in the address but where they are fetched from. */
const FILE = {
  /** Ids of profiles that were put on the server. */
  shares: list("share", (ids) => ids.filter(Boolean)),
  /** The name of the sample type. */
  type: text("t"),
  ...DRAWN,
  /** A second part of the time: what the step `time:` has left is compared with it. A chart is of the first alone. */
  against: secondsParameter("vs", (params) => timeAmong(DRAWN.steps.parse(params)) !== null),
  /** The heatmap counts what is idle, too. */
  idle: flag("idle"),
  ...LOOK,
  compare: flag("m", "compare"),
  measure: measureParameter("norm"),
  /** In the frame of another page, without header and foot. */
  embed: flag("embed"),
};

/** Behind the `#` of /file; the names are speedscope's. */
const FILE_FRAGMENT = {
  addresses: addressesParameter("profileURL", "title"),
};

/** What every page with a picture has. */
export interface Picture extends Values<typeof DRAWN>, Values<typeof LOOK> {}
export interface Home extends Values<typeof HOME> {
  page: "home";
}
export interface Explore extends Values<typeof EXPLORE> {
  page: "explore";
}
export interface Diff extends Values<typeof DIFF> {
  page: "diff";
}
export interface File extends Values<typeof FILE>, Values<typeof FILE_FRAGMENT> {
  page: "file";
}

export interface Rules extends Values<typeof RULES> {
  page: "rules";
}

/** Alerts on recording rules. Nothing of what they show is in the address. */
export interface Alerts {
  page: "alerts";
}

export type Route = Home | Explore | Diff | File | Rules | Alerts;
export type Page = Route["page"];
export type RouteOf<P extends Page> = Extract<Route, { page: P }>;

/** By the names of the pages, which are their paths but for the front page's. */
const QUERIES: Record<Page, Table> = {
  home: HOME,
  explore: EXPLORE,
  diff: DIFF,
  file: FILE,
  rules: RULES,
  alerts: {},
};

const fragmentOf = (page: Page): Table => (page === "file" ? FILE_FRAGMENT : {});

/** Reads the path below the site's base, the query and the fragment. A path of none of our pages is the front page. */
export function parseRoute(path: string, query: string, fragment = ""): Route {
  const name = path.replace(/^\/+|\/+$/g, "").replace(/\.html$/, "");
  return parsePage(Object.hasOwn(QUERIES, name) ? (name as Page) : "home", query, fragment);
}

/** The same of a page that is known. */
export function parsePage<P extends Page>(page: P, query: string, fragment = ""): RouteOf<P> {
  const values = {
    ...parseTable(QUERIES[page], new URLSearchParams(query)),
    ...parseTable(fragmentOf(page), new URLSearchParams(fragment.replace(/^#/, ""))),
  };
  return { page, ...values } as unknown as RouteOf<P>;
}

/** A page as it is without any parameters. */
export function initialRoute<P extends Page>(page: P): RouteOf<P> {
  return parsePage(page, "");
}

/** The path below the base, the query and the fragment. What is as at first is left out. */
export function formatRoute(route: Route): string {
  const { page } = route;
  const print = (table: Table) => printTable(table, route as unknown as Values<Table>);
  // These need no escape in a query, and type ids are full of them: links stay readable.
  const query = print(QUERIES[page]).replace(/%(3A|2F|2C)/g, decodeURIComponent);
  const fragment = print(fragmentOf(page));
  return (page === "home" ? "" : page) + (query && `?${query}`) + (fragment && `#${fragment}`);
}

/** Times may be written in several ways. */
const TIMES = /^(from|until)2?$/;

/** What a query gives the parameters of a page that these do not understand. */
export function rejected(page: Page, query: string): [name: string, text: string][] {
  const params = new URLSearchParams(query);
  const names = new Set(namesOf(QUERIES[page]));
  const meant = (name: string, text: string) => (TIMES.test(name) ? (parseTime(text) ?? text) : text);
  const pair = (name: string, text: string) => `${name}=${meant(name, text)}`.toLowerCase();
  const kept = new Set(
    Object.values(QUERIES[page]).flatMap(({ parse, print }) => print(parse(params)).map((read) => pair(...read))),
  );
  return [...params].filter(([name, text]) => names.has(name) && text !== "" && !kept.has(pair(name, text)));
}

/** The names of all pages' parameters in queries. */
export function parameterNames(): string[] {
  return Object.values(QUERIES).flatMap(namesOf);
}
