/** Where the nodes of a graph have room and its edges run. The library that knows is loaded when a graph is looked at. */
import { Graph, layout } from "@dagrejs/dagre";

export interface Size {
  width: number;
  height: number;
}

/** An edge between two nodes, by their indices. */
export interface Link {
  from: number;
  to: number;
  /** Heavier ones are drawn shorter and straighter. */
  weight: number;
}

export interface Point {
  x: number;
  y: number;
}

export interface Arrangement extends Size {
  /** The middle of each node. */
  nodes: Point[];
  /** Where each edge runs, and where its label has room. */
  edges: { points: Point[]; label: Point }[];
}

/** Room for the label of an edge. */
const LABEL: Size = { width: 48, height: 14 };
const SPACING = { nodesep: 20, edgesep: 10, ranksep: 36, marginx: 12, marginy: 32 };

/** Callers above what they call. */
export function arrange(nodes: Size[], links: Link[]): Arrangement {
  const graph = new Graph();
  graph.setGraph({ rankdir: "TB", ...SPACING });
  for (const [i, { width, height }] of nodes.entries()) graph.setNode(String(i), { width, height });
  for (const { from, to, weight } of links)
    graph.setEdge(String(from), String(to), { ...LABEL, labelpos: "c", weight: Math.max(1, weight) });
  layout(graph);
  const { width = 0, height = 0 } = graph.graph() as Partial<Size>;
  return {
    width,
    height,
    nodes: nodes.map((_, i) => pointOf(graph.node(String(i)))),
    edges: links.map(({ from, to }) => {
      const edge = graph.edge(String(from), String(to)) as Point & { points: Point[] };
      return { points: edge.points.map(pointOf), label: pointOf(edge) };
    }),
  };
}

function pointOf({ x, y }: Point): Point {
  return { x, y };
}
