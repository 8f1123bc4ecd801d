/** The call graph of the tree on the screen, and the function in it that keys are about. */
import { computed, effect, signal, untracked } from "@preact/signals";
import type { Arrangement } from "../../core/arrange.ts";
import { core } from "../../core/index.ts";
import type { Direction, Graph, TableRow } from "../../core/types.ts";
import { percent } from "../../format/number.ts";
import { formatValue, plural, unitOf } from "../../format/value.ts";
import { labelsOf, type NodeLabel } from "../../graph/nodelabel.ts";
import { type Came, neighbour } from "../../graph/walk.ts";
import { resource } from "../resource.ts";
import { pictureRoute } from "../url/router.ts";
import { isCurrent } from "./draw.ts";
import { announcement, current, flagsVersion, inTurn, select, selectedDetail, tree } from "./focus.ts";
import { callFailed, isShown } from "./shown.ts";

export interface Placed {
  tree: number;
  graph: Graph;
  labels: NodeLabel[];
  places: Arrangement;
}

/** How much heavier an edge of everything is laid out than one of next to nothing. */
const WEIGHTS = 100;

/** The graph with its places; the last one stays until the next is there. */
export const placed = resource(
  "draw the call graph",
  () => {
    const info = tree.value;
    const ready = pictureRoute.value.view === "graph" && info !== null && isShown(info.id) && isCurrent.value;
    return ready ? { tree: info.id, diff: info.diff !== null, unit: unitOf(info) } : null;
  },
  async (asked): Promise<Placed> => {
    const graph = await core.graph(asked.tree);
    const labels = labelsOf(graph, asked.unit);
    const links = graph.edges.map(({ from, to, fraction }) => ({ from, to, weight: Math.round(fraction * WEIGHTS) }));
    const sizes = labels.map(({ width, height }) => ({ width, height }));
    return { tree: asked.tree, graph, labels, places: await core.arrange(sizes, links) };
  },
);

/** The graph, when it is of the tree on the screen. */
export const drawnGraph = computed(() => {
  const found = placed.value.value;
  return found && found.tree === tree.value?.id ? found : null;
});

/** Flags of its functions. */
export const graphMarks = signal<number[]>([]);

/** The node that keys are about, -1 for none; from where one came to it, and which way. */
const position = signal<{ node: number; came: Came | null }>({ node: -1, came: null });
export const at = computed(() => position.value.node);

/** Follows the search and the selection, while a graph is looked at; `reveal` brings what was selected elsewhere into view. */
export function followGraph(reveal: () => void): () => void {
  const stops = [
    effect(() => {
      flagsVersion.value;
      const found = drawnGraph.value;
      if (!found) return;
      const funcs = found.graph.nodes.map(({ func }) => func);
      void core.marks(found.tree, funcs).then(
        (marks) => {
          if (isShown(found.tree)) graphMarks.value = marks;
        },
        callFailed(found.tree, "highlight the matches"),
      );
    }),
    effect(() => {
      const func = selectedDetail.value.value?.detail.func;
      const found = drawnGraph.value;
      const index = found ? found.graph.nodes.findIndex((node) => node.func === func) : -1;
      if (index >= 0 && index !== at.peek()) {
        position.value = { node: index, came: null };
        untracked(reveal);
      }
    }),
  ];
  return () => {
    for (const stop of stops) stop();
    position.value = { ...position.peek(), node: -1 };
  };
}

/** Along an edge: to the heaviest caller or callee, and from side to side between those of the function one came from. */
export function moveInGraph(direction: Direction): Promise<void> {
  return inTurn(async () => {
    const found = drawnGraph.peek();
    if (!found || found.graph.nodes.length === 0) return;
    const { node, came } = position.peek();
    const from = found.graph.nodes[node] ? node : -1;
    const next = from < 0 ? heaviest(found.graph) : neighbour(found.graph, found.places, from, direction, came);
    const isStep = (direction === "parent" || direction === "child") && from >= 0 && next !== from;
    await visitFunction(found, next, isStep ? { from, direction } : came);
  });
}

async function visitFunction(found: Placed, index: number, came: Came | null): Promise<void> {
  const row = found.graph.nodes[index];
  position.value = { node: index, came };
  const node = await core.nodeOf(found.tree, row.func);
  if (!isShown(found.tree) || at.peek() !== index) return;
  current.value = node;
  announcement.value = describe(found.graph, unitOf(tree.peek() ?? { type: "", unit: "" }), index);
  if (pictureRoute.peek().selection) await select(node);
}

/** Selects the function of a node. */
export async function selectFunction(found: Placed, index: number): Promise<void> {
  position.value = { node: index, came: null };
  const node = await core.nodeOf(found.tree, found.graph.nodes[index].func);
  if (isShown(found.tree)) await select(node);
}

/** The node that most of the profile is in. */
export function heaviest({ nodes }: Graph): number {
  return nodes.reduce((best, { total }, i) => (total > nodes[best].total ? i : best), 0);
}

function describe({ nodes, edges }: Graph, unit: string, index: number): string {
  const { name, total_fraction, self_fraction, diff }: TableRow = nodes[index];
  const callers = edges.filter(({ to }) => to === index).length;
  const callees = edges.filter(({ from }) => from === index).length;
  const values = diff
    ? `${formatValue(diff.base_total, unit)} before, ${formatValue(diff.comparison_total, unit)} after`
    : `total ${percent(total_fraction)}, self ${percent(self_fraction)}`;
  return `${name}, ${values}, ${plural(callers, "caller")}, ${plural(callees, "callee")}`;
}
