/** A function whose share of the total jumps within the time that is compared, and not between its sides. */
import { bestCut, centreOf, squares } from "../../time/fit.ts";
import type { Step } from "../../time/loadsteps.ts";
import { lengthOf, type Span } from "../../time/range.ts";
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
/**
 * A step that leaves only this part of the squares of so many windows is all there is. The window that has both levels doesn't
 * count. Of fewer windows, down to half as many, chance leaves less: the part goes with the cube of their number. Where only two
 * windows lie on a side of the jump it is smaller, too. In both cases a function that some windows lack is missing on one side
 * of the jump, and in each of more than `alone` windows on the other: two or three of ten may have a sample of it by chance.
 */
const CLEAR = { squares: 0.1, windows: 20 };
const FEW = { windows: 2, part: 0.4, alone: 5 };
/** Differences by which jumps count as equal. */
const TIE = 1e-9;
/** So near where the sides meet, in windows, a jump is the one between them. */
const AT_MIDDLE = 0.25;

/**
 * The largest jump of a share in windows that follow each other, of which those of the second side begin at `secondBegin`: in all of
 * them, or in one side where another change hides it. Null where none is clear, or where the sides have it: a jump between them
 * is a difference of theirs.
 */
export function shareShift(windows: SharesIn[], secondBegin: number): ShareShift | null {
  const isFirst = ({ from }: Span) => from < secondBegin;
  const sides = [windows.filter(isFirst), windows.filter((window) => !isFirst(window))];
  // Between the sides may be a time that belongs to neither.
  const between = { from: sides[0][sides[0].length - 1]?.until ?? secondBegin, until: secondBegin };
  const jumps = [windows, ...sides].flatMap((part) => jumpsIn(part, between));
  // Of a function that calls nothing both are the same; of equal ones, what grew is the reason.
  const size = ({ before, after }: ShareShift) => Math.abs(after - before);
  const isMore = (one: ShareShift, best: ShareShift) =>
    size(one) > size(best) + TIE ||
    (Math.abs(size(one) - size(best)) <= TIE && one.after > one.before && best.after < best.before);
  return jumps.reduce<ShareShift | null>((best, one) => (best && !isMore(one, best) ? best : one), null);
}

/** The clear jump of each function, if it has one that isn't between the sides. */
function jumpsIn(windows: SharesIn[], between: Span): ShareShift[] {
  if (2 * windows.length < CLEAR.windows) return [];
  const parts = windows.map(({ functions }) => functions);
  const names = new Set(parts.flatMap(({ functions }) => [...functions.keys()]));
  const known = [...names].filter((name) => parts.every((part) => part.complete || part.functions.has(name)));
  return known.flatMap((name) =>
    (["total", "self"] as const).flatMap((of) => {
      const steps = parts.map(({ functions, total }, at) => ({ at, value: (functions.get(name)?.[of] ?? 0) / total }));
      const cut = bestCut(steps, FEW.windows);
      if (cut < 0) return [];
      const found = levelsAt(steps, cut);
      const [first, second] = unmixed(steps, cut, found.mixed);
      const [count, fewer] = [first.length + second.length, Math.min(first.length, second.length)];
      const isShort = fewer <= FEW.windows;
      if ((isShort || steps.length < CLEAR.windows) && !isEverywhere(steps, cut)) return [];
      const clear = CLEAR.squares * Math.min(1, count / CLEAR.windows) ** 3 * (isShort ? FEW.part : 1);
      if (squares(first) + squares(second) > clear * squares([...first, ...second])) return [];
      if (Math.abs(found.after - found.before) < LEAST_JUMP) return [];
      const { before, after, mixed, part } = found;
      // In a window that has both, their parts say when one became the other.
      const from = mixed === null ? windows[cut].from : momentIn(windows[mixed], 1 - part);
      const near = AT_MIDDLE * lengthOf(windows[cut]);
      if (between.from - near < from && from < between.until + near) return [];
      const until = Math.min(windows[windows.length - 1].until, 2 * from - windows[0].from);
      return [{ name, own: of === "self", before, after, from, window: { from, until } }];
    }),
  );
}

/** The windows on both sides of a cut, without one that has both levels if as many are left as it takes. */
function unmixed(steps: Step[], cut: number, mixed: number | null): [Step[], Step[]] {
  const sides = (of: Step[]): [Step[], Step[]] => [of.filter(({ at }) => at < cut), of.filter(({ at }) => at >= cut)];
  const rest = sides(steps.filter(({ at }) => at !== mixed));
  return rest.every((side) => side.length >= FEW.windows) ? rest : sides(steps);
}

/** Whether each window has a function, or each on one side of a cut, which are enough, and none on the other. */
function isEverywhere(steps: Step[], cut: number): boolean {
  const [before, after] = [steps.slice(0, cut), steps.slice(cut)];
  const has = (side: Step[]) => side.every(({ value }) => value > 0);
  const lacks = (side: Step[]) => side.every(({ value }) => value === 0);
  const isOf = (one: Step[], other: Step[]) => has(one) && (has(other) || (one.length > FEW.alone && lacks(other)));
  return isOf(before, after) || isOf(after, before);
}

const MINUTE = 60_000;

/** The moment at a part of a window; of a long one, a whole minute. */
function momentIn(window: Span, part: number): number {
  const unit = lengthOf(window) < 2 * MINUTE ? 1 : MINUTE;
  return Math.round((window.from + part * lengthOf(window)) / unit) * unit;
}

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
