/** What a profile or a comparison says, in words that need no model: the largest functions, what changed, known patterns. */
import { SHARE } from "../core/divided.ts";
import { core } from "../core/index.ts";
import type { DiffTotals, SortColumn, TableRow, TreeInfo } from "../core/types.ts";
import { change, percent } from "../format/number.ts";
import { formatValue, unitOf } from "../format/value.ts";
import { sideTotals } from "../state/profile/sidetotals.ts";
import { type Rule, rulesFor } from "./advice.ts";

/** Functions that are listed. */
const LISTED = 7;
/** A pattern with a smaller share, or in a comparison with a smaller change of it, is not worth a line. */
const WORTH = 0.02;
/** Smaller changes, as parts of the total, are noise of sampling and rounding. */
const LEAST_CHANGE = 0.001;
/** A caller of nearly everything explains nothing. */
const NEARLY_ALL = 0.9;
/** A function with more than this of another's total, most of it on the same stacks, hands on what the other has. */
const NEARLY_EQUAL = 0.97;
const SAME_STACKS = 0.9;
/** The same for changes, which vary more. */
const NEARLY_EQUAL_CHANGE = 0.85;
/** Functions with the largest totals that are looked at. */
const LARGEST = 60;

/** The stacks of a rule. */
export interface Found {
  rule: Rule;
  /** Steps that show these stacks alone. */
  steps: string[];
  /** Of all that the profile has, or the baseline and the comparison. */
  shares: number[];
  advice: string;
}

export interface Summary {
  title: string;
  /** Of the values of functions. */
  unit: string;
  all: Whole;
  /** In words: "1.7 h in 240 profiles". */
  of: string;
  /** Those with the largest values of their own. */
  self: TableRow[];
  /** Share of all that those have together. */
  covered: number;
  /** Those with the largest totals, but for what calls nearly everything. */
  total: TableRow[];
  /** Of a comparison: what changed most, either way. */
  changed: TableRow[];
  /** The largest first, of a comparison those that changed most. */
  patterns: Found[];
}

/** Makes the call tree of what steps leave; whoever asks drops it. */
export type TreeOf = (steps: string[]) => Promise<TreeInfo>;

/** Searches and sorts trees that nobody looks at, so nothing changes on the screen. */
export async function summarise(treeOf: TreeOf, title: string, facts: string[]): Promise<Summary> {
  return using(await treeOf([]), async (tree) => {
    const rows = async (sort: SortColumn, limit: number, descending = true) =>
      (await core.table(tree.id, { sort, descending, filter: "", offset: 0, limit })).rows;
    const self = tree.diff ? [] : (await rows("self", LISTED)).filter((row) => row.self > 0);
    const total = tree.diff ? [] : await rows("total", LARGEST);
    const ends = (by: SortColumn) => [true, false].map((descending) => rows(by, LARGEST, descending));
    const changed = tree.diff
      ? await apartChanges(
          tree,
          largest(tree.diff, (await Promise.all((["delta", "self_delta"] as const).flatMap(ends))).flat()),
        )
      : [];
    const all = wholeOf(tree);
    const of = [...describeWhole(all, tree.whole), ...facts].join(", ");
    return {
      title,
      unit: unitOf(tree),
      all,
      of: tree.diff && changed.length === 0 ? `${of}. ${sameWords(tree.diff)}` : of,
      self,
      // Fractions add up to a little less than all.
      covered: Number(self.reduce((sum, row) => sum + row.self_fraction, 0).toFixed(9)),
      total: await withoutChains(tree, total),
      changed,
      patterns: await findPatterns(treeOf, tree),
    };
  });
}

async function using<T>(tree: TreeInfo, use: (tree: TreeInfo) => T | Promise<T>): Promise<T> {
  try {
    return await use(tree);
  } finally {
    void core.dropTree(tree.id);
  }
}

/** All that the profile has, or the baseline and the comparison, whatever they are scaled to. */
interface Whole {
  amounts: number[];
  /** Shares, where filters left part of sides that are compared by shares. */
  unit: string;
}

function wholeOf(tree: TreeInfo): Whole {
  if (!tree.diff) return { amounts: [tree.total], unit: unitOf(tree) };
  const { base, other, unit } = sideTotals(tree, tree.diff);
  return { amounts: [base, other], unit };
}

function describeWhole({ amounts: [base, other], unit }: Whole, whole: number): string[] {
  if (unit === SHARE) return [];
  if (other === undefined)
    return [whole > base ? `${formatValue(base, unit)} of ${formatValue(whole, unit)}` : formatValue(base, unit)];
  return [`${formatValue(base, unit)} → ${formatValue(other, unit)}`];
}

/** Each stack counts once in a rule, however many of its functions are on it. */
async function findPatterns(treeOf: TreeOf, whole: TreeInfo): Promise<Found[]> {
  const all = amountsOf(whole);
  const found: Found[] = [];
  for (const rule of rulesFor(whole)) {
    const one = await using(await treeOf(rule.stacks), async (tree) => {
      // What a rule leaves out and is not there needs no step.
      const steps = rule.stacks.filter((_, i) => !tree.unmatched.includes(i));
      const shares = amountsOf(tree).map((amount, i) => (all[i] === 0 ? 0 : amount / all[i]));
      return { rule, steps, shares, advice: await adviceFor(rule, tree) };
    });
    if (weightOf(one) >= WORTH) found.push(one);
  }
  return found.sort((a, b) => weightOf(b) - weightOf(a));
}

async function adviceFor({ advice, hints = [] }: Rule, { id }: TreeInfo): Promise<string> {
  const texts = [advice];
  for (const [functions, text] of hints) if ((await core.search(id, `/${functions}/`)).matches > 0) texts.push(text);
  return texts.join(" ");
}

const amountsOf = ({ diff, total }: TreeInfo) => (diff ? [diff.base, diff.comparison] : [total]);

/** The share, or by how much it changed. */
function weightOf({ shares: [first, second] }: Found): number {
  return second === undefined ? first : Math.abs(second - first);
}

/** Functions that call others, the largest first; of a chain that hands everything on, one. */
async function withoutChains(tree: TreeInfo, rows: TableRow[]): Promise<TableRow[]> {
  const listed: TableRow[] = [];
  const onStacks = new Map<TableRow, TableRow[]>();
  for (const row of rows.filter(({ total, self, total_fraction }) => total > self && total_fraction < NEARLY_ALL)) {
    if (listed.length === LISTED) break;
    const nearlyEqual = listed.filter(({ total }) => row.total >= NEARLY_EQUAL * total);
    for (const other of nearlyEqual) if (!onStacks.has(other)) onStacks.set(other, await onStacksOf(tree, other));
    if (!nearlyEqual.some((other) => isAmong(onStacks.get(other) ?? [], row))) listed.push(row);
  }
  return listed;
}

/** The functions with the largest totals, or changes, that call one or that it calls; also where names are addresses. */
async function onStacksOf(
  tree: TreeInfo,
  { name }: TableRow,
  sort: SortColumn = "total",
  descending = true,
): Promise<TableRow[]> {
  const page = { sort, descending, filter: "", offset: 0, limit: LARGEST };
  const { callers, callees } = await core.sandwich(tree.id, name);
  const rows = (side: TreeInfo) => using(side, async ({ id }) => (await core.table(id, page)).rows);
  return (await Promise.all([callers, callees].map(rows))).flat();
}

/** Whether most of a function's total is among those. */
function isAmong(rows: TableRow[], { name, file, total }: TableRow): boolean {
  return rows.some((row) => row.name === name && row.file === file && row.total >= SAME_STACKS * total);
}

/** Those that changed most; of a caller and a callee with nearly the same change, the one that has more of it itself. */
async function apartChanges(tree: TreeInfo, rows: TableRow[]): Promise<TableRow[]> {
  const listed: TableRow[] = [];
  for (const row of rows) {
    if (listed.length === LISTED) break;
    const nearlyEqual = listed.filter((other) => changeOf(row) / changeOf(other) >= NEARLY_EQUAL_CHANGE);
    const stacks = nearlyEqual.length > 0 ? await onStacksOf(tree, row, "delta", changeOf(row) > 0) : [];
    const same = nearlyEqual.find((other) =>
      stacks.some(
        (one) => one.name === other.name && one.file === other.file && changeOf(one) / changeOf(other) >= SAME_STACKS,
      ),
    );
    if (!same) listed.push(row);
    else if (Math.abs(selfChange(row)) > Math.abs(selfChange(same))) listed[listed.indexOf(same)] = row;
  }
  return listed;
}

/** Those that changed most, either way; a short table has each at both of its ends. */
function largest({ base, comparison }: DiffTotals, rows: TableRow[]): TableRow[] {
  const least = LEAST_CHANGE * Math.max(Math.abs(base), Math.abs(comparison));
  const each = [...new Map(rows.map((row) => [row.func, row])).values()];
  const changed = each.filter((row) => Math.abs(changeOf(row)) > least);
  return changed.sort((a, b) => Math.abs(changeOf(b)) - Math.abs(changeOf(a)));
}

/** By how much it changed: in total, or in itself where its callees hide that. */
const changeOf = (row: TableRow) => {
  const total = row.diff ? row.diff.comparison_total - row.diff.base_total : 0;
  const self = selfChange(row);
  return Math.abs(self) > Math.abs(total) ? self : total;
};

const selfChange = ({ diff }: TableRow) => (diff ? diff.comparison_self - diff.base_self : 0);

/** "1.2 s → 3.4 s (+183 %)", and of a function whose callees hide its own change ", itself 1 s → 0.1 s (−90 %)". */
export function describeChange(row: TableRow, unit: string): string {
  if (!row.diff) return "";
  const { base_total: base, comparison_total: comparison, base_self, comparison_self } = row.diff;
  const words = (from: number, to: number) =>
    `${formatValue(from, unit)} → ${formatValue(to, unit)} (${change(from, to)})`;
  const isHidden = changeOf(row) !== comparison - base;
  return words(base, comparison) + (isHidden ? `, itself ${words(base_self, comparison_self)}` : "");
}

/** "12 % (1.2 s)"; of a comparison "12 % → 31 % (1.2 s → 3.4 s)". */
export function describePattern({ shares }: Found, { amounts, unit }: Whole): string {
  const shown = shares.map(percent).join(" → ");
  if (unit === SHARE) return shown;
  return `${shown} (${shares.map((share, i) => formatValue(share * amounts[i], unit)).join(" → ")})`;
}

/** What became less needs no advice. */
export function adviceOn({ advice, shares: [first, second = first] }: Found): string {
  return second < first ? "" : advice;
}

/** The same as text for an issue, a pull request or a question. */
export function markdown(
  { title, of, unit, all, self, covered, total, changed, patterns }: Summary,
  link: string,
): string {
  const code = (text: string) => `\`${text.replaceAll("`", "ˋ")}\``;
  const listed = (heading: string, lines: string[]) => (lines.length > 0 ? [`\n**${heading}**\n`, ...lines] : []);
  const lines = [
    `### ${title}`,
    "",
    of,
    ...listed(
      changedHeading(unit),
      changed.map((row, i) => `${i + 1}. ${code(row.name)}: ${describeChange(row, unit)}`),
    ),
    ...listed(
      selfHeading(covered),
      self.map((row, i) => `${i + 1}. ${code(row.name)}: ${percent(row.self_fraction)}${row.file && ` (${row.file})`}`),
    ),
    ...listed(
      TOTAL,
      total.map((row, i) => `${i + 1}. ${code(row.name)}: ${percent(row.total_fraction)}`),
    ),
    ...listed(
      patternsHeading(patterns),
      patterns.map((found) => `- ${found.rule.name}: ${describePattern(found, all)}. ${adviceOn(found)}`.trimEnd()),
    ),
  ];
  return `${lines.join("\n")}\n${link && `\n${link}\n`}`;
}

/** Where nothing changed by function: in values or, where sides are compared by them, in shares. */
function sameWords({ normalised_to }: DiffTotals): string {
  const what = normalised_to === null ? "value" : "share";
  return `No function's ${what} changed by more than ${percent(LEAST_CHANGE)} of the total. Which function calls which may differ.`;
}

/** Largest changes, of amounts or of shares. */
export function changedHeading(unit: string): string {
  const what = unit === SHARE ? "changes of shares" : "changes";
  return `Largest ${what}, including callees (one function for each chain of calls that changed alike)`;
}

export const TOTAL =
  "Total, including callees (of functions that call others, up to 90 %; one for each chain of calls that are nearly equal)";

export function selfHeading(covered: number): string {
  return `Self, excluding callees (${percent(covered)} together)`;
}

/** Shares of rules don't add up: one stack can be of several. */
export function patternsHeading({ length }: Found[]): string {
  return `Known patterns${length > 1 ? " (one stack can match several)" : ""}`;
}
