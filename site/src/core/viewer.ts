/** The one module that knows WASM: loads the viewer and gives its calls the site's types. */
import init, { Viewer } from "../wasm/pilotlight.js";
import { Boxes } from "./boxes.ts";
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
/** Callees listed for one frame; wider fans are cut, heaviest first being the caller's business. */
const CHILDREN_LIMIT = 200;

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
  const node = (tree: number, id: number) => viewer.node(tree, id) as NodeDetail;
  return {
    open: (name: string, bytes: Uint8Array) => viewer.open(name, bytes) as ProfileInfo,
    merge: (profiles: number[]) => viewer.merge(Uint32Array.from(profiles)) as ProfileInfo,
    close: (profile: number) => viewer.close(profile),
    exportPprof: (profile: number) => viewer.export_pprof(profile) as Uint8Array<ArrayBuffer>,
    tree: (profile: number, type: number) => viewer.tree(profile, type) as TreeInfo,
    diff: (base: number, comparison: number, type: number, normalise: boolean) =>
      viewer.diff(base, comparison, type, normalise) as TreeInfo,
    dropTree: (tree: number) => viewer.drop_tree(tree),
    layout: (tree: number, w: LayoutWindow): Layout => {
      const boxes = viewer.layout(tree, w.zoom, w.x0, w.x1, w.width, w.depth0, w.depth1) as Uint32Array<ArrayBuffer>;
      return { boxes, names: labels(viewer, tree, new Boxes(boxes)) };
    },
    node,
    nodes: (tree: number, ids: number[]) => ids.map((id) => node(tree, id)),
    children: (tree: number, id: number): NodeDetail[] => {
      const found: NodeDetail[] = [];
      let child = viewer.step(tree, id, "child");
      if (child === id) return found;
      while (found.length < CHILDREN_LIMIT) {
        found.push(node(tree, child));
        const next = viewer.step(tree, child, "next");
        if (next === child) break;
        child = next;
      }
      return found;
    },
    step: (tree: number, id: number, direction: Direction) => viewer.step(tree, id, direction),
    search: (tree: number, query: string) => viewer.search(tree, query) as SearchInfo,
    matchAt: (tree: number, n: number) => viewer.match_at(tree, n),
    select: (tree: number, id: number) => viewer.select(tree, id),
    key: (tree: number, id: number) => viewer.key(tree, id),
    find: (tree: number, key: string) => viewer.find(tree, key),
    table: (tree: number, q: TableQuery) =>
      viewer.table(tree, q.sort, q.descending, q.filter, q.offset, q.limit) as TablePage,
    nodeOf: (tree: number, func: number) => viewer.node_of(tree, func),
  };
}

function labels(viewer: Viewer, tree: number, boxes: Boxes): Map<number, string> {
  const nodes: number[] = [];
  for (let i = 0; i < boxes.count; i++) if (boxes.width(i) >= LABEL_WIDTH) nodes.push(boxes.node(i));
  const names = viewer.names(tree, Uint32Array.from(nodes)) as string[];
  return new Map(nodes.map((id, i) => [id, names[i]]));
}
