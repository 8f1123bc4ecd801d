/** The flame graph as a drawing: each box with its name, which can be selected, and what it cost as its title. */
import { Flag } from "../core/boxes.ts";
import type { TreeInfo } from "../core/types.ts";
import type { Captions } from "../core/viewer.ts";
import {
  drawnWidth,
  fillColour,
  isHatched,
  label,
  opacity,
  PADDING,
  type Picture,
  ROW,
  type Seen,
  textOpacity,
  visible,
} from "../flame/paint.ts";
import type { Palette } from "../flame/palette.ts";
import { change, percent } from "../format/number.ts";
import { formatValue, unitOf } from "../format/value.ts";
import { headerLines, TITLE_BASELINE, TITLE_ROW } from "./flamepicture.ts";

const FAMILY = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";
/** From the top of a row to the line that letters of 12 pixels stand on. */
const BASELINE = 14;

/** Diagonal lines of a tile of 8 pixels, with the corners that its neighbours cut off. */
const RISING = "M0 8 8 0M-2 2 2-2M6 10 10 6";
const FALLING = "M0 0 8 8M-2 6 2 10M6-2 10 2";

/** What a drawing needs of a browser. */
export interface Pen {
  palette: Palette;
  /** A colour as programs know it that know no oklch(). */
  plain: (colour: string) => string;
  measure: (text: string) => number;
}

export function drawSvg(title: string, tree: TreeInfo, picture: Picture, captions: Captions, pen: Pen): string {
  const { width } = picture;
  const lines = headerLines(title, picture, pen.measure);
  const top = lines.length * TITLE_ROW;
  const height = top + picture.height;
  const { palette, plain } = pen;
  const ink = plain(palette.ink);
  const boxes = visible(picture).map((box) => drawBox(tree, picture, captions, pen, box, ink));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${FAMILY}" font-size="12">`,
    ...(picture.diff ? [`<defs>${hatch("new", ink, RISING)}${hatch("gone", ink, FALLING)}</defs>`] : []),
    `<rect width="${width}" height="${height}" fill="${plain(palette.paper)}"/>`,
    ...lines.map((line, i) => {
      return `<text x="${PADDING}" y="${i * TITLE_ROW + TITLE_BASELINE}" fill="${ink}">${escapeXml(line)}</text>`;
    }),
    `<g transform="translate(0 ${top})">`,
    ...boxes,
    "</g>",
    "</svg>\n",
  ].join("\n");
}

function hatch(id: string, ink: string, lines: string): string {
  return `<pattern id="${id}" width="8" height="8" patternUnits="userSpaceOnUse"><path d="${lines}" stroke="${ink}" stroke-opacity="0.35" stroke-width="1.5"/></pattern>`;
}

function drawBox(tree: TreeInfo, picture: Picture, captions: Captions, pen: Pen, box: Seen, ink: string): string {
  const { x, right, y, flags, index } = box;
  const place = `x="${short(x)}" y="${y}" width="${short(drawnWidth(box))}" height="${ROW - 1}"`;
  const faded = faint("opacity", opacity(flags));
  const parts = [
    `<title>${escapeXml(titleOf(tree, captions, box))}</title>`,
    `<rect ${place} fill="${pen.plain(fillColour(pen.palette, picture, box))}"${faded}/>`,
  ];
  if (isHatched(box)) parts.push(`<rect ${place} fill="url(#${flags & Flag.New ? "new" : "gone"})"${faded}/>`);
  const text = label(picture, box, pen.measure);
  if (text) {
    const at = `x="${short(x + PADDING)}" y="${y + BASELINE}"`;
    parts.push(`<text ${at} fill="${ink}"${faint("opacity", textOpacity(flags))}>${escapeXml(text)}</text>`);
  }
  const chosen = picture.boxes.node(index) === picture.selected && !(flags & Flag.Run);
  if (chosen || flags & Flag.Same) {
    const line = chosen ? 2.5 : 1.5;
    const inner = `x="${short(x + line / 2)}" y="${y + line / 2}" width="${short(Math.max(right - x - 1 - line, 1))}" height="${ROW - 1 - line}"`;
    parts.push(
      `<rect ${inner} fill="none" stroke="${pen.plain(pen.palette.accent)}" stroke-width="${line}" pointer-events="none"/>`,
    );
  }
  return `<g>${parts.join("")}</g>`;
}

/** What the tooltip says, in short. */
function titleOf(tree: TreeInfo, { names, totals }: Captions, { index, flags }: Seen): string {
  const { diff, total } = tree;
  const unit = unitOf(tree);
  const [first, second] = [totals[2 * index], totals[2 * index + 1]];
  const name = flags & Flag.Run ? `several frames, the largest: ${names[index]}` : names[index];
  const value = diff
    ? `${formatValue(first, unit)} → ${formatValue(second, unit)} ${change(first, second)}`
    : `${formatValue(first, unit)} · ${percent(total === 0 ? 0 : first / total)}`;
  return `${name}\n${value}`;
}

function faint(attribute: string, value: number): string {
  return value === 1 ? "" : ` ${attribute}="${value}"`;
}

function short(pixels: number): string {
  return String(Math.round(pixels * 100) / 100);
}

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Without the control characters that XML cannot hold. */
function escapeXml(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd")
      .replace(/[&<>"]/g, (letter) => ESCAPES[letter])
  );
}
