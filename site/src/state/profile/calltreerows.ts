/** Which rows of the call tree are open, and what stands in them. */
import { computed, effect, signal } from "@preact/signals";
import { core } from "../../core/index.ts";
import { NONE, type NodeDetail, ROOT } from "../../core/types.ts";
import { pictureRoute } from "../url/router.ts";
import { current, inTurn, matchOrder, searchResult, selected, tree } from "./focus.ts";
import { callFailed } from "./shown.ts";

export interface TreeRow {
  node: number;
  /** What stands in it; asked for when it comes into view. */
  detail: NodeDetail | undefined;
  /** The root has 1, as for assistive technology. */
  level: number;
  open: boolean;
  /** Place among its siblings, from 1, and how many there are. */
  position: number;
  siblings: number;
}

/** Only children that open with their caller, at most: a chain is one click. */
const CHAIN = 64;
/** Rows that are described before they come into view: more than a screen has. */
const FIRST = 100;
/** Matches that are put in the order of rows: each is asked for twice. */
const MOST_IN_ORDER = 1_000;

interface Opened {
  tree: number;
  /** Callees of rows that are open, the largest first. There may be hundreds of thousands. */
  callees: Map<number, Uint32Array>;
}

const opened = signal<Opened | null>(null);
/** Of rows that were in view. */
const details = signal(new Map<number, NodeDetail>());

/** The rows that are open, callers before callees: columns, as there may be hundreds of thousands. */
const rows = computed(() => {
  const columns = {
    nodes: [] as number[],
    levels: [] as number[],
    positions: [] as number[],
    siblings: [] as number[],
  };
  const shown = opened.value;
  if (!shown || shown.tree !== tree.value?.id) return columns;
  const { nodes, levels, positions, siblings } = columns;
  // A stack of lists under way, as trees may be thousands deep.
  const waiting: { callees: Uint32Array; at: number }[] = [{ callees: Uint32Array.of(ROOT), at: 0 }];
  for (let list = waiting.at(-1); list; list = waiting.at(-1)) {
    const node = list.callees[list.at++];
    if (node === undefined) {
      waiting.pop();
      continue;
    }
    nodes.push(node);
    levels.push(waiting.length);
    positions.push(list.at);
    siblings.push(list.callees.length);
    const callees = shown.callees.get(node);
    if (callees) waiting.push({ callees, at: 0 });
  }
  return columns;
});

export const rowCount = computed(() => rows.value.nodes.length);
/** Where the current frame stands; -1 when it is not in an open row. */
export const activeRow = computed(() => rows.value.nodes.indexOf(current.value));

export function rowAt(index: number): TreeRow | undefined {
  const { nodes, levels, positions, siblings } = rows.value;
  const node = nodes[index];
  if (node === undefined) return undefined;
  return {
    node,
    detail: details.value.get(node),
    level: levels[index],
    open: opened.value?.callees.has(node) ?? false,
    position: positions[index],
    siblings: siblings[index],
  };
}

/** The row of a row's caller; 0 when it has none. */
export function callerOf(index: number): number {
  const { levels } = rows.peek();
  return Math.max(0, levels.lastIndexOf(levels[index] - 1, index));
}

/** Asks for what stands in the rows of a part of the tree. */
export async function describeRows(first: number, last: number): Promise<void> {
  const id = tree.peek()?.id;
  const missing = rows
    .peek()
    .nodes.slice(first, last)
    .filter((node) => !details.peek().has(node));
  if (id !== undefined && missing.length > 0) await describe(id, missing).catch(callFailed(id, "list the calls"));
}

/** Follows the tree on the screen and the current frame in it, while the call tree is looked at. */
export function followTree(): () => void {
  matchOrder.value = { at: matchInRows, first: heaviestInRows };
  const stops = [
    effect(() => {
      const info = tree.value;
      const node = current.value;
      if (info) void reveal(info.id, node).catch(callFailed(info.id, "list the calls"));
    }),
    followSearch(),
  ];
  return () => {
    matchOrder.value = null;
    for (const stop of stops) stop();
  };
}

/** Shows the heaviest match of a search as it is typed: in folded rows nobody would see that there is one. */
function followSearch(): () => void {
  let shownFor = pictureRoute.peek().search;
  return effect(() => {
    const found = searchResult.value;
    if (!found?.matches || found.at >= 0) return;
    const { search } = pictureRoute.peek();
    // A selected frame stays in view when the tree is drawn anew; another search is about other frames.
    if (search === shownFor && selected.peek() !== NONE) return;
    shownFor = search;
    void inTurn(async (id) => {
      const node = await heaviestMatch(id);
      if (searchResult.peek() === found && node !== null) current.value = node;
    });
  });
}

async function heaviestMatch(id: number): Promise<number | null> {
  const filter = pictureRoute.peek().search;
  const { rows } = await core.table(id, { sort: "total", descending: true, filter, offset: 0, limit: 1 });
  return rows.length > 0 ? core.nodeOf(id, rows[0].func) : null;
}

/** The frames that a search found, in the order of rows; of a tree and a search. */
const inOrder = signal({ of: "", nodes: [] as number[] });

/** One of so many frames that a search found, by the order of rows. */
async function matchInRows(id: number, at: number, count: number): Promise<number> {
  return count > MOST_IN_ORDER ? core.matchAt(id, at) : (await matchesInRows(id, count))[at];
}

/** Where the heaviest match stands among so many. */
async function heaviestInRows(id: number, count: number): Promise<number> {
  const node = await heaviestMatch(id);
  if (node === null) return 0;
  if (count <= MOST_IN_ORDER) return Math.max(0, (await matchesInRows(id, count)).indexOf(node));
  // The core has them in order of their numbers.
  let [low, high] = [0, count - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((await core.matchAt(id, middle)) < node) low = middle + 1;
    else high = middle;
  }
  return low;
}

async function matchesInRows(id: number, count: number): Promise<number[]> {
  const of = JSON.stringify([id, pictureRoute.peek().search]);
  if (inOrder.peek().of !== of) {
    const nodes = await Promise.all(Array.from({ length: count }, (_, n) => core.matchAt(id, n)));
    const found = await Promise.all(nodes.map((node) => core.node(id, node)));
    const paths = found.map(({ path }) => path.map((caller) => caller.node));
    const callers = [...new Set(paths.flatMap((path) => path.slice(0, -1)))];
    inOrder.value = { of, nodes: byRows(paths, await core.callees(id, callers)) };
  }
  return inOrder.peek().nodes;
}

/** The ends of paths from the root, callers before callees, and siblings in their order. */
export function byRows(paths: number[][], siblings: Uint32Array[]): number[] {
  const place = new Map(siblings.flatMap((list) => [...list].map((node, i) => [node, i] as const)));
  const before = (a: number[], b: number[]) => {
    const parts = a.findIndex((node, i) => node !== b[i]);
    if (parts < 0) return -1;
    return parts < b.length ? (place.get(a[parts]) ?? 0) - (place.get(b[parts]) ?? 0) : 1;
  };
  return paths.sort(before).map((path) => path[path.length - 1]);
}

export async function openRow(node: number): Promise<void> {
  const id = tree.peek()?.id;
  if (id === undefined) return;
  const more: Opened["callees"] = new Map();
  try {
    let only: number | undefined = node;
    while (only !== undefined && more.size < CHAIN) {
      const [callees]: Uint32Array[] = await core.callees(id, [only]);
      if (callees.length > 0) more.set(only, callees);
      only = callees.length === 1 ? callees[0] : undefined;
    }
    await describe(
      id,
      [...more.values()].flatMap((callees) => [...callees.subarray(0, FIRST)]),
    );
    add(id, more);
  } catch (failure) {
    callFailed(id, "list the calls")(failure);
  }
}

export function closeRow(node: number): void {
  const shown = opened.peek();
  if (!shown) return;
  const callees = new Map(shown.callees);
  callees.delete(node);
  opened.value = { ...shown, callees };
}

/** Opens what is above a node, and the root of a new tree. */
async function reveal(id: number, node: number): Promise<void> {
  if (opened.peek()?.tree !== id) {
    const root = await core.node(id, ROOT);
    if (tree.peek()?.id !== id) return;
    if (opened.peek()?.tree !== id) {
      opened.value = { tree: id, callees: new Map() };
      details.value = new Map([[ROOT, root]]);
    }
    await openRow(ROOT);
  }
  const { path } = await core.node(id, node);
  const closed = path
    .slice(0, -1)
    .map((caller) => caller.node)
    .filter((caller) => !opened.peek()?.callees.has(caller));
  if (closed.length === 0) return;
  const callees = await core.callees(id, closed);
  add(id, new Map(closed.map((caller, i) => [caller, callees[i]])));
}

function add(id: number, more: Opened["callees"]): void {
  const shown = opened.peek();
  if (shown?.tree === id) opened.value = { ...shown, callees: new Map([...shown.callees, ...more]) };
}

async function describe(id: number, nodes: number[]): Promise<void> {
  const found = await core.nodes(id, nodes);
  if (opened.peek()?.tree === id)
    details.value = new Map([...details.peek(), ...found.map((detail) => [detail.node, detail] as const)]);
}
