/** The table as it is sorted and searched, with all of its rows. */
import { SHARE } from "../core/divided.ts";
import { core } from "../core/index.ts";
import type { Group } from "../core/steps.ts";
import type { TableRow, TreeInfo } from "../core/types.ts";
import { csvField, csvText } from "../format/csv.ts";
import { unitOf, wholeUnit } from "../format/value.ts";
import { sortOf } from "../state/profile/sort.ts";
import { group } from "../state/profile/stepchanges.ts";
import { pictureRoute } from "../state/url/router.ts";

/** Rows asked for at once. */
const PAGE = 5000;
/** Of a fraction; a float has 15 to 17. */
const DIGITS = 13;

export async function csvOf(tree: TreeInfo): Promise<Blob> {
  const { search, sort } = pictureRoute.peek();
  // Another picture may come before the last rows.
  const of = group.peek();
  const { column, descending } = sortOf(tree, sort);
  const rows: TableRow[] = [];
  for (let count = 1; rows.length < count; ) {
    const query = { sort: column, descending, filter: search, offset: rows.length, limit: PAGE };
    const page = await core.table(tree.id, query);
    if (page.rows.length === 0) break;
    rows.push(...page.rows);
    count = page.count;
  }
  return new Blob([writeCsv(tree, rows, of)], { type: "text/csv" });
}

export function writeCsv(tree: TreeInfo, rows: TableRow[], group: Group): string {
  const { diff, unit } = tree;
  const { of, parts } = wholeUnit(unitOf(tree));
  // A group is a file, or is in many.
  const byFunction = group === "function";
  const columns = diff
    ? ["baseline total", "comparison total", "change", "baseline self", "comparison self", "self change"]
    : ["self", "total"];
  const lines = rows.map(({ name, file, self, total, diff: sides }) => {
    const values = sides
      ? [...change(sides.base_total, sides.comparison_total), ...change(sides.base_self, sides.comparison_self)]
      : [self, total];
    return [csvField(name), ...(byFunction ? [csvField(file)] : []), ...values.map((value) => exact(value / parts))];
  });
  // What changed between two shares is no share of either.
  const columnUnit = (column: string) => (column.endsWith("change") && unit === SHARE ? "percentage points" : of);
  const head = [
    group,
    ...(byFunction ? ["file"] : []),
    ...columns.map((column) => csvField(`${column} (${columnUnit(column)})`)),
  ];
  return csvText([head, ...lines]);
}

function change(from: number, to: number): number[] {
  return [from, to, to - from];
}

/** Without what computing in binary adds to a fraction. */
function exact(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(DIGITS));
}
