/** The flame graph as it is seen, zoomed and searched, with all of its rows: what a file of it shows. */
import { Boxes } from "../core/boxes.ts";
import { core } from "../core/index.ts";
import { NONE, ROOT, type TreeInfo } from "../core/types.ts";
import type { Captions } from "../core/viewer.ts";
import { PADDING, type Picture, ROW } from "../flame/paint.ts";
import { IDENTITY } from "../flame/transform.ts";
import { rootLabel } from "../format/total.ts";
import { extent, selected, zoom } from "../state/profile/focus.ts";

/** Of a picture where none is on the screen, in pixels. */
const WIDTH = 1200;

/** Above the picture stands what it is of. */
export const TITLE_ROW = 18;
/** From the top of a row of the title to the line that letters of 12 pixels stand on. */
export const TITLE_BASELINE = 13;

const COLOURS = "Blue is less, orange is more; hatched is new or gone.";

/** What stands above a picture, in lines of its width, each as many words as fit: its title, and what colours of a difference mean. */
export function headerLines(title: string, { width, diff }: Picture, measure: (text: string) => number): string[] {
  const wrapped = (text: string) => {
    const lines: string[] = [];
    for (const word of text.split(" ").filter(Boolean)) {
      const longer = `${lines.at(-1) ?? ""} ${word}`;
      if (lines.length > 0 && measure(longer) <= width - 2 * PADDING) lines[lines.length - 1] = longer;
      else lines.push(word);
    }
    return lines;
  };
  return [title, diff ? COLOURS : ""].flatMap(wrapped);
}

/** The picture of a tree, down to `rows` rows. */
export async function pictureOf(tree: TreeInfo, rows: number): Promise<Picture> {
  const width = document.querySelector(".flame canvas")?.clientWidth || WIDTH;
  const [x0, x1] = extent.peek();
  const window = { zoom: zoom.peek(), x0, x1, width, depth0: 0, depth1: Math.min(rows, tree.depth) };
  const { boxes: words, names } = await core.layout(tree.id, window);
  const boxes = new Boxes(words);
  let deepest = 0;
  for (let i = 0; i < boxes.count; i++) deepest = Math.max(deepest, boxes.depth(i));
  return {
    boxes,
    names: names.set(ROOT, rootLabel(tree)),
    transform: IDENTITY,
    width,
    height: (deepest + 1) * ROW,
    scroll: 0,
    first: 0,
    flipped: false,
    diff: tree.diff !== null,
    selected: selected.peek(),
    current: NONE,
    focused: false,
    pointed: NONE,
  };
}

/** Names and totals of all boxes, in their order. */
export function captionsOf(tree: TreeInfo, { boxes }: Picture): Promise<Captions> {
  return core.captions(
    tree.id,
    Array.from({ length: boxes.count }, (_, i) => boxes.node(i)),
  );
}
