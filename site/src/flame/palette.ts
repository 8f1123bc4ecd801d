/** Colours of frames, made once per theme from the tokens in tokens.css. Canvas knows no CSS variables. */

/** Steps from all less through the same to all more. */
const DIFF_STEPS = 200;
const DIFF_SCALE = 10_000;
const GREY_BIT = 1 << 8;
/** How much of a frame's colour a run of narrow frames has. */
const RUN_PART = 0.5;

export interface Palette {
  hues: string[];
  grey: string;
  run: string;
  /** Of frames too narrow to draw one by one, by the hue of the largest. */
  runs: string[];
  diff: string[];
  ink: string;
  paper: string;
  accent: string;
  focus: string;
  thumb: string;
}

/** `read` gives the resolved colour of a token. */
export function makePalette(read: (token: string) => string): Palette {
  const frame = parseOklch(read("--frame"));
  const run = parseOklch(read("--frame-run"));
  const hues = Array.from({ length: 256 }, (_, hue) => ({ ...frame, h: (hue * 360) / 256 }));
  const [same, less, more] = ["--diff-same", "--diff-less", "--diff-more"].map((token) => parseOklch(read(token)));
  return {
    hues: hues.map(oklch),
    grey: read("--frame-grey"),
    run: read("--frame-run"),
    runs: hues.map((hue) => oklch(mix(run, hue, RUN_PART))),
    diff: Array.from({ length: DIFF_STEPS + 1 }, (_, i) => {
      const part = i / (DIFF_STEPS / 2) - 1;
      // The square root spreads small changes, which are what one looks for.
      return oklch(mix(same, part < 0 ? less : more, Math.sqrt(Math.abs(part))));
    }),
    ink: read("--frame-ink"),
    paper: read("--paper"),
    accent: read("--accent"),
    focus: read("--ink"),
    thumb: read("--ink-faint"),
  };
}

/** Colour of a box in a tree: bits 0 to 7 are the hue, bit 8 marks runtime, kernel and libc. */
export function hueColour(palette: Palette, paint: number): string {
  return paint & GREY_BIT ? palette.grey : palette.hues[paint & 0xff];
}

/** Colour of a run of narrow boxes: paler than that of the largest. */
export function runColour(palette: Palette, paint: number): string {
  return paint & GREY_BIT ? palette.run : palette.runs[paint & 0xff];
}

/** Colour of a box in a difference: the low 16 bits are the signed change in 1/10000. */
export function diffColour(palette: Palette, paint: number): string {
  const part = diffPart(paint);
  return palette.diff[Math.round(((part + 1) * DIFF_STEPS) / 2)];
}

/** The change of a difference box, -1 to 1. */
export function diffPart(paint: number): number {
  const signed = ((paint & 0xffff) << 16) >> 16;
  return Math.min(1, Math.max(-1, signed / DIFF_SCALE));
}

export interface Oklch {
  l: number;
  c: number;
  h: number;
}

/** Reads `oklch(0.84 0.08 60)`, the form in which computed styles give it back. */
export function parseOklch(text: string): Oklch {
  const match = /^oklch\(\s*([\d.]+)(%?)\s+([\d.]+)\s+([\d.]+|none)/.exec(text);
  if (!match) throw new Error(`not an oklch colour: ${text}`);
  return { l: Number(match[1]) / (match[2] ? 100 : 1), c: Number(match[3]), h: Number(match[4]) || 0 };
}

export function oklch({ l, c, h }: Oklch): string {
  return `oklch(${round(l)} ${round(c)} ${round(h)})`;
}

/** Grey has no hue of its own, so the target's is used all the way. */
function mix(from: Oklch, to: Oklch, t: number): Oklch {
  return { l: from.l + (to.l - from.l) * t, c: from.c + (to.c - from.c) * t, h: to.h };
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
