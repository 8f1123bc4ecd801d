/** Draws boxes. Knows pixels and colours, nothing of trees or state. */
import { type Boxes, Flag } from "../core/boxes.ts";
import { NONE, ROOT } from "../core/types.ts";
import { fitLabel } from "./framelabel.ts";
import { diffColour, hueColour, type Palette, runColour } from "./palette.ts";
import type { Transform } from "./transform.ts";

export const ROW = 20;
export const FONT = '12px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';
export const PADDING = 5;
/** Boxes under this width get no gap to their neighbour: a gap would be most of them. */
const GAP_FROM = 3;
const DIMMED = 0.22;
const DIMMED_TEXT = 0.5;
/** Narrower boxes show no hatch; the lines would not be told apart. */
const HATCH_FROM = 4;

export interface Picture {
  boxes: Boxes;
  names: Map<number, string>;
  transform: Transform;
  width: number;
  height: number;
  scroll: number;
  /** The depth of the first row. */
  first: number;
  /** Rows from the bottom up. */
  flipped: boolean;
  diff: boolean;
  selected: number;
  current: number;
  /** Whether the keyboard is on the canvas, so that the current frame is to be shown. */
  focused: boolean;
  /** The frame that is pointed at in any of several pictures of a tree. */
  pointed: number;
}

export interface Brush {
  context: CanvasRenderingContext2D;
  palette: Palette;
  hatch: { fresh: CanvasPattern; gone: CanvasPattern };
  measure: (text: string) => number;
}

export function paint(brush: Brush, picture: Picture): void {
  const { context, palette } = brush;
  context.fillStyle = palette.paper;
  context.fillRect(0, 0, picture.width, picture.height);
  const seen = visible(picture);
  fill(brush, picture, seen);
  write(brush, picture, seen);
  outline(brush, picture, seen);
}

/** Box as it stands on the screen; x and right are clipped to the viewport. */
export interface Seen {
  index: number;
  x: number;
  right: number;
  y: number;
  flags: number;
}

export function visible({ boxes, transform, width, height, scroll, first, flipped }: Picture): Seen[] {
  const seen: Seen[] = [];
  for (let index = 0; index < boxes.count; index++) {
    const down = (boxes.depth(index) - first) * ROW - scroll;
    const y = flipped ? height - ROW - down : down;
    if (y <= -ROW || y >= height) continue;
    const x = boxes.x(index) * transform.scale + transform.shift;
    const right = x + boxes.width(index) * transform.scale;
    if (right <= 0 || x >= width) continue;
    seen.push({ index, x: Math.max(x, 0), right: Math.min(right, width), y, flags: boxes.flags(index) });
  }
  return seen;
}

function fill({ context, palette, hatch }: Brush, picture: Picture, seen: Seen[]): void {
  for (const box of seen) {
    const { x, y, flags } = box;
    const width = drawnWidth(box);
    context.globalAlpha = opacity(flags);
    context.fillStyle = fillColour(palette, picture, box);
    context.fillRect(x, y, width, ROW - 1);
    if (isHatched(box)) {
      context.fillStyle = flags & Flag.New ? hatch.fresh : hatch.gone;
      context.fillRect(x, y, width, ROW - 1);
    }
  }
  context.globalAlpha = 1;
}

/** With a gap to its neighbour. */
export function drawnWidth({ x, right }: Seen): number {
  const width = right - x;
  return Math.max(width - (width > GAP_FROM ? 1 : 0), 0.5);
}

export function fillColour(
  palette: Palette,
  { boxes, diff }: Pick<Picture, "boxes" | "diff">,
  { index, flags }: Pick<Seen, "index" | "flags">,
): string {
  const isRun = (flags & Flag.Run) !== 0;
  const paint = boxes.paint(index);
  if (boxes.node(index) === ROOT ? !diff : isRun && diff) return palette.run;
  if (isRun) return runColour(palette, paint);
  return diff ? diffColour(palette, paint) : hueColour(palette, paint);
}

export function isHatched({ x, right, flags }: Seen): boolean {
  return (flags & (Flag.New | Flag.Gone)) !== 0 && right - x > HATCH_FROM;
}

export function opacity(flags: number): number {
  return dimmed(flags) ? DIMMED : flags & Flag.Ancestor ? 0.6 : 1;
}

export function textOpacity(flags: number): number {
  return dimmed(flags) ? DIMMED_TEXT : 1;
}

/** What is written in a box; empty where there is no room. */
export function label({ boxes, names }: Picture, { index, x, right, flags }: Seen, measure: Brush["measure"]): string {
  if (flags & Flag.Run) return "";
  const room = right - x - 2 * PADDING;
  const name = room > 8 ? names.get(boxes.node(index)) : undefined;
  return name ? fitLabel(name, room, measure) : "";
}

function write({ context, palette, measure }: Brush, picture: Picture, seen: Seen[]): void {
  context.font = FONT;
  context.textBaseline = "middle";
  context.fillStyle = palette.ink;
  for (const box of seen) {
    const text = label(picture, box, measure);
    if (!text) continue;
    context.globalAlpha = textOpacity(box.flags);
    context.fillText(text, box.x + PADDING, box.y + ROW / 2);
  }
  context.globalAlpha = 1;
}

function outline({ context, palette }: Brush, picture: Picture, seen: Seen[]): void {
  const { boxes, selected, current, focused, pointed } = picture;
  context.strokeStyle = palette.accent;
  for (const { index, x, right, y, flags } of seen) {
    const chosen = boxes.node(index) === selected && !(flags & Flag.Run);
    if (!chosen && !(flags & Flag.Same)) continue;
    context.lineWidth = chosen ? 2.5 : 1.5;
    frame(context, x, y, right - x);
  }
  context.strokeStyle = palette.focus;
  context.lineWidth = 2;
  for (const node of [pointed, focused ? current : NONE]) {
    const at = node === selected ? undefined : seen.find(({ index }) => boxes.node(index) === node);
    if (at) frame(context, at.x, at.y, at.right - at.x);
  }
}

function frame(context: CanvasRenderingContext2D, x: number, y: number, width: number): void {
  const inset = context.lineWidth / 2;
  context.strokeRect(x + inset, y + inset, Math.max(width - 1 - 2 * inset, 1), ROW - 1 - 2 * inset);
}

function dimmed(flags: number): boolean {
  return (flags & Flag.Searching) !== 0 && (flags & Flag.Match) === 0;
}

/** How far down one is, where the drawing is taller than the viewport. */
export function paintThumb(
  { context, palette }: Brush,
  width: number,
  height: number,
  scroll: number,
  content: number,
): void {
  if (content <= height) return;
  const length = Math.max((height * height) / content, 24);
  const at = (scroll / (content - height)) * (height - length);
  context.fillStyle = palette.thumb;
  context.globalAlpha = 0.5;
  context.beginPath();
  context.roundRect(width - 6, at + 2, 4, length - 4, 2);
  context.fill();
  context.globalAlpha = 1;
}

/** Browsers give none to a canvas that has another kind of context; ours have no other. */
export function context2d(canvas: HTMLCanvasElement, settings?: CanvasRenderingContext2DSettings) {
  const context = canvas.getContext("2d", settings);
  if (!context) throw new Error("the canvas has no 2d context");
  return context;
}

/** Diagonal lines: rising for new frames, falling for gone ones. */
export function makeHatch(context: CanvasRenderingContext2D, ink: string, rising: boolean): CanvasPattern {
  const size = 8;
  const tile = document.createElement("canvas");
  tile.width = tile.height = size;
  const pen = context2d(tile);
  pen.strokeStyle = ink;
  pen.globalAlpha = 0.35;
  pen.lineWidth = 1.5;
  for (const shift of [-size, 0, size]) {
    pen.moveTo(shift, rising ? size : 0);
    pen.lineTo(shift + size, rising ? 0 : size);
  }
  pen.stroke();
  const pattern = context.createPattern(tile, "repeat");
  if (!pattern) throw new Error("the canvas could not create a pattern");
  return pattern;
}
