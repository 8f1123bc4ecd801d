/** The flame graph as pixels, two for each of the screen's. */
import type { TreeInfo } from "../core/types.ts";
import { context2d, FONT, makeHatch, PADDING, paint } from "../flame/paint.ts";
import { makePalette } from "../flame/palette.ts";
import { readToken } from "../state/page/theme.ts";
import { headerLines, pictureOf, TITLE_BASELINE, TITLE_ROW } from "./flamepicture.ts";

const SCALE = 2;
/** 16,000 pixels: what every browser draws. */
const ROWS = 400;

export async function pngOf(tree: TreeInfo, title: string): Promise<Blob> {
  const picture = await pictureOf(tree, ROWS);
  const canvas = document.createElement("canvas");
  const context = context2d(canvas, { alpha: false });
  const lines = headerLines(title, picture, measureWith(context));
  const top = lines.length * TITLE_ROW;
  canvas.width = picture.width * SCALE;
  canvas.height = (top + picture.height) * SCALE;
  context.scale(SCALE, SCALE);
  const palette = makePalette(readToken);
  context.fillStyle = palette.paper;
  context.fillRect(0, 0, picture.width, top);
  context.fillStyle = palette.ink;
  context.font = FONT;
  for (const [i, line] of lines.entries()) context.fillText(line, PADDING, i * TITLE_ROW + TITLE_BASELINE);
  context.translate(0, top);
  const hatch = { fresh: makeHatch(context, palette.ink, true), gone: makeHatch(context, palette.ink, false) };
  paint({ context, palette, hatch, measure: measureWith(context) }, picture);
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      (file) => (file ? resolve(file) : reject(new Error(`can't draw ${canvas.width} x ${canvas.height} pixels`))),
      "image/png",
    ),
  );
}

/** The width of text in the font of labels. */
export function measureWith(context: CanvasRenderingContext2D): (text: string) => number {
  return (text) => {
    context.font = FONT;
    return context.measureText(text).width;
  };
}
