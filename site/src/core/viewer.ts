/** The one module that knows WASM: loads the viewer and gives its calls the site's types. */
import init, { Viewer } from "../wasm/viewer/pilotlight.js";
import { Boxes } from "./boxes.ts";
import { type Division, divided, WHOLE } from "./divided.ts";
import { importProfile } from "./imports.ts";
import type {
  Direction,
  Layout,
  LayoutWindow,
  NodeDetail,
  ProfileInfo,
  SearchInfo,
  SortColumn,
  TablePage,
  TreeInfo,
} from "./types.ts";

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

export interface TableQuery {
  sort: SortColumn;
  descending: boolean;
  filter: string;
  offset: number;
  limit: number;
}

export type Engine = ReturnType<typeof wrap>;

export async function loadEngine(): Promise<Engine> {
  await init();
  return wrap(new Viewer());
}

function wrap(viewer: Viewer) {
  /** Trees that show quotients, and profiles whose own quotient is exported. */
  const divisions = new Map<number, Division>();
  const averages = new Map<number, { type: number; by: number }>();
  const divisionOf = (tree: number) => divisions.get(tree) ?? WHOLE;
  const withDivision = (info: TreeInfo, division: Division | undefined) => {
    if (!division) return info;
    divisions.set(info.id, division);
    const average = division.unit === undefined;
    return { ...divided(info, division), unit: division.unit ?? info.unit, average };
  };
  const node = (tree: number, id: number) => divided(viewer.node(tree, id) as NodeDetail, divisionOf(tree));
  const scale = (profile: number, type: number, numerator: number, denominator: number) =>
    viewer.scale(profile, type, numerator, denominator) as ProfileInfo;
  return {
    open: async (name: string, bytes: Uint8Array<ArrayBuffer>): Promise<ProfileInfo> => {
      try {
        return viewer.open(name, bytes) as ProfileInfo;
      } catch (failure) {
        if (!(failure instanceof Error) || failure.name !== "unread") throw failure;
        const { pprof, times, warnings } = await importProfile(bytes);
        return viewer.open_imported(name, pprof, times, warnings) as ProfileInfo;
      }
    },
    merge: (profiles: number[]) => viewer.merge(Uint32Array.from(profiles)) as ProfileInfo,
    close: (profile: number) => {
      averages.delete(profile);
      viewer.close(profile);
    },
    scale,
    /** As pprof; of a profile that is shown as an average, that average. */
    exportPprof: (profile: number) => {
      const average = averages.get(profile);
      if (!average) return viewer.export_pprof(profile) as Uint8Array<ArrayBuffer>;
      const { id } = scale(profile, average.type, 1, average.by);
      try {
        return viewer.export_pprof(id) as Uint8Array<ArrayBuffer>;
      } finally {
        viewer.close(id);
      }
    },
    tree: (profile: number, type: number, division?: Division) => {
      if (division) averages.set(profile, { type, by: division.by });
      return withDivision(viewer.tree(profile, type) as TreeInfo, division);
    },
    diff: (base: number, comparison: number, type: number, normalise: boolean, division?: Division) =>
      withDivision(viewer.diff(base, comparison, type, normalise) as TreeInfo, division),
    /** What is wrong with a regular expression; null when nothing is. */
    regexProblem: (text: string): string | null => viewer.regex_problem(text) ?? null,
    dropTree: (tree: number) => {
      divisions.delete(tree);
      viewer.drop_tree(tree);
    },
    layout: (tree: number, w: LayoutWindow): Layout => {
      const boxes = viewer.layout(tree, w.zoom, w.x0, w.x1, w.width, w.depth0, w.depth1) as Uint32Array<ArrayBuffer>;
      return { boxes, names: labels(viewer, tree, new Boxes(boxes)) };
    },
    node,
    nodes: (tree: number, ids: number[]) => ids.map((id) => node(tree, id)),
    children: (tree: number, id: number): Children => {
      const all = [...(viewer.children(tree, id) as Uint32Array)];
      return { largest: all.slice(0, CHILDREN_LIMIT).map((child) => node(tree, child)), count: all.length };
    },
    occurrence: (tree: number, id: number): Occurrence => {
      const all = viewer.occurrences(tree, id) as Uint32Array;
      return { position: all.indexOf(id) + 1, count: all.length };
    },
    /** The frame of the same function so many further on, around the end. */
    otherOccurrence: (tree: number, id: number, by: number): number => {
      const all = viewer.occurrences(tree, id) as Uint32Array;
      return all[(all.indexOf(id) + by + all.length) % all.length];
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

function labels(viewer: Viewer, tree: number, boxes: Boxes): Map<number, string> {
  const nodes: number[] = [];
  for (let i = 0; i < boxes.count; i++) if (boxes.width(i) >= LABEL_WIDTH) nodes.push(boxes.node(i));
  const names = viewer.names(tree, Uint32Array.from(nodes)) as string[];
  return new Map(nodes.map((id, i) => [id, names[i]]));
}
