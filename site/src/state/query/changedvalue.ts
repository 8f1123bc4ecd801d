/** The value of a label that has most of a change of the load: the region, or the process, in which it happened. */
import type { Loads } from "./changedload.ts";
import { isVersion, labelOrder } from "./labels.ts";

/** Labels that are looked at beside those that tell sides and processes apart. */
const LABELS = 3;
/** A label with more values has series of its own for nearly each profile. */
const VALUES = 20;

/** The sum that each value has, by label; a series without the label has the value "". */
export type ValueSums = Map<string, Map<string, number>>;

export interface ChangedValue {
  name: string;
  value: string;
  /** Its part of the change: more than 1 where everything else changed the other way. */
  part: number;
  /** The side that has all of it, or all but a trace: a first profile may begin just before the other side. */
  only: "before" | "after" | null;
  /** Whether the other side has a trace of it. */
  isTrace: boolean;
}

/** The labels by whose values a change is looked at. A version alone may have had another before the range. */
export function otherLabels(known: Record<string, string[]>, compared: string): string[] {
  const isFew = ({ length }: string[]) => length > 1 && length <= VALUES;
  return (
    labelOrder(known)
      // A comma divides names in a question.
      .filter((name) => name !== compared && !name.includes(","))
      .filter((name) => isFew(known[name]) || (isVersion(name) && known[name].length === 1))
      .slice(0, LABELS)
  );
}

/** The sums of series by each value of these labels. */
export function sumsByValue(series: { labels: Record<string, string>; total: number }[], names: string[]): ValueSums {
  return new Map(
    names.map((name) => {
      const sums = new Map<string, number>();
      for (const { labels, total } of series) {
        const value = labels[name] ?? "";
        sums.set(value, (sums.get(value) ?? 0) + total);
      }
      return [name, sums];
    }),
  );
}

/** Nearly all of a change. */
const MOST = 0.8;
/** What the other values may change by, all together, as a part of the change: more is a move from one to another. */
const OTHERS = 0.3;
/** A smaller part of what the other side has is a trace. */
const TRACE = 0.01;
/** What had this much less of the load than it has of the change is news. */
const LESS = 0.25;

/** The value that has nearly all of the change from one side to the other; null if none has, or it had nearly all of the load. */
export function changedValue({ before, after }: Loads, sides: [ValueSums, ValueSums]): ChangedValue | null {
  const by = after - before;
  const found: (Pick<ChangedValue, "name" | "value" | "part"> & { news: number })[] = [];
  for (const name of sides[0].keys()) {
    const [first, second] = sides.map((sums) => partsOf(sums.get(name) ?? new Map()));
    const changes = [...new Set([...first.keys(), ...second.keys()])].map((value) => ({
      value,
      part: ((second.get(value) ?? 0) * after - (first.get(value) ?? 0) * before) / by,
    }));
    const all = changes.reduce((sum, { part }) => sum + Math.abs(part), 0);
    for (const { value, part } of changes) {
      const news = part - Math.max(first.get(value) ?? 0, second.get(value) ?? 0);
      if (part >= MOST && all - part <= OTHERS && news >= LESS) found.push({ name, value, part, news });
    }
  }
  const best = found.sort((a, b) => b.news - a.news)[0];
  if (!best) return null;
  const { name, value, part } = best;
  const [first, second] = sides.map((sums) => partsOf(sums.get(name) ?? new Map()).get(value) ?? 0);
  const only = first < TRACE * second ? "after" : second < TRACE * first ? "before" : null;
  return { name, value, part, only, isTrace: only !== null && Math.min(first, second) > 0 };
}

/** Parts of a label's values that differ by more are of other versions, or of other numbers of processes with them. */
const SAME = 0.1;

/** Whether each of these labels' values has about the same part of both sides; a label of which that isn't known hasn't. */
export function haveSameValues(names: string[], [before, after]: [ValueSums, ValueSums]): boolean {
  return names.every((name) => {
    const [first, second] = [before, after].map((sums) => partsOf(sums.get(name) ?? new Map()));
    const values = [...new Set([...first.keys(), ...second.keys()])];
    return (
      values.length > 0 && values.every((value) => Math.abs((second.get(value) ?? 0) - (first.get(value) ?? 0)) <= SAME)
    );
  });
}

/** The parts that sums are of all of them. */
function partsOf(sums: Map<string, number>): Map<string, number> {
  const all = [...sums.values()].reduce((sum, one) => sum + one, 0);
  return new Map([...sums].map(([value, sum]) => [value, all > 0 ? sum / all : 0]));
}
