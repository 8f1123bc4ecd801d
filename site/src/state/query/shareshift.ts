/** A function whose share of the total jumps within the time that is compared, and not between its sides. */
import { bestCut, centreOf, squares } from "../../time/fit.ts";
import type { Step } from "../../time/loadsteps.ts";
import type { Span } from "../../time/range.ts";
import type { PartFunctions } from "./changed.ts";

/** What one function is of the total, before a moment and after it. */
export interface ShareShift {
  name: string;
  /** Whether it is the share of what the function does itself, without what it calls. */
  own: boolean;
  before: number;
  after: number;
  /** When it changed. */
  from: number;
  /** As much time after it as there is before it, or less where the time ends. */
  window: Span;
}

/** A window of a side, with its functions. */
export interface SharesIn extends Span {
  functions: PartFunctions;
}

/** A smaller jump is left to what the sides say. */
const LEAST_JUMP = 0.02;
/** A step that leaves only this part of the squares is all there is, with so many windows. */
const CLEAR = { squares: 0.1, windows: 10 };
/** So many windows lie on each side of a jump. */
const FEWEST = 2;
/** Differences by which jumps count as equal. */
const TIE = 1e-9;
/** So near the middle, in windows, a jump is the one between both sides. */
const AT_MIDDLE = 0.25;

/**
 * The largest jump of a share in windows that follow each other, of which those of the second side begin at `middle`: in all of
 * them, or in one side where another change hides it. Null where none is clear, or where the sides have it: a jump between them
 * is a difference of theirs.
 */
export function shareShift(windows: SharesIn[], middle: number): ShareShift | null {
  const isBefore = ({ from }: Span) => from < middle;
  const sides = [windows.filter(isBefore), windows.filter((window) => !isBefore(window))];
  const jumps = [windows, ...sides].flatMap((part) => jumpsIn(part, middle));
  // Of a function that calls nothing both are the same; of equal ones, what grew is the reason.
  const size = ({ before, after }: ShareShift) => Math.abs(after - before);
  const isMore = (one: ShareShift, best: ShareShift) =>
    size(one) > size(best) + TIE ||
    (Math.abs(size(one) - size(best)) <= TIE && one.after > one.before && best.after < best.before);
  return jumps.reduce<ShareShift | null>((best, one) => (best && !isMore(one, best) ? best : one), null);
}

/** The clear jump of each function, if it has one that isn't at the middle. */
function jumpsIn(windows: SharesIn[], middle: number): ShareShift[] {
  if (windows.length < CLEAR.windows) return [];
  const parts = windows.map(({ functions }) => functions);
  const names = new Set(parts.flatMap(({ functions }) => [...functions.keys()]));
  const known = [...names].filter((name) => parts.every((part) => part.complete || part.functions.has(name)));
  return known.flatMap((name) =>
    (["total", "self"] as const).flatMap((of) => {
      const steps = parts.map(({ functions, total }, at) => ({ at, value: (functions.get(name)?.[of] ?? 0) / total }));
      const cut = bestCut(steps, FEWEST);
      if (cut < 0) return [];
      const left = squares(steps.slice(0, cut)) + squares(steps.slice(cut));
      const found = levelsAt(steps, cut);
      if (Math.abs(found.after - found.before) < LEAST_JUMP || left > CLEAR.squares * squares(steps)) return [];
      const { before, after, mixed, part } = found;
      // In a window that has both, their parts say when one became the other.
      const from =
        mixed === null ? windows[cut].from : Math.round(windows[mixed].from + (1 - part) * lengthOf(windows[mixed]));
      if (Math.abs(from - middle) < AT_MIDDLE * lengthOf(windows[cut])) return [];
      const until = Math.min(windows[windows.length - 1].until, 2 * from - windows[0].from);
      return [{ name, own: of === "self", before, after, from, window: { from, until } }];
    }),
  );
}

const lengthOf = ({ from, until }: Span) => until - from;

/** A window whose share is between both levels, by more than this part of the jump, has a time of each. */
const MIXED = 0.05;

interface Levels {
  before: number;
  after: number;
  /** The window beside the cut that has both, and which part of it is as after. */
  mixed: number | null;
  part: number;
}

/** The levels before and after a cut, without the window beside it that has a time of both. */
function levelsAt(steps: Step[], cut: number): Levels {
  const sides = (until: number, from: number) =>
    [steps.slice(0, until), steps.slice(from)].map((side) => centreOf(side).value) as [number, number];
  for (const at of [cut - 1, cut]) {
    const [before, after] = sides(at, at + 1);
    const part = (steps[at].value - before) / (after - before);
    if (part > MIXED && part < 1 - MIXED) return { before, after, mixed: at, part };
  }
  const [before, after] = sides(cut, cut);
  return { before, after, mixed: null, part: 0 };
}
