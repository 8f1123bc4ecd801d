/** The flame graph as SVG, in the colours of this page. */
import type { TreeInfo } from "../core/types.ts";
import { context2d } from "../flame/paint.ts";
import { makePalette } from "../flame/palette.ts";
import { readToken } from "../state/page/theme.ts";
import { captionsOf, pictureOf } from "./flamepicture.ts";
import { measureWith } from "./png.ts";
import { drawSvg } from "./svg.ts";

export async function svgOf(tree: TreeInfo, title: string): Promise<Blob> {
  const picture = await pictureOf(tree, Infinity);
  const captions = await captionsOf(tree, picture);
  const context = context2d(document.createElement("canvas"), { willReadFrequently: true });
  const pen = { palette: makePalette(readToken), plain: plainColours(context), measure: measureWith(context) };
  return new Blob([drawSvg(title, tree, picture, captions, pen)], { type: "image/svg+xml" });
}

/** Colours as #rrggbb: drawn, and read back. There are some hundreds. */
function plainColours(context: CanvasRenderingContext2D): (colour: string) => string {
  const known = new Map<string, string>();
  return (colour) => {
    let plain = known.get(colour);
    if (plain === undefined) {
      context.fillStyle = colour;
      context.fillRect(0, 0, 1, 1);
      const [r, g, b] = context.getImageData(0, 0, 1, 1).data;
      plain = `#${((1 << 24) | (r << 16) | (g << 8) | b).toString(16).slice(1)}`;
      known.set(colour, plain);
    }
    return plain;
  };
}
