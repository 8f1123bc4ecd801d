/** Which node of a call graph is next, for who moves with keys. */
import type { Arrangement } from "../core/arrange.ts";
import type { Direction, Graph } from "../core/types.ts";

/** From where one came to a node, and which way. */
export interface Came {
  from: number;
  direction: Direction;
}

/** The neighbour of a node; the node itself where there is none. */
export function neighbour(
  graph: Graph,
  { nodes: places }: Pick<Arrangement, "nodes">,
  node: number,
  direction: Direction,
  came: Came | null,
): number {
  if (direction === "parent" || direction === "child") return ends(graph, node, direction)[0] ?? node;
  // Beside it stand those that are called by the same function, or that call it; of one alone, what is in its row.
  const siblings = came ? ends(graph, came.from, came.direction) : [];
  const row = places.flatMap(({ y }, i) => (y === places[node].y ? [i] : []));
  const others = siblings.length > 1 && siblings.includes(node) ? siblings : row;
  const order = [...others].sort((a, b) => places[a].x - places[b].x || a - b);
  return order[order.indexOf(node) + (direction === "next" ? 1 : -1)] ?? node;
}

/** Callers or callees, the heaviest first. */
export function ends({ edges }: Pick<Graph, "edges">, node: number, direction: Direction): number[] {
  const found =
    direction === "parent" ? edges.filter(({ to }) => to === node) : edges.filter(({ from }) => from === node);
  found.sort((a, b) => b.total - a.total);
  return found.map(({ from, to }) => (direction === "parent" ? from : to));
}
