/** The frame whose menu is open, and where. */
import { signal } from "@preact/signals";
import { core } from "../../core/index.ts";
import type { NodeDetail } from "../../core/types.ts";
import { copyText } from "../page/clipboard.ts";
import { current, inTurn, tree } from "./focus.ts";

interface FrameMenu {
  /** The tree that the frame is of: in another its number means another frame. */
  tree: number;
  detail: NodeDetail;
  /** In the window. */
  x: number;
  y: number;
}

/** Null while it is closed. */
export const frameMenu = signal<FrameMenu | null>(null);

/** Opens the menu of a frame, or of the keyboard's current one. */
export function openFrameMenu(node: number | null, x: number, y: number): Promise<void> {
  return inTurn(async (id) => {
    const detail = await core.node(id, node ?? current.peek());
    if (tree.peek()?.id !== id) return;
    current.value = detail.node;
    frameMenu.value = { tree: id, detail, x, y };
  });
}

/** Copies the functions from a frame to the root, one a line, as stack traces have them. */
export function copyStack({ path }: Pick<NodeDetail, "path">): Promise<void> {
  const names = path.map(({ name }) => name).slice(1);
  return copyText(names.reverse().join("\n"), "the stack");
}

/** The same of the keyboard's current frame. */
export async function copyCurrentStack(): Promise<void> {
  let detail: NodeDetail | undefined;
  await inTurn(async (id) => {
    detail = await core.node(id, current.peek());
  });
  if (detail) await copyStack(detail);
}
