/**
 * The state that the URL carries. Everything that changes the picture is here, so a link shows the other person the same
 * thing. The short names in the query string are a promise: they do not change.
 *
 * | name | what |
 * |---|---|
 * | `s` `t` | service, profile type (in /file: name of the sample type) |
 * | `from` `until` `l`… | time range and label matchers; in /diff of the baseline |
 * | `from2` `until2` `l2`… | the same of the comparison |
 * | `view` | in /: the id of a saved view, to which this link leads on |
 * | `p` | panel of /explore: `types`, `labels`, `changes`, `function` and `singles`; without it the merged profile |
 * | `by` | the label by which series are told apart; in `changes` and `labels` also with two of its values, in `changes` `,,` for times; in `singles` `span` for spans |
 * | `fn` | the function of the panel `function`, by name |
 * | `span`… `trace`… | in /explore: only samples of these spans, or if there are none of these traces; their ids in hex |
 * | `split` | in /explore: the label by whose values the timeline is split |
 * | `w` | selected window inside the range, `<unix ms>-<unix ms>` |
 * | `v` | view: `flame` (default), `table`, `both`, `tree`, `sandwich`, `chart`, `lines`, `graph`, `sides` |
 * | `th` | the thread of the chart, by name |
 * | `f`… | steps before the picture, in order: `focus:REGEX`, `hide:REGEX`, `group:package` and so on (see core/steps.ts) |
 * | `vs` | a second part of the time, in seconds: what the step `time:` has left is compared with it |
 * | `idle` | `1`: the heatmap counts what is idle, too |
 * | `i` | `1`: upside down, callers below what they call |
 * | `b` | the function of the sandwich, by name |
 * | `lb` | `file`: the source lines of all functions of a file |
 * | `g` | what is seen of the call graph: its scale, and what is in the middle, `<scale>,<x>,<y>` |
 * | `z` `x` | zoomed frame, and the part of its width that is seen, `<x0>-<x1>` |
 * | `n` `q` `o` | selected frame, search, order of the table or of the services (`-total` is descending) |
 * | `embed` | in /file: `1` in the frame of another page, without header and foot |
 * | `share`… | in /file: profiles that were put on the server, by their ids |
 * | `m` `norm` | in /file: `compare`; what a comparison compares: `1` shares, `0` amounts, `rate` loads |
 *
 * All pages may have `bucket`, the address of a bucket or of a bundle that is asked in place of a server, and `bucket2`,
 * another that /diff asks for the comparison. Addresses are absolute or relative to the page; an empty one is the server.
 *
 * Behind the `#` of /file: `profileURL`, an address from which a profile is fetched, and `title`, its name. Several are
 * several profiles. The names are speedscope's.
 */

import { formatSeconds, parseSeconds, parseSteps, type Seconds, timeAmong } from "../../core/steps.ts";
import type { SortColumn } from "../../core/types.ts";
import type { Address } from "../../files/address.ts";
import type { Extent } from "../../flame/extent.ts";
import { fixed, halves, isTime, type Range, type Span } from "../../time/range.ts";
import { apart, wholeSpan } from "../query/place.ts";

export type Route = "home" | "explore" | "diff" | "file";
/** What /explore shows of a service below its timeline. */
export type Panel = "profile" | "types" | "labels" | "changes" | "function" | "singles";
export type View = "flame" | "table" | "both" | "tree" | "sandwich" | "chart" | "lines" | "graph" | "sides";

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

export interface UrlState {
  route: Route;
  service: string;
  type: string;
  base: Side;
  other: Side;
  window: Span | null;
  /** The label by whose values the timeline is split; empty for none. */
  split: string;
  /** The id of a saved view; empty for none. */
  saved: string;
  /** Ids of spans and of traces, as in links of tracing systems. Spans are narrower: they hold where both are given. */
  spans: string[];
  traces: string[];
  panel: Panel;
  /** The label by which series are told apart; empty for none. */
  by: string;
  /** The function that a panel is about, by name. */
  func: string;
  view: View;
  steps: string[];
  /** A part of the time that the one among the steps is compared with. */
  against: Seconds | null;
  idle: boolean;
  invert: boolean;
  sandwich: string;
  thread: string;
  /** Source lines are those of a whole file. */
  wholeFile: boolean;
  /** What is seen of the call graph; null for all of it. */
  graph: GraphWindow | null;
  zoom: string;
  extent: Extent;
  selection: string;
  search: string;
  sort: Sort;
  compare: boolean;
  measure: Measure;
  /** In the frame of another page. */
  embed: boolean;
  /** Ids of profiles that were put on the server. */
  shares: string[];
  /** What is fetched for /file. */
  addresses: Address[];
}

const PATHS: Record<Route, string> = { home: "", explore: "explore", diff: "diff", file: "file" };
const PANELS: Panel[] = ["profile", "types", "labels", "changes", "function", "singles"];
const VIEWS: View[] = ["flame", "table", "both", "tree", "sandwich", "chart", "lines", "graph", "sides"];
const COLUMNS: SortColumn[] = ["self", "total", "name", "delta"];
const MEASURES: Record<Measure, string> = { auto: "", amount: "0", share: "1", rate: "rate" };

/** The last hour, or all of a bundle. In a comparison its halves; of two places all of each. */
function initialRanges(diff: boolean): { base: Range; other: Range } {
  const all = (side: SideName): Range => {
    const whole = wholeSpan(side);
    return whole ? fixed(whole) : { from: "now-1h", until: "now" };
  };
  if (!diff || apart.peek()) return { base: all("base"), other: all("other") };
  const whole = wholeSpan("base");
  if (!whole) return { base: { from: "now-1h", until: "now-30m" }, other: { from: "now-30m", until: "now" } };
  const [base, other] = halves(whole);
  return { base: fixed(base), other: fixed(other) };
}

export function initialUrlState(route: Route): UrlState {
  const ranges = initialRanges(route === "diff");
  return {
    route,
    service: "",
    type: "",
    base: { ...ranges.base, filters: [] },
    other: { ...ranges.other, filters: [] },
    window: null,
    split: "",
    saved: "",
    spans: [],
    traces: [],
    panel: "profile",
    by: "",
    func: "",
    view: "flame",
    steps: [],
    against: null,
    idle: false,
    invert: false,
    sandwich: "",
    thread: "",
    wholeFile: false,
    graph: null,
    zoom: "",
    extent: [0, 1],
    selection: "",
    search: "",
    sort: route === "home" ? { column: "name", descending: false } : { column: "self", descending: true },
    compare: false,
    measure: "auto",
    embed: false,
    shares: [],
    addresses: [],
  };
}

/** Reads the state from the path below the site's base, the query and the fragment. Whatever makes no sense is as if absent. */
export function parseUrlState(path: string, query: string, fragment = ""): UrlState {
  const name = path.replace(/^\/+|\/+$/g, "").replace(/(^index)?\.html$/, "");
  const route = (Object.keys(PATHS) as Route[]).find((r) => PATHS[r] === name) ?? "home";
  const params = new URLSearchParams(query);
  const text = (key: string) => params.get(key) ?? "";
  const state = initialUrlState(route);
  state.service = text("s");
  if (route === "home") state.saved = text("view");
  state.type = text("t");
  state.base = parseSide(params, "", state.base);
  if (route === "diff") state.other = parseSide(params, "2", state.other);
  state.window = route === "explore" ? parseWindow(text("w")) : null;
  if (route === "explore") state.split = text("split");
  if (route === "explore") [state.spans, state.traces] = [ids(params, "span", 16), ids(params, "trace", 32)];
  state.panel = (route === "explore" && PANELS.find((panel) => panel === text("p"))) || state.panel;
  state.by = text("by");
  state.func = text("fn");
  state.view = VIEWS.find((view) => view === text("v")) ?? state.view;
  state.steps = parseSteps(params.getAll("f"));
  // A comparison of two parts has no chart, and needs a first one.
  const compares = route === "file" && state.view !== "chart" && timeAmong(state.steps) !== null;
  state.against = compares ? parseSeconds(text("vs")) : null;
  state.idle = text("idle") === "1";
  state.invert = text("i") === "1";
  state.sandwich = text("b");
  state.thread = text("th");
  state.wholeFile = text("lb") === "file";
  state.graph = parseGraph(text("g"));
  state.zoom = text("z");
  state.extent = parseExtent(text("x"));
  state.selection = text("n");
  state.search = text("q");
  state.sort = parseSort(text("o")) ?? state.sort;
  state.compare = route === "file" && text("m") === "compare";
  state.measure = (Object.keys(MEASURES) as Measure[]).find((measure) => MEASURES[measure] === text("norm")) ?? "auto";
  state.embed = route === "file" && text("embed") === "1";
  state.shares = route === "file" ? params.getAll("share").filter((id) => id !== "") : [];
  if (route === "file") state.addresses = parseAddresses(new URLSearchParams(fragment.replace(/^#/, "")));
  return state;
}

/** The path below the base, the query and the fragment of a state. Defaults are left out. */
export function formatUrlState(state: UrlState): string {
  const initial = initialUrlState(state.route);
  const params = new URLSearchParams();
  const put = (key: string, value: string, normal = "") => {
    if (value !== normal) params.append(key, value);
  };
  if (state.route === "file") for (const id of state.shares) put("share", id);
  if (state.route === "home") put("view", state.saved);
  put("s", state.service);
  put("t", state.type);
  formatSide(state.base, initial.base, "", put);
  if (state.route === "diff") formatSide(state.other, initial.other, "2", put);
  if (state.route === "explore") {
    if (state.window) put("w", `${state.window.from}-${state.window.until}`);
    put("split", state.split);
    for (const id of state.spans) put("span", id);
    for (const id of state.traces) put("trace", id);
    put("p", state.panel, initial.panel);
  }
  put("by", state.by);
  put("fn", state.func);
  put("v", state.view, initial.view);
  for (const step of state.steps) put("f", step);
  if (state.against) put("vs", formatSeconds(state.against));
  if (state.idle) put("idle", "1");
  if (state.invert) put("i", "1");
  put("b", state.sandwich);
  put("th", state.thread);
  if (state.wholeFile) put("lb", "file");
  if (state.graph) put("g", state.graph.join(","));
  put("z", state.zoom);
  const [x0, x1] = state.extent;
  if (x0 !== 0 || x1 !== 1) put("x", `${x0}-${x1}`);
  put("n", state.selection);
  put("q", state.search);
  put("o", formatSort(state.sort), formatSort(initial.sort));
  if (state.compare && state.route === "file") put("m", "compare");
  put("norm", MEASURES[state.measure]);
  if (state.embed && state.route === "file") put("embed", "1");
  // These need no escape in a query, and type ids are full of them: links stay readable.
  const query = params.toString().replace(/%3A/g, ":").replace(/%2F/g, "/").replace(/%2C/g, ",");
  return PATHS[state.route] + (query && `?${query}`) + formatAddresses(state);
}

function parseAddresses(params: URLSearchParams): Address[] {
  const titles = params.getAll("title");
  const urls = params.getAll("profileURL").filter((url) => url !== "");
  return urls.map((url, i) => ({ url, title: titles[i] ?? "" }));
}

function formatAddresses({ route, addresses }: UrlState): string {
  if (route !== "file" || addresses.length === 0) return "";
  const titled = addresses.some(({ title }) => title !== "");
  const params = addresses.flatMap(({ url, title }) => [["profileURL", url], ...(titled ? [["title", title]] : [])]);
  return `#${new URLSearchParams(params)}`;
}

function parseSide(params: URLSearchParams, suffix: string, initial: Side): Side {
  const time = (key: string, normal: string) => {
    const value = params.get(key + suffix) ?? "";
    return isTime(value) ? value : normal;
  };
  return {
    from: time("from", initial.from),
    until: time("until", initial.until),
    filters: params.getAll(`l${suffix}`).filter((matcher) => matcher !== ""),
  };
}

function formatSide(
  side: Side,
  initial: Side,
  suffix: string,
  put: (key: string, value: string, normal?: string) => void,
) {
  put(`from${suffix}`, side.from, initial.from);
  put(`until${suffix}`, side.until, initial.until);
  for (const matcher of side.filters) put(`l${suffix}`, matcher);
}

function ids(params: URLSearchParams, name: string, digits: number): string[] {
  const all = params.getAll(name).map((id) => id.toLowerCase());
  return [...new Set(all)].filter((id) => id.length === digits && /^[0-9a-f]*$/.test(id));
}

function parseWindow(text: string): Span | null {
  const match = /^(\d{1,15})-(\d{1,15})$/.exec(text);
  if (!match) return null;
  const span = { from: Number(match[1]), until: Number(match[2]) };
  return span.from < span.until ? span : null;
}

function parseExtent(text: string): Extent {
  const match = /^(\d(?:\.\d+)?(?:e-\d+)?)-(\d(?:\.\d+)?(?:e-\d+)?)$/.exec(text);
  const [x0, x1] = match ? [Number(match[1]), Number(match[2])] : [0, 1];
  return 0 <= x0 && x0 < x1 && x1 <= 1 ? [x0, x1] : [0, 1];
}

function parseGraph(text: string): GraphWindow | null {
  const match = /^(\d{1,2}(?:\.\d{1,4})?),(-?\d{1,6}),(-?\d{1,6})$/.exec(text);
  return match && Number(match[1]) > 0 ? [Number(match[1]), Number(match[2]), Number(match[3])] : null;
}

export function parseSort(text: string): Sort | null {
  const descending = text.startsWith("-");
  const column = COLUMNS.find((name) => name === text.replace(/^-/, ""));
  return column ? { column, descending } : null;
}

export function formatSort({ column, descending }: Sort): string {
  return (descending ? "-" : "") + column;
}
