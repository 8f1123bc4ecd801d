/** What the core hands out. Ids are small integers that mean something only to the core that gave them. */

export interface SampleType {
  type: string;
  unit: string;
  total: number;
  total_exact: string;
}

export interface ProfileInfo {
  id: number;
  name: string;
  /** Of the file, for people; empty when it was made here. */
  format: string;
  types: SampleType[];
  default_type: number;
  samples: number;
  /** Whether samples have times, so that there is a chart. */
  timed: boolean;
  /** Whether samples have labels to choose by. */
  labelled: boolean;
  /** Those with samples, here or in what they call. */
  functions: number;
  /** Places in the code without a function's name. */
  addresses: number;
  time_nanos: string;
  duration_nanos: string;
  period: number;
  period_type: string;
  period_unit: string;
  comments: string[];
  warnings: string[];
}

export interface DiffTotals {
  base: number;
  comparison: number;
  base_exact: string;
  comparison_exact: string;
  /** Of shares, what 100 % is: both totals before the steps. */
  normalised_to: number | null;
}

export interface TreeInfo {
  id: number;
  nodes: number;
  depth: number;
  unit: string;
  type: string;
  /** Of a difference: the baseline's total. */
  total: number;
  total_exact: string;
  /** Total of what this is a part of: the profile before its steps, or the tree of a sandwich. */
  whole: number;
  whole_exact: string;
  /** Which of the steps matched nothing, from 0. */
  unmatched: number[];
  /** Nodes without a value above zero, which have no width. */
  undrawn: number;
  /** Whether callers are below what they call, as in a tree upside down. Then nodes have no self value. */
  inverted: boolean;
  /** Of a tree upside down, the depth below which callers are left out. */
  cut: number | null;
  /** Of a chart, the seconds between the recording's first sample and its beginning. */
  start: number | null;
  /** Of a chart, what the steps leave of the profile that `whole` is of; a chart's total is the duration of one thread. */
  left: SampleType | null;
  diff: DiffTotals | null;
  /** Whether values are the average of several snapshots, not their sum. */
  average?: boolean;
}

/** How much of a profile there is at each moment. Times are seconds since the first sample. */
export interface Heatmap {
  start: number;
  end: number;
  column: number;
  rows: number;
  /** From top to bottom, then from left to right. */
  cells: number[];
  /** Whether there are samples in which nothing ran. */
  has_idle: boolean;
}

/** A key of labels, and the share of the profile that has it. */
export interface LabelKey {
  name: string;
  values: number;
  fraction: number;
}

export interface LabelRow {
  text: string;
  /** What a step of labels takes for it; none for what no pattern can say. */
  pattern: string | null;
  fraction: number;
}

/** Some of the values of a key. */
export interface LabelPage {
  rows: LabelRow[];
  count: number;
  /** For all that contain what was looked for. */
  pattern: string | null;
}

/** What ran side by side with others, by process and name. */
export interface Thread {
  name: string;
  total: number;
}

/** What calls a function, and what it calls. */
export interface Sandwich {
  callers: TreeInfo;
  callees: TreeInfo;
}

export type DiffState = "same" | "new" | "gone";

export interface DiffValues {
  base_self: number;
  base_total: number;
  comparison_self: number;
  comparison_total: number;
  state: DiffState;
}

export interface NodeDetail {
  node: number;
  /** The function, as rows of the table name it; the root's is 0. */
  func: number;
  name: string;
  file: string;
  line: number;
  module: string;
  depth: number;
  children: number;
  self: number;
  total: number;
  self_exact: string;
  total_exact: string;
  /** Of the tree's total, 0 to 1. */
  fraction: number;
  self_fraction: number;
  /** Over all occurrences of the function, exact under recursion. */
  function_self: number;
  function_total: number;
  occurrences: number;
  /** In a chart, the seconds between the recording's first sample and its beginning. */
  start: number | null;
  /** From the root on; empty in lists of nodes. */
  path: { node: number; name: string }[];
  diff: DiffValues | null;
  /** Both sides over all occurrences of the function. */
  function_diff: DiffValues | null;
}

/** A source line of a function. */
export interface Line {
  function: string;
  /** 0 when it is not known. */
  line: number;
  self: number;
  total: number;
  self_fraction: number;
  total_fraction: number;
}

/** Functions and the calls between them; small ones are left out. */
export interface Graph {
  nodes: TableRow[];
  /** A colour for each node, as boxes have it. */
  paints: number[];
  edges: GraphEdge[];
  /** How many functions there are in all. */
  functions: number;
}

/** Calls of a function by another; both are indices of the graph's nodes. */
export interface GraphEdge {
  from: number;
  to: number;
  /** Both sides of a comparison together. */
  total: number;
  base: number;
  comparison: number;
  fraction: number;
  /** Some of these calls went through functions that are left out. */
  residual: boolean;
}

export interface SearchInfo {
  matches: number;
  fraction: number;
  total: number;
  /** In a comparison, the share of each side. */
  side_fractions: [number, number] | null;
}

export interface TableRow {
  func: number;
  name: string;
  file: string;
  self: number;
  total: number;
  self_fraction: number;
  total_fraction: number;
  diff: DiffValues | null;
}

export interface TablePage {
  rows: TableRow[];
  count: number;
}

export type SortColumn = "self" | "total" | "name" | "delta" | "self_delta";
export type Direction = "parent" | "child" | "next" | "previous";

/** Whose values the widths of a comparison show: of both sides together, or of one. */
export type Widths = "both" | "base" | "comparison";

/** Which part of a tree to lay out. x0 and x1 are fractions of the zoom node's width; depths count from the root. */
export interface LayoutWindow {
  zoom: number;
  x0: number;
  x1: number;
  width: number;
  depth0: number;
  depth1: number;
  /** Both, when absent. */
  widths?: Widths;
}

export interface Layout {
  /** Six words a box, see boxes.ts. */
  boxes: Uint32Array<ArrayBuffer>;
  /** Names of the boxes wide enough to carry text, by node. */
  names: Map<number, string>;
}

/** The root of every tree. */
export const ROOT = 0;
/** No node. */
export const NONE = 0xffffffff;
