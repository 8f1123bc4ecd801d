/** Which rows of the call tree are open, and what stands in them. */
import { computed, effect, signal } from "@preact/signals";
import { core } from "../../core/index.ts";
import { type NodeDetail, ROOT } from "../../core/types.ts";
import type { Children } from "../../core/viewer.ts";
import { urlState } from "../url/router.ts";
import { current, tree } from "./focus.ts";
import { callFailed } from "./shown.ts";

export interface TreeRow {
  detail: NodeDetail;
  /** The root has 1, as for assistive technology. */
  level: number;
  open: boolean;
  /** Place among its siblings, from 1, and how many there are. */
  position: number;
  siblings: number;
}

/** Only children that open with their caller, at most: a chain is one click. */
const CHAIN = 64;

interface Opened {
  tree: number;
  root: NodeDetail;
  children: Map<number, Children>;
}

const opened = signal<Opened | null>(null);

/** The rows that can be seen, callers before callees. */
export const treeRows = computed((): TreeRow[] => {
  const shown = opened.value;
  if (!shown || shown.tree !== tree.value?.id) return [];
  const rows: TreeRow[] = [];
  // A stack of rows to come, as trees may be thousands deep.
  const waiting: TreeRow[] = [row(shown, shown.root, 1, 1, 1)];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    rows.push(next);
    const children = next.open ? shown.children.get(next.detail.node) : undefined;
    const { level } = next;
    children?.largest
      .map((child, i) => row(shown, child, level + 1, i + 1, children.count))
      .reverse()
      .forEach((child) => void waiting.push(child));
  }
  return rows;
});

function row({ children }: Opened, detail: NodeDetail, level: number, position: number, siblings: number): TreeRow {
  return { detail, level, open: children.has(detail.node), position, siblings };
}

/** Follows the tree on the screen and the current frame in it, while the call tree is looked at. */
export function startCallTree(): void {
  effect(() => {
    const info = tree.value;
    const node = current.value;
    if (info && urlState.value.view === "tree") void reveal(info.id, node).catch(callFailed(info.id, "list the calls"));
  });
}

export async function openRow(node: number): Promise<void> {
  const id = tree.peek()?.id;
  if (id === undefined) return;
  const more = new Map<number, Children>();
  try {
    let only: number | undefined = node;
    while (only !== undefined && more.size < CHAIN) {
      const children: Children = await core.children(id, only);
      more.set(only, children);
      only = children.count === 1 && children.largest[0].children > 0 ? children.largest[0].node : undefined;
    }
    add(id, more);
  } catch (failure) {
    callFailed(id, "list the calls")(failure);
  }
}

export function closeRow(node: number): void {
  const shown = opened.peek();
  if (!shown) return;
  const children = new Map(shown.children);
  children.delete(node);
  opened.value = { ...shown, children };
}

/** Opens what is above a node, and the root of a new tree. */
async function reveal(id: number, node: number): Promise<void> {
  if (opened.peek()?.tree !== id) {
    const root = await core.node(id, ROOT);
    if (tree.peek()?.id !== id) return;
    if (opened.peek()?.tree !== id) opened.value = { tree: id, root, children: new Map() };
    await openRow(ROOT);
  }
  const detail = await core.node(id, node);
  const more = new Map<number, Children>();
  for (const [i, { node: caller }] of detail.path.slice(0, -1).entries()) {
    const known = opened.peek()?.children.get(caller);
    const children = known ?? (await core.children(id, caller));
    const next = detail.path[i + 1].node;
    const listed = children.largest.some((child) => child.node === next);
    // One too small to be listed stands below the others.
    const largest = listed ? children.largest : [...children.largest, await core.node(id, next)];
    if (!known || !listed) more.set(caller, { ...children, largest });
  }
  if (more.size > 0) add(id, more);
}

function add(id: number, more: Map<number, Children>): void {
  const shown = opened.peek();
  if (shown?.tree === id) opened.value = { ...shown, children: new Map([...shown.children, ...more]) };
}
