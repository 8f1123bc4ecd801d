import { useSignal } from "@preact/signals";
import { formatStepLoad } from "../../format/load.ts";
import { count, decimal, percent } from "../../format/number.ts";
import { isGauge, typeParts } from "../../format/type.ts";
import { formatExact, formatStep, formatTick, plural } from "../../format/value.ts";
import type { LabelSides } from "../../state/query/labels.ts";
import { histogram, sortedRows, type ValueColumn, type ValueRow, valueName } from "../../state/query/labelvalues.ts";
import { formatMatcher, hasMatcher, type Matcher, matcherLabel, withMatcher } from "../../state/query/selector.ts";
import { toggleFilter } from "../../state/query/sides.ts";
import type { Route } from "../../state/url/route.ts";
import { exploreRoute, go, href } from "../../state/url/router.ts";
import { smallPieces } from "../../time/drawn.ts";
import { onPlainClick } from "../controls/link.ts";
import { Sparkline } from "../controls/sparkline.tsx";
import { colourOf } from "./valuechart.tsx";

interface Props {
  by: string;
  rows: ValueRow[];
  colours: Map<string, number>;
  type: string;
  sides: LabelSides;
  pointed: string | null;
  onPoint: (name: string | null) => void;
  onSides: (values: [string, string]) => void;
}

const COLUMNS: [ValueColumn, string, string][] = [
  ["total", "Total", "Over the whole range"],
  ["share", "Share", "Share of the total"],
  ["max", "Maximum", "The largest step"],
  ["mean", "Mean", "Mean of the steps that have profiles"],
  ["deviation", "Deviation", "Standard deviation of the steps that have profiles"],
  ["profiles", "Profiles", "Number of profiles"],
];

const SIDES = ["Baseline", "Comparison"] as const;

/** A row for each value: its course, its numbers, and what one can do with it. */
export function ValueTable({ by, rows, colours, type, sides, pointed, onPoint, onSides }: Props) {
  const gauge = isGauge(type);
  const column = useSignal<ValueColumn>("total");
  const descending = useSignal(true);
  const courses = new Map(rows.map((row) => [row, smallPieces(row.series, true)]));
  const peak = Math.max(0, ...[...courses.values()].flat().map(({ value }) => value ?? 0));
  const columns = COLUMNS.filter(([name]) => !gauge || name !== "share").map(
    ([name, label, title]) => [name, name === "total" && gauge ? "Average" : label, title] as const,
  );
  const sort = (name: ValueColumn) => {
    descending.value = column.value === name ? !descending.value : name !== "value";
    column.value = name;
  };
  const head = (name: ValueColumn, label: string, title: string) => {
    const active = column.value === name;
    return (
      <th
        key={name}
        scope="col"
        class={name === "value" ? "" : "number"}
        aria-sort={active ? (descending.value ? "descending" : "ascending") : "none"}
      >
        <button type="button" title={title} data-testid={`values-by-${name}`} onClick={() => sort(name)}>
          {label}
          <span aria-hidden="true">{active ? (descending.value ? " ↓" : " ↑") : ""}</span>
        </button>
      </th>
    );
  };
  return (
    <div class="value-scroll">
      <table class="value-table" aria-label={`Values of ${by}`} data-testid="value-table">
        <thead>
          <tr>
            {head("value", by, "By name")}
            <th scope="col">Over time</th>
            <th scope="col" title="Distribution of the steps, from zero (left) to the largest step in any row (right)">
              Histogram
            </th>
            {columns.map(([name, label, title]) => head(name, label, title))}
            {rows.length > 1 &&
              SIDES.map((side) => (
                <th scope="col" key={side} class="side-column">
                  {side}
                </th>
              ))}
            <th scope="col">
              <span class="hidden">Filter</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {sortedRows(rows, column.value, descending.value).map((row) => {
            const name = valueName(row.value);
            return (
              <tr
                key={row.value}
                class={name === pointed ? "on" : ""}
                style={{ "--series": colourOf(colours, row.value) }}
                data-testid="value-row"
                data-value={row.value}
                onPointerEnter={() => onPoint(name)}
                onPointerLeave={() => onPoint(null)}
              >
                <th scope="row">
                  <i class="swatch" />
                  {row.value || <i class="soft">{name}</i>}
                </th>
                <td class="value-course">
                  <Sparkline pieces={courses.get(row) ?? []} peak={peak} />
                </td>
                <td>
                  <Histogram row={row} peak={peak} type={type} />
                </td>
                {columns.map(([name]) => (
                  <Cell key={name} column={name} row={row} type={type} />
                ))}
                {rows.length > 1 &&
                  SIDES.map((side, i) => (
                    <td key={side} class="side-column">
                      <label>
                        <input
                          type="radio"
                          name={side}
                          aria-label={`${name} as ${side.toLowerCase()}`}
                          checked={sides.values[i] === row.value}
                          data-testid={`value-${side.toLowerCase()}`}
                          onChange={() =>
                            onSides(i === 0 ? [row.value, sides.values[1]] : [sides.values[0], row.value])
                          }
                        />
                      </label>
                    </td>
                  ))}
                <td class="value-acts">
                  {hasMatcher(exploreRoute.value.base.filters, { name: by, op: "=", value: row.value }) ? (
                    <Filtered by={by} value={row.value} />
                  ) : (
                    <>
                      <FilterLink by={by} op="=" value={row.value} label="filter" />
                      <FilterLink by={by} op="!=" value={row.value} label="exclude" />
                    </>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

const PARTS = 16;

/** Whether a value takes the same all the time, or mostly little and at times much. All rows have one scale. */
function Histogram({ row, peak, type }: { row: ValueRow; peak: number; type: string }) {
  const { steps, median } = histogram(row.series, peak, PARTS);
  const most = Math.max(...steps, 1);
  const said = `Half of the steps have ${formatStepLoad(row.series, type, median)} or less`;
  return (
    <svg class="value-histogram" viewBox={`0 0 ${PARTS * 4} 24`} role="img" aria-label={said} data-testid="value-steps">
      <title>{said}</title>
      {steps.map((count, part) => {
        const height = count === 0 ? 0 : Math.max(1.5, (count / most) * 24);
        return <rect key={part} x={part * 4} y={24 - height} width={3} height={height} />;
      })}
    </svg>
  );
}

function Cell({ column, row, type }: { column: ValueColumn; row: ValueRow; type: string }) {
  if (column === "value") return null;
  if (column === "share") {
    const share = row.share ?? 0;
    return (
      <td class="number value-share" data-testid="value-share">
        <span class="value-bar" style={{ width: `${Math.max(0, Math.min(1, share)) * 100}%` }} />
        <span>{percent(share)}</span>
      </td>
    );
  }
  const [shown, exact] = cellTexts(column, row, type);
  return (
    <td class="number" title={exact} data-testid={`value-${column}`}>
      {shown}
    </td>
  );
}

/** What stands in a cell, and what it is exactly. */
function cellTexts(column: Exclude<ValueColumn, "value" | "share">, row: ValueRow, type: string): [string, string] {
  const value = row[column];
  if (value === null) return ["–", "Too few steps. Choose a shorter range."];
  if (column === "profiles") return [count(value), plural(value, "profile")];
  const { unit } = typeParts(type);
  const exact = formatExact(digits(value), unit);
  const gauge = isGauge(type);
  if (gauge && column === "total")
    return [formatTick(value, unit), `Average of ${plural(row.profiles, "snapshot")}: ${exact}`];
  if (gauge || column === "total") return [formatTick(value, unit), exact];
  return [formatStepLoad(row.series, type, value), `${exact} in ${formatStep(row.series.step)}`];
}

/** Without an exponent, and no more digits than there are. */
function digits(value: number): string {
  return Number.isInteger(value) ? BigInt(value).toString() : decimal(value);
}

/** Takes the filter back that is set. */
function Filtered({ by, value }: { by: string; value: string }) {
  const matcher: Matcher = { name: by, op: "=", value };
  return (
    <button
      type="button"
      class="link"
      aria-pressed="true"
      title={`Remove the filter ${matcherLabel(formatMatcher(matcher))}`}
      data-testid="value-filtered"
      onClick={() => toggleFilter(matcher)}
    >
      filtered
    </button>
  );
}

/** Leaves one value, or all but it, in every panel; the panel stays. */
function FilterLink({ by, op, value, label }: { by: string; op: Matcher["op"]; value: string; label: string }) {
  const { base } = exploreRoute.value;
  const filters = withMatcher(base.filters, { name: by, op, value });
  const target: Route = { ...exploreRoute.value, base: { ...base, filters } };
  return (
    <a
      class="link"
      href={href(target)}
      aria-label={`${label} ${by}=${value}`}
      data-testid={`value-${label}`}
      onClick={(event) => onPlainClick(event, () => go(target))}
    >
      {label}
    </a>
  );
}
