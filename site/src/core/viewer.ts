/** The one module that knows WASM: loads the viewer and gives its calls the site's types. */
import init, { Viewer } from "../wasm/viewer/pilotlight.js";
import type { Arrangement, Link, Size } from "./arrange.ts";
import { Boxes } from "./boxes.ts";
import { type Division, divided, sharesOf, WHOLE } from "./divided.ts";
import { base64Of, gzip } from "./encoding.ts";
import { importProfile, type JsonFormat, writeProfile } from "./imports.ts";
import { type Named, readSymbols, type Symbols, type SymbolsRequest } from "./symbols.ts";
import {
  type Direction,
  type Graph,
  type Heatmap,
  type LabelKey,
  type LabelPage,
  type Layout,
  type LayoutWindow,
  type Line,
  type NodeDetail,
  type ProfileInfo,
  ROOT,
  type Sandwich,
  type SearchInfo,
  type SortColumn,
  type TablePage,
  type Thread,
  type TreeInfo,
} from "./types.ts";
import { warmUp } from "./warm.ts";

/** Narrower boxes get no label: two letters and the padding need about this much. */
const LABEL_WIDTH = 22;
/** Callees listed for one frame; of a wider fan the smallest are left out, and their number is said. */
const CHILDREN_LIMIT = 200;

/** The largest callees of a frame, and how many there are in all. */
export interface Children {
  largest: NodeDetail[];
  count: number;
}

/** Which of the frames of one function a frame is, the largest being the first, from 1. */
export interface Occurrence {
  position: number;
  count: number;
}

/** A function by name and file; without a name all functions of a file. */
export interface LinesOf {
  name: string | null;
  file: string;
}

/** What a program did for a profile, and what the profile became; null when it is as it was. */
export type Symbolized = Omit<Named, "pprof" | "warnings"> & { info: ProfileInfo | null };

export interface TableQuery {
  sort: SortColumn;
  descending: boolean;
  filter: string;
  offset: number;
  limit: number;
}

export interface LabelQuery {
  key: string;
  /** What values contain. */
  filter: string;
  offset: number;
  limit: number;
}

export type Engine = ReturnType<typeof wrap>;

/** Names of frames and their totals, two for each: those of both sides of a comparison. */
export interface Captions {
  names: string[];
  totals: number[];
}

/** `wasm` is the viewer itself, where the page has it already. */
export async function loadEngine(wasm?: BufferSource): Promise<Engine> {
  await init(wasm && { module_or_path: wasm });
  return wrap(new Viewer());
}

function wrap(viewer: Viewer) {
  /** Trees that show quotients. */
  const divisions = new Map<number, Division>();
  /** Of profiles with a tree: the type it has, and what its values are divided by. */
  const drawn = new Map<number, { type: number; by: number }>();
  /** What runs in workers of their own. */
  const readers = new Set<AbortController>();
  const stoppable = async <T>(read: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const stop = new AbortController();
    readers.add(stop);
    try {
      return await read(stop.signal);
    } finally {
      readers.delete(stop);
    }
  };
  const divisionOf = (tree: number) => divisions.get(tree) ?? WHOLE;
  const withDivision = (info: TreeInfo, division: Division | undefined) => {
    if (!division) return info;
    divisions.set(info.id, division);
    const average = division.unit === undefined;
    return { ...divided(info, division), unit: division.unit ?? info.unit, average };
  };
  const node = (tree: number, id: number) =>
    withRootName(divided(viewer.node(tree, id) as NodeDetail, divisionOf(tree)));
  const row = (tree: number, id: number) => withRootName(divided(viewer.row(tree, id) as NodeDetail, divisionOf(tree)));
  const scale = (profile: number, type: number, numerator: number, denominator: number) =>
    viewer.scale(profile, type, numerator, denominator) as ProfileInfo;
  /** What `use` makes of a profile as it is shown: of one that is shown as an average, of that average. */
  const asShown = <T>(profile: number, use: (profile: number, type: number) => T): T => {
    const { type, by } = drawn.get(profile) ?? { type: 0, by: 1 };
    if (by === 1) return use(profile, type);
    const { id } = scale(profile, type, 1, by);
    try {
      return use(id, type);
    } finally {
      viewer.close(id);
    }
  };
  const exportPprof = (profile: number, steps: string[]) =>
    gzip(asShown(profile, (id) => viewer.export_pprof(id, steps) as Uint8Array<ArrayBuffer>));
  const readProgram = (of: number[], request: Omit<SymbolsRequest, "profiles">) => {
    const profiles = of.map((id) => viewer.export_pprof(id, []) as Uint8Array<ArrayBuffer>);
    return stoppable((signal) => readSymbols({ ...request, profiles }, signal));
  };
  return {
    open: async (name: string, bytes: Uint8Array<ArrayBuffer>): Promise<ProfileInfo> => {
      try {
        return viewer.open(name, bytes) as ProfileInfo;
      } catch (failure) {
        if (!(failure instanceof Error) || failure.name !== "unread") throw failure;
        const { format, pprof, times, warnings } = await stoppable((signal) => importProfile(bytes, signal));
        return viewer.open_imported(name, format, pprof, times, warnings) as ProfileInfo;
      }
    },
    /** Makes what comes after it faster. */
    warmUp: () => warmUp(new Viewer()),
    /** Names the addresses of profiles with a program. What has more names is a new profile. */
    symbolize: async (profiles: number[], name: string, program: Blob): Promise<Symbolized[]> => {
      const { named } = await readProgram(profiles, { name, program, tables: false });
      return named.map(({ pprof, warnings, ...counts }, i) => {
        const info = pprof ? (viewer.open_symbolized(profiles[i], pprof, warnings) as ProfileInfo) : null;
        return { ...counts, info };
      });
    },
    /** The modules of a profile that have addresses without names, with their build ids. */
    unnamed: (profile: number) => viewer.unnamed(profile),
    /** What a program would do for a profile, and what names its addresses, as a server keeps it. */
    symbolTables: (profile: number, name: string, program: Blob): Promise<Symbols> =>
      readProgram([profile], { name, program, tables: true }),
    /** A profile with the names that were found for it. */
    openNamed: (of: number, { pprof, warnings }: Named): ProfileInfo =>
      viewer.open_symbolized(of, pprof ?? [], warnings) as ProfileInfo,
    /** Ends the readers of other formats and of programs that are at work. */
    stopReaders: () => {
      for (const stop of readers) stop.abort();
    },
    merge: (profiles: number[]) => viewer.merge(Uint32Array.from(profiles)) as ProfileInfo,
    close: (profile: number) => {
      drawn.delete(profile);
      viewer.close(profile);
    },
    scale,
    /** A profile after some steps, gzipped. */
    exportPprof,
    /** The same in base64. As bytes, since a long text takes the page's thread a while to receive. */
    exportBase64: async (profile: number, steps: string[]) =>
      new TextEncoder().encode(base64Of(await exportPprof(profile, steps))),
    /** The stacks of the type that is shown, after some steps, as text. */
    exportFolded: (profile: number, steps: string[]): string =>
      asShown(profile, (id, type) => viewer.export_folded(id, type, steps)),
    /** A profile after some steps as JSON; of what holds one type, the type that is shown. */
    exportJson: (profile: number, format: JsonFormat, steps: string[]): Promise<Uint8Array<ArrayBuffer>> =>
      asShown(profile, (id, type) =>
        writeProfile(viewer.export_pprof(id, steps) as Uint8Array<ArrayBuffer>, format, type),
      ),
    /** The tree of a profile after some steps, upside down when asked for. */
    tree: (profile: number, type: number, steps: string[], invert: boolean, division?: Division) => {
      drawn.set(profile, { type, by: division?.by ?? 1 });
      return withDivision(viewer.tree(profile, type, steps, invert) as TreeInfo, division);
    },
    /** What ran side by side in a profile, the largest first. */
    threads: (profile: number, type: number) => viewer.threads(profile, type) as Thread[],
    /** How much of a profile there is at each moment, with what is idle or without; null without times. */
    heatmap: (profile: number, type: number, idle: boolean) => viewer.heatmap(profile, type, idle) as Heatmap | null,
    labelKeys: (profile: number, type: number) => viewer.label_keys(profile, type) as LabelKey[],
    labelValues: (profile: number, type: number, q: LabelQuery) =>
      viewer.label_values(profile, type, q.key, q.filter, q.offset, q.limit) as LabelPage,
    /** What steps leave of a profile, as one that is to be closed. */
    part: (profile: number, steps: string[]) => viewer.part(profile, steps) as ProfileInfo,
    /** What a thread did when, after some steps: a tree in the order of time. */
    chart: (profile: number, type: number, steps: string[], thread: string) =>
      viewer.chart(profile, type, steps, thread) as TreeInfo,
    /** What calls the functions of a name, and what they call; of a tree that is not upside down. */
    sandwich: (tree: number, name: string): Sandwich => {
      const { callers, callees } = viewer.sandwich(tree, name) as Sandwich;
      const division = divisions.get(tree);
      return { callers: withDivision(callers, division), callees: withDivision(callees, division) };
    },
    /** The source lines of a function, or of all functions of a file; after some steps, in order of line. */
    lines: (profile: number, type: number, steps: string[], of: LinesOf, division?: Division) => {
      const lines = viewer.lines(profile, type, steps, of.name ?? undefined, of.file) as Line[];
      return lines.map((line) => divided(line, division ?? WHOLE));
    },
    /** The functions of a tree and the calls between them; of a tree that is not upside down. */
    graph: (tree: number): Graph => {
      const { nodes, edges, ...graph } = viewer.graph(tree) as Graph;
      const division = divisionOf(tree);
      return {
        ...graph,
        nodes: nodes.map((node) => divided(node, division)),
        edges: edges.map((edge) => divided(edge, division)),
      };
    },
    /** Where the nodes of a graph have room, and where its edges run. */
    arrange: async (nodes: Size[], links: Link[]): Promise<Arrangement> => {
      const { arrange } = await import("./arrange.ts");
      return arrange(nodes, links);
    },
    /** Flags of functions, as boxes have them. */
    marks: (tree: number, funcs: number[]) => [...(viewer.marks(tree, Uint32Array.from(funcs)) as Uint32Array)],
    /** Left and right edge of a frame, as fractions of the width of the whole. */
    place: (tree: number, id: number): [left: number, right: number] => {
      const [left, right] = viewer.place(tree, id) as Float64Array;
      return [left, right];
    },
    /** What is wrong with a step; null when nothing is. */
    stepProblem: (step: string): string | null => viewer.step_problem(step) ?? null,
    /** The tree of two profiles after the same steps, upside down when asked for; normalised, in shares of both totals. */
    diff: (
      base: number,
      comparison: number,
      type: number,
      normalise: boolean,
      steps: string[],
      invert: boolean,
      division?: Division,
    ) => {
      const info = viewer.diff(base, comparison, type, normalise, steps, invert) as TreeInfo;
      const whole = info.diff?.normalised_to ?? null;
      return withDivision(info, whole === null ? division : sharesOf(whole));
    },
    /** What is wrong with a regular expression; null when nothing is. */
    regexProblem: (text: string): string | null => viewer.regex_problem(text) ?? null,
    dropTree: (tree: number) => {
      divisions.delete(tree);
      viewer.drop_tree(tree);
    },
    layout: (tree: number, w: LayoutWindow): Layout => {
      const { zoom, x0, x1, width, depth0, depth1, widths = "both" } = w;
      const boxes = viewer.layout(tree, zoom, x0, x1, width, depth0, depth1, widths) as Uint32Array<ArrayBuffer>;
      return { boxes, names: labels(viewer, tree, new Boxes(boxes)) };
    },
    node,
    /** Nodes as lists have them, without their paths. */
    nodes: (tree: number, ids: number[]) => ids.map((id) => row(tree, id)),
    children: (tree: number, id: number): Children => {
      const all = viewer.children(tree, id) as Uint32Array;
      return { largest: [...all.subarray(0, CHILDREN_LIMIT)].map((child) => row(tree, child)), count: all.length };
    },
    /** All callees of each frame, the largest first. */
    callees: (tree: number, ids: number[]) => ids.map((id) => viewer.children(tree, id) as Uint32Array<ArrayBuffer>),
    occurrence: (tree: number, id: number): Occurrence => {
      const all = viewer.occurrences(tree, id) as Uint32Array;
      return { position: all.indexOf(id) + 1, count: all.length };
    },
    /** The frame of the same function so many further on, around the end. */
    otherOccurrence: (tree: number, id: number, by: number): number => {
      const all = viewer.occurrences(tree, id) as Uint32Array;
      return all[(all.indexOf(id) + by + all.length) % all.length];
    },
    captions: (tree: number, ids: number[]): Captions => {
      const nodes = Uint32Array.from(ids);
      const { by } = divisionOf(tree);
      const totals = [...(viewer.totals(tree, nodes) as Float64Array)].map((total) => total / by);
      return { names: viewer.names(tree, nodes) as string[], totals };
    },
    step: (tree: number, id: number, direction: Direction) => viewer.step(tree, id, direction),
    search: (tree: number, query: string) => divided(viewer.search(tree, query) as SearchInfo, divisionOf(tree)),
    matchAt: (tree: number, n: number) => viewer.match_at(tree, n),
    select: (tree: number, id: number) => viewer.select(tree, id),
    key: (tree: number, id: number) => viewer.key(tree, id),
    find: (tree: number, key: string) => viewer.find(tree, key),
    table: (tree: number, q: TableQuery): TablePage => {
      const page = viewer.table(tree, q.sort, q.descending, q.filter, q.offset, q.limit) as TablePage;
      return { ...page, rows: page.rows.map((row) => divided(row, divisionOf(tree))) };
    },
    nodeOf: (tree: number, func: number) => viewer.node_of(tree, func),
  };
}

/** A frame with the root of a chart called as in the picture: the core has one name for the roots of all trees. */
function withRootName(detail: NodeDetail): NodeDetail {
  if (detail.start !== null)
    for (const frame of [detail, ...detail.path]) if (frame.node === ROOT) frame.name = "duration";
  return detail;
}

function labels(viewer: Viewer, tree: number, boxes: Boxes): Map<number, string> {
  const nodes: number[] = [];
  for (let i = 0; i < boxes.count; i++) if (boxes.width(i) >= LABEL_WIDTH) nodes.push(boxes.node(i));
  const names = viewer.names(tree, Uint32Array.from(nodes)) as string[];
  return new Map(nodes.map((id, i) => [id, names[i]]));
}
