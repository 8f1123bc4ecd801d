/** The flame graph as pixels, two for each of the screen's. */
import type { TreeInfo } from "../core/types.ts";
import { context2d, FONT, makeHatch, paint } from "../flame/paint.ts";
import { makePalette } from "../flame/palette.ts";
import { readToken } from "../state/page/theme.ts";
import { pictureOf } from "./flamepicture.ts";

const SCALE = 2;
/** 16,000 pixels: what every browser draws. */
const ROWS = 400;

export async function pngOf(tree: TreeInfo): Promise<Blob> {
  const picture = await pictureOf(tree, ROWS);
  const canvas = document.createElement("canvas");
  canvas.width = picture.width * SCALE;
  canvas.height = picture.height * SCALE;
  const context = context2d(canvas, { alpha: false });
  context.scale(SCALE, SCALE);
  const palette = makePalette(readToken);
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
