/** A function whose share of the total jumps within the time that is compared, for good or for a while, and not between its sides. */
import { bestCut, centreOf, squares } from "../../time/fit.ts";
import { mean, type Step } from "../../time/loadsteps.ts";
import { lengthOf, type Span } from "../../time/range.ts";
import type { PartFunctions } from "./changed.ts";

/** What one function is of the total, before a moment and after it, or usually and for a while. */
export interface ShareShift {
  name: string;
  /** Whether it is the share of what the function does itself, without what it calls. */
  own: boolean;
  before: number;
  after: number;
  /** When it changed, and for a while when it was back; null for a jump. */
  from: number;
  until: number | null;
  /** The time after it, or until it was back, as long as the windows last and as there is time before it. */
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

/** A while at another level that is nearly as large as the largest jump says more. */
const NEARLY = 0.9;

/**
 * The largest shift of a share in windows that follow each other, of which those of the second side begin at `secondBegin`: a jump
 * in all of them, or in one side where another change hides it, or a while at another level. Null where none is clear, or where
 * the sides have it: a jump between them is a difference of theirs.
 */
export function shareShift(windows: SharesIn[], secondBegin: number): ShareShift | null {
  const isFirst = ({ from }: Span) => from < secondBegin;
  const sides = [windows.filter(isFirst), windows.filter((window) => !isFirst(window))];
  // Between the sides may be a time that belongs to neither.
  const between = { from: sides[0][sides[0].length - 1]?.until ?? secondBegin, until: secondBegin };
  const jump = largest([windows, ...sides].flatMap((part) => shiftsIn(part, between, jumpIn)));
  const away = largest(shiftsIn(windows, between, whileIn));
  return away && (!jump || size(away) >= NEARLY * size(jump)) ? away : jump;
}

const size = ({ before, after }: ShareShift) => Math.abs(after - before);

/** Of a function that calls nothing both shares are the same; of equal ones, what grew is the reason. */
function largest(shifts: ShareShift[]): ShareShift | null {
  const isMore = (one: ShareShift, best: ShareShift) =>
    size(one) > size(best) + TIE ||
    (Math.abs(size(one) - size(best)) <= TIE && one.after > one.before && best.after < best.before);
  return shifts.reduce<ShareShift | null>((best, one) => (best && !isMore(one, best) ? best : one), null);
}

type Found = Omit<ShareShift, "name" | "own">;
type Find = (steps: Step[], windows: SharesIn[]) => Found | null;

/** The clear shifts of functions that aren't between the sides. */
function shiftsIn(windows: SharesIn[], between: Span, find: Find): ShareShift[] {
  if (2 * windows.length < CLEAR.windows) return [];
  const parts = windows.map(({ functions }) => functions);
  const names = new Set(parts.flatMap(({ functions }) => [...functions.keys()]));
  const known = [...names].filter((name) => parts.every((part) => part.complete || part.functions.has(name)));
  const isBetween = (time: number | null) => {
    const near = AT_MIDDLE * lengthOf(windows.find(({ until }) => time !== null && time < until) ?? windows[0]);
    return time !== null && between.from - near < time && time < between.until + near;
  };
  return known.flatMap((name) =>
    (["total", "self"] as const).flatMap((of) => {
      const steps = parts.map(({ functions, total }, at) => ({ at, value: (functions.get(name)?.[of] ?? 0) / total }));
      const found = find(steps, windows);
      return found && ![found.from, found.until].some(isBetween) ? [{ name, own: of === "self", ...found }] : [];
    }),
  );
}

/** A share that jumps once. */
function jumpIn(steps: Step[], windows: SharesIn[]): Found | null {
  const cut = bestCut(steps, FEW.windows);
  if (cut < 0) return null;
  const { before, after, mixed, part } = levelsAt(steps, cut);
  const [first, second] = unmixed(steps, cut, mixed);
  if (Math.abs(after - before) < LEAST_JUMP || !isClear(first, second)) return null;
  const isFew = steps.length < CLEAR.windows || Math.min(first.length, second.length) <= FEW.windows;
  if (isFew && !isEverywhere(steps.slice(0, cut), steps.slice(cut))) return null;
  // In a window that has both, their parts say when one became the other.
  const from =
    mixed === null ? windows[cut].from : momentIn(windows[mixed], 1 - timePart(part, first, second, windows));
  const until = Math.min(windows[windows.length - 1].until, 2 * from - windows[0].from);
  return { before, after, from, until: null, window: { from, until } };
}

/** A share that is another for a while. */
function whileIn(steps: Step[], windows: SharesIn[]): Found | null {
  const values = steps.map(({ value }) => value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  if (most - least < LEAST_JUMP) return null;
  const isHigh = (at: number) => 2 * values[at] > least + most;
  // What both ends have is the usual level.
  const isAway = (at: number) => isHigh(at) !== isHigh(0);
  const [first, last] = [values.findIndex((_, at) => isAway(at)), values.findLastIndex((_, at) => isAway(at))];
  const isOne = values.every((_, at) => at < first || at > last || isAway(at));
  if (first < 0 || last === values.length - 1 || !isOne) return null;
  const inner = last - first > 1 ? steps.slice(first + 1, last) : steps.slice(first, last + 1);
  const outer = steps.filter(({ at }) => at < first - 1 || at > last + 1);
  const [before, after] = [outer, inner].map((of) => centreOf(of).value);
  const partOf = (at: number) => (values[at] - before) / (after - before);
  const mixedOf = (...places: number[]) => places.find((at) => partOf(at) > MIXED && partOf(at) < 1 - MIXED);
  const [begin, end] = [mixedOf(first - 1, first), mixedOf(last + 1, last)];
  const pure = steps.filter(({ at }) => at !== begin && at !== end);
  const [away, rest] = [pure.filter(({ at }) => isAway(at)), pure.filter(({ at }) => !isAway(at))];
  if (outer.length === 0 || Math.min(away.length, rest.length) < FEW.windows) return null;
  // A rare function has samples in some windows that follow each other, by chance.
  if (!isEverywhere(rest, away) || !isClear(rest, away)) return null;
  const awayPart = (at: number) => timePart(partOf(at), rest, away, windows);
  const from = begin === undefined ? windows[first].from : momentIn(windows[begin], 1 - awayPart(begin));
  const until = end === undefined ? windows[last].until : momentIn(windows[end], awayPart(end));
  // As much time before it is compared, and no time before all windows.
  return { before, after, from, until, window: { from, until: Math.min(until, 2 * from - windows[0].from) } };
}

/** Whether two levels explain windows so well that there is nothing else. */
function isClear(first: Step[], second: Step[]): boolean {
  const [count, fewer] = [first.length + second.length, Math.min(first.length, second.length)];
  const isShort = fewer <= FEW.windows;
  const clear = CLEAR.squares * Math.min(1, count / CLEAR.windows) ** 3 * (isShort ? FEW.part : 1);
  return squares(first) + squares(second) <= clear * squares([...first, ...second]);
}

/** The windows on both sides of a cut, without one that has both levels if as many are left as it takes. */
function unmixed(steps: Step[], cut: number, mixed: number | null): [Step[], Step[]] {
  const sides = (of: Step[]): [Step[], Step[]] => [of.filter(({ at }) => at < cut), of.filter(({ at }) => at >= cut)];
  const rest = sides(steps.filter(({ at }) => at !== mixed));
  return rest.every((side) => side.length >= FEW.windows) ? rest : sides(steps);
}

/** Whether each window has a function, or each on one side, which are enough, and none on the other. */
function isEverywhere(before: Step[], after: Step[]): boolean {
  const has = (side: Step[]) => side.every(({ value }) => value > 0);
  const lacks = (side: Step[]) => side.every(({ value }) => value === 0);
  const isOf = (one: Step[], other: Step[]) => has(one) && (has(other) || (one.length > FEW.alone && lacks(other)));
  return isOf(before, after) || isOf(after, before);
}

/** The time that a mixed window has of the second level, by its part of the jump: where the load is higher a share weighs more. */
function timePart(part: number, first: Step[], second: Step[], windows: SharesIn[]): number {
  const [before, after] = [first, second].map((steps) =>
    mean(steps.map(({ at }) => windows[at].functions.total / lengthOf(windows[at]))),
  );
  return part / (part + (1 - part) * (after / before));
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
