/** What a profile or a comparison says, in words that need no model: the largest functions, what changed, known patterns. */
import { core } from "../core/index.ts";
import type { TableRow, TreeInfo } from "../core/types.ts";
import { change, percent } from "../format/number.ts";
import { formatDelta, formatValue } from "../format/value.ts";
import { PATTERNS, type Pattern } from "./patterns.ts";

/** Functions that are listed. */
const LISTED = 7;
/** A pattern with a smaller share is not worth a line. */
const WORTH = 0.02;
/** A caller of nearly everything explains nothing. */
const NEARLY_ALL = 0.9;
/** A function with more of its caller's share than this hands on what the caller has. */
const NARROWER = 0.97;

export interface Found {
  pattern: Pattern;
  fraction: number;
}

export interface Summary {
  title: string;
  unit: string;
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
  /** The largest first. */
  patterns: Found[];
}

/** Of a tree that nobody looks at: searching it marks nothing on the screen. */
export async function summarise(tree: TreeInfo, title: string, of: string): Promise<Summary> {
  const rows = async (sort: "self" | "total" | "delta", limit: number, descending = true) =>
    (await core.table(tree.id, { sort, descending, filter: "", offset: 0, limit })).rows;
  const self = tree.diff ? [] : (await rows("self", LISTED)).filter((row) => row.self > 0);
  const total = tree.diff ? [] : await rows("total", 40);
  const patterns: Found[] = [];
  for (const pattern of PATTERNS) {
    const { fraction } = await core.search(tree.id, `/${pattern.functions}/`);
    if (fraction >= WORTH) patterns.push({ pattern, fraction });
  }
  return {
    title,
    unit: tree.unit,
    of,
    self,
    covered: self.reduce((sum, row) => sum + row.self_fraction, 0),
    total: narrowing(total).slice(0, LISTED),
    changed: tree.diff ? largest([...(await rows("delta", LISTED)), ...(await rows("delta", LISTED, false))]) : [],
    patterns: patterns.sort((a, b) => b.fraction - a.fraction),
  };
}

/** Functions that call others, the largest first; of a chain that hands everything on, one. */
function narrowing(rows: TableRow[]): TableRow[] {
  let least = NEARLY_ALL;
  return rows.filter(({ total, self, total_fraction }) => {
    if (total <= self || total_fraction >= least) return false;
    least = total_fraction * NARROWER;
    return true;
  });
}

/** Those that changed most, either way; a short table has each at both of its ends. */
function largest(rows: TableRow[]): TableRow[] {
  const each = [...new Map(rows.map((row) => [row.func, row])).values()].filter((row) => changeOf(row) !== 0);
  return each.sort((a, b) => Math.abs(changeOf(b)) - Math.abs(changeOf(a))).slice(0, LISTED);
}

const changeOf = ({ diff }: TableRow) => (diff ? diff.comparison_total - diff.base_total : 0);

/** "1.2 s → 3.4 s (+183 %)". */
export function describeChange({ diff }: TableRow, unit: string): string {
  if (!diff) return "";
  const { base_total: base, comparison_total: comparison } = diff;
  const amounts = `${formatValue(base, unit)} → ${formatValue(comparison, unit)}`;
  return `${amounts} (${base === 0 ? formatDelta(comparison, unit) : change(base, comparison)})`;
}

/** The same as text for an issue, a pull request or a question. */
export function markdown({ title, of, unit, self, covered, total, changed, patterns }: Summary, link: string): string {
  const code = (text: string) => `\`${text.replaceAll("`", "ˋ")}\``;
  const listed = (heading: string, lines: string[]) => (lines.length > 0 ? [`\n**${heading}**\n`, ...lines] : []);
  const lines = [
    `### ${title}`,
    "",
    of,
    ...listed(
      "Changed most",
      changed.map((row, i) => `${i + 1}. ${code(row.name)}: ${describeChange(row, unit)}`),
    ),
    ...listed(
      `By themselves: these have ${percent(covered)}`,
      self.map((row, i) => `${i + 1}. ${code(row.name)}: ${percent(row.self_fraction)}${row.file && ` (${row.file})`}`),
    ),
    ...listed(
      "With what they call",
      total.map((row, i) => `${i + 1}. ${code(row.name)}: ${percent(row.total_fraction)}`),
    ),
    ...listed(
      "Known patterns",
      patterns.map(({ pattern, fraction }) => `- ${pattern.name}: ${percent(fraction)}. ${pattern.advice}`),
    ),
  ];
  return `${lines.join("\n")}\n${link && `\n${link}\n`}`;
}
