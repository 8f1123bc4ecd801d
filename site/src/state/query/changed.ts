/** Which functions changed their share between two sides, of what the server says of parts of each. */
import { FEWEST_PARTS, type Interval, type Part, shareOf, welch, wider } from "../../time/interval.ts";

/** The functions of a part of a side, a window of time or a process. */
export interface PartFunctions {
  total: number;
  /** Whether all functions are among these: what is missing is 0 then, and unknown otherwise. */
  complete: boolean;
  functions: Map<string, { self: number; total: number }>;
}

export interface SideParts {
  windows: PartFunctions[];
  /** Empty where processes are not told apart. */
  processes: PartFunctions[];
}

/** A function's shares, with what it calls and of itself. */
export interface Changed {
  name: string;
  /** Whether `before` and `after` are the function's own share, without what it calls. */
  own: boolean;
  before: number;
  after: number;
  selfBefore: number;
  selfAfter: number;
  /** Of the change, where there are parts enough to tell. */
  interval: Interval | null;
}

export interface Changes {
  /** The largest change first. */
  listed: Changed[];
  /** The function with the largest share of its own afterwards, listed or not. */
  heaviest: Changed | null;
  /** The function whose share differs most, listed or not; of those on its stacks the one whose own share does. */
  largest: Changed | null;
  /** Functions that are not listed though only one side has any of them, the largest first: they may have begun within it. */
  oneSided: Changed[];
  /** Functions that were held against their variation and are not listed. */
  others: number;
  /** Functions that some part does not say. */
  unknown: number;
  /** Whether the list is of changes beyond the variation, or of plain differences. */
  certain: boolean;
  /** Whether the variation between processes counts, too. */
  byProcess: boolean;
}

/** Smaller changes are no news, however sure. */
export const LEAST_CHANGE = 0.005;
/** Of two changes as large as each other, up to this part, the one that is called is the cause. */
const AS_LARGE = 0.98;
/** A share with callees that changes by less than this part of the own share hides what changed. */
const HIDDEN = 0.5;
/** How often a list of a service in which nothing changed may have any entry. */
export const FALSE_ALARMS = 0.05;

/**
 * The functions whose share of the total changed by half a percentage point or more, and by more than varies between the
 * windows of a side, and between its processes where there are three or more. A function that calls others and has another
 * share of its own counts by that, if its share with callees doesn't tell. All share one risk of a false alarm, in equal parts
 * (Bonferroni's inequality; Dunn, "Multiple comparisons among means", JASA 56, 1961). Of 400 made services without a change 1
 * has an entry, of 400 in which one of 100 functions grew by two points all list it. `claims` is false where the windows are no
 * independent measurements.
 */
export function changesOf(before: SideParts, after: SideParts, claims = true): Changes {
  const sides = [before, after];
  const certain = claims && sides.every(({ windows }) => windows.length >= FEWEST_PARTS);
  const byProcess = certain && sides.every(({ processes }) => processes.length >= FEWEST_PARTS);
  const parts = sides.flatMap(({ windows, processes }) => [...windows, ...(byProcess ? processes : [])]);
  const names = new Set(parts.flatMap(({ functions }) => [...functions.keys()]));
  const known = [...names].filter((name) => parts.every((part) => part.complete || part.functions.has(name)));
  const calling = known.filter((name) => parts.some(({ functions }) => callsOthers(functions.get(name))));
  const error = FALSE_ALARMS / Math.max(1, known.length + calling.length);
  const compared = (name: string, own: boolean): Changed => {
    const of = own ? "self" : "total";
    const shares = sides.map(({ windows }) => shareOf(partsOf(windows, name, of)));
    const [selfBefore, selfAfter] = sides.map(({ windows }) => shareOf(partsOf(windows, name, "self")).share);
    const plain = { name, own, before: shares[0].share, after: shares[1].share, selfBefore, selfAfter, interval: null };
    // What is too small to be listed needs no interval.
    if (!certain || size(plain) < LEAST_CHANGE) return plain;
    const overTime = welch(shares[0], shares[1], error);
    if (!byProcess) return { ...plain, interval: overTime };
    const middle = plain.after - plain.before;
    const [first, second] = sides.map(({ processes }) => shareOf(partsOf(processes, name, of)));
    const between = welch(first, second, error);
    const reach = (between.high - between.low) / 2;
    return { ...plain, interval: wider(overTime, { low: middle - reach, high: middle + reach }) };
  };
  const all = known.flatMap((name) => {
    const whole = compared(name, false);
    return hidesOwn(whole) ? [whole, compared(name, true)] : [whole];
  });
  const certainly = all.filter(
    (one) =>
      size(one) >= LEAST_CHANGE && (!certain || (one.interval && (one.interval.low > 0 || one.interval.high < 0))),
  );
  const alone = certainly.filter(({ own }) => own);
  const isToldByOwn = (one: Changed) =>
    !one.own && alone.some((own) => own.name === one.name && isMore(own) === isMore(one));
  const listed = certainly.filter((one) => !isToldByOwn(one)).sort(bySize);
  const isListed = ({ name }: Changed) => listed.some((one) => one.name === name);
  const oneSided = all
    .filter((one) => !one.own && Math.min(one.before, one.after) === 0 && size(one) >= LEAST_CHANGE && !isListed(one))
    .sort(bySize);
  const heaviest = most(all, ({ selfAfter }) => selfAfter);
  const greatest = most(all, size);
  const large = all.filter((one) => greatest && size(one) >= AS_LARGE * size(greatest));
  const largest = most(large, ({ selfBefore, selfAfter }) => Math.abs(selfAfter - selfBefore));
  const others = known.length - new Set(listed.map(({ name }) => name)).size;
  return { listed, heaviest, largest, oneSided, others, unknown: names.size - known.length, certain, byProcess };
}

function callsOthers(one: { self: number; total: number } | undefined): boolean {
  return one !== undefined && one.self !== one.total;
}

/** Whether a function's own share changed, and its share with what it calls changed far less or the other way. */
function hidesOwn({ before, after, selfBefore, selfAfter }: Changed): boolean {
  const own = selfAfter - selfBefore;
  return Math.abs(own) >= LEAST_CHANGE && (after - before) * Math.sign(own) < HIDDEN * Math.abs(own);
}

/** Whether a share grew. */
export function isMore({ before, after }: Changed): boolean {
  return after > before;
}

function partsOf(parts: PartFunctions[], name: string, of: "self" | "total"): Part[] {
  return parts.map(({ total, functions }) => ({ value: functions.get(name)?.[of] ?? 0, whole: total }));
}

/** The one with the most; of equal ones the first. */
function most(all: Changed[], of: (one: Changed) => number): Changed | null {
  return all.reduce<Changed | null>((best, one) => (best && of(best) >= of(one) ? best : one), null);
}

export function size({ before, after }: Changed): number {
  return Math.abs(after - before);
}

/** The largest change first. */
const bySize = (a: Changed, b: Changed) => size(b) - size(a) || (a.name < b.name ? -1 : 1);

/** A node of a flame graph, before what it calls. */
export interface FlameNode {
  depth: number;
  name: string;
  total: number;
}

/** A change with those on the same stacks that come with it. */
export interface ChangeGroup {
  head: Changed;
  /** Callers, the nearest first. */
  callers: Changed[];
  /** What it calls, the largest change first. */
  callees: Changed[];
}

/**
 * Changes of one sign by what they have in common: a function that changed makes its callers and callees change, too. A
 * function is in a group when at least half of one of the two values, its own or the head's, is on common stacks.
 */
export function grouped(changes: Changed[], nodes: FlameNode[]): ChangeGroup[] {
  const groups: ChangeGroup[] = [];
  // A share without callees says nothing of them.
  const alone = changes.filter(({ own }) => own).map((head) => ({ head, callers: [], callees: [] }));
  let rest = changes.filter(({ own }) => !own);
  while (rest.length > 0) {
    let [head] = rest;
    const below = calledBy(nodes, head.name);
    const candidates = rest.filter((other) => size(other) >= AS_LARGE * size(head) && below.callees.has(other.name));
    if (candidates.length > 0)
      head = candidates.reduce((deepest, other) =>
        (below.callees.get(other.name) ?? 0) > (below.callees.get(deepest.name) ?? 0) ? other : deepest,
      );
    const { callers, callees } = calledBy(nodes, head.name);
    const others = rest.filter((other) => other !== head);
    const near = (name: string) => callers.get(name) ?? 0;
    groups.push({
      head,
      callers: others.filter(({ name }) => callers.has(name)).sort((a, b) => near(a.name) - near(b.name)),
      callees: others.filter(({ name }) => !callers.has(name) && callees.has(name)),
    });
    rest = others.filter(({ name }) => !callers.has(name) && !callees.has(name));
  }
  return [...groups, ...alone].sort((a, b) => size(b.head) - size(a.head));
}

/** Functions above and below one, half or more of whose values are common, with how many calls away they are at least. */
function calledBy(nodes: FlameNode[], name: string): Record<"callers" | "callees", Map<string, number>> {
  const stack: string[] = [];
  const all = new Map<string, number>();
  const above = new Map<string, { value: number; away: number }>();
  const below = new Map<string, { value: number; away: number }>();
  const add = (to: typeof above, of: string, value: number, away: number) => {
    const found = to.get(of) ?? { value: 0, away };
    to.set(of, { value: found.value + value, away: Math.min(found.away, away) });
  };
  for (const { depth, name: own, total } of nodes) {
    stack.length = depth;
    const outermost = !stack.includes(own);
    if (outermost) all.set(own, (all.get(own) ?? 0) + total);
    const at = stack.indexOf(name);
    if (own === name && outermost) {
      const seen = new Set<string>();
      for (let i = depth - 1; i >= 0; i--) {
        if (seen.has(stack[i])) continue;
        seen.add(stack[i]);
        add(above, stack[i], total, depth - i);
      }
    } else if (own !== name && at >= 0 && !stack.slice(at).includes(own)) add(below, own, total, depth - at);
    stack.push(own);
  }
  const most = (found: typeof above, whole: (of: string) => number) =>
    new Map([...found].filter(([of, { value }]) => value >= whole(of) / 2).map(([of, { away }]) => [of, away]));
  return { callers: most(above, () => all.get(name) ?? 0), callees: most(below, (of) => all.get(of) ?? 0) };
}
