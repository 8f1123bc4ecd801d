import { useSignal } from "@preact/signals";
import { capital } from "../../format/capital.ts";
import { typeParts } from "../../format/type.ts";
import { formatTick, formatValue, plural } from "../../format/value.ts";
import { chartSpan } from "../../state/query/loadexplore.ts";
import { formatMatcher } from "../../state/query/selector.ts";
import { type Found, singles } from "../../state/query/singles.ts";
import type { Route } from "../../state/url/route.ts";
import { exploreRoute, go, NO_FOCUS } from "../../state/url/router.ts";
import { bucketLabel, formatInstant, placeIn } from "../../time/range.ts";
import { type Cell, largestOf, type Single } from "../../time/singlecells.ts";
import { linkTo } from "../controls/link.ts";
import { TimedChart } from "../query/timedchart.tsx";
import { RetryNote } from "../status/retrynote.tsx";
import { NothingHere } from "./nothinghere.tsx";
import "../../style/singles.css";

/** Rows of the table. */
const MOST = 50;
/** Of the heatmap, in the units of its drawing. */
const WIDTH = 1000;

/** Single profiles over time and value, or the spans in them; each leads to its own flame graph. */
export function SinglesPanel() {
  const { state, value, problem } = singles.value;
  const spans = exploreRoute.value.by === "spans";
  return (
    <section
      class="singles-panel"
      aria-label="Individual profiles and spans"
      data-testid="singles-panel"
      data-state={state}
    >
      <fieldset class="segmented" aria-label="Show">
        <button type="button" aria-pressed={!spans} data-testid="singles-profiles" onClick={() => go({ by: null })}>
          Profiles
        </button>
        <button type="button" aria-pressed={spans} data-testid="singles-spans" onClick={() => go({ by: "spans" })}>
          Spans
        </button>
      </fieldset>
      {problem && <RetryNote problem={problem} />}
      {value && value.count > 0 && (
        <>
          <p class="soft" data-testid="singles-count">
            {plural(value.count, value.word)} by start time{spans && " of the profile"} and value. Click a cell to open
            its largest {value.word}.{value.incomplete && " Older profiles have expired and are not shown."}
          </p>
          <Heatmap found={value} />
          <Largest found={value} />
        </>
      )}
      {!problem && state === "ready" && value?.count === 0 && (
        <NothingHere what={value.word}>
          {value.incomplete
            ? "Profiles in this range have expired; only hourly and daily totals remain."
            : spans
              ? "No samples of this type have a span ID in this range. Agents send span IDs when profiling is linked to tracing."
              : "No profiles of this type in this range."}
        </NothingHere>
      )}
      {!problem && state !== "ready" && !value && (
        <div class="card placeholder singles-map" role="status" aria-label="Reading individual profiles" />
      )}
    </section>
  );
}

/** Its page: the range is its own millisecond, and its labels are the filters. */
function targetOf({ time, labels, span, trace }: Single): Route {
  const { base } = exploreRoute.value;
  const filters = labels.map(({ name, value }) => formatMatcher({ name, op: "=", value }));
  const window = { from: time, until: time + 1 };
  const linked = { spans: span ? [span] : [], traces: trace ? [trace] : [] };
  return {
    ...exploreRoute.value,
    ...NO_FOCUS,
    ...linked,
    panel: "profile",
    by: null,
    window,
    base: { ...base, filters },
  };
}

function Heatmap({ found }: { found: Found }) {
  const { rows, cells, bottom, top, start, step } = found;
  const { unit } = typeParts(exploreRoute.value.type);
  const most = Math.max(...cells.map(({ count }) => count));
  const opacity = (count: number) => 0.25 + 0.75 * Math.sqrt(count / most);
  const height = (top - bottom) / rows;
  const said = ({ column, row, count, largest }: Cell) => {
    const from = start + column * step;
    const span = bucketLabel({ from, until: from + step });
    const values =
      height > 0
        ? `${formatValue(bottom + row * height, unit)} to ${formatValue(bottom + (row + 1) * height, unit)}`
        : formatValue(bottom, unit);
    const best = largest ? `, the largest ${formatValue(largest.value, unit)}` : "";
    return `${span}: ${plural(count, found.word)} of ${values}${best}`;
  };
  const span = chartSpan();
  const x = (column: number) => placeIn(span, start + column * step) * WIDTH;
  return (
    <figure class="singles-map">
      <TimedChart span={span} top={formatTick(top, unit)} bottom={formatTick(bottom, unit)}>
        <svg
          viewBox={`0 0 ${WIDTH} ${rows}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`Heatmap of ${plural(found.count, found.word)}; the table below lists the largest of each cell`}
          data-testid="singles-map"
        >
          {cells.map((cell) => (
            // biome-ignore lint/a11y/noStaticElementInteractions: the rows of the table lead to the same for keys.
            <rect
              key={`${cell.column} ${cell.row}`}
              x={x(cell.column)}
              y={rows - 1 - cell.row}
              width={x(cell.column + 1) - x(cell.column)}
              height="1"
              style={{ opacity: opacity(cell.count) }}
              data-testid="singles-cell"
              data-count={cell.count}
              onClick={() => cell.largest && go(targetOf(cell.largest))}
            >
              <title>{said(cell)}</title>
            </rect>
          ))}
        </svg>
      </TimedChart>
      <figcaption class="singles-legend soft">
        {most > 1 && (
          <>
            <i style={{ opacity: opacity(1) }} /> 1
          </>
        )}
        <i /> {plural(most, found.word)} per cell
      </figcaption>
    </figure>
  );
}

type Column = "time" | "value" | "span";
interface Order {
  by: Column;
  descending: boolean;
}

/** Those that come first in an order, in words. */
const FIRST: Record<Column, [descending: string, ascending: string]> = {
  value: ["largest", "smallest"],
  time: ["latest", "earliest"],
  span: ["last", "first"],
};

/** What the table lists, in words: an answer names only the largest of a cell. */
function describeRows({ cells, word }: Found, shown: number, { by, descending }: Order): string {
  const rest = cells.length - shown;
  const first = `the ${shown} ${FIRST[by][descending ? 0 : 1]}`;
  if (cells.some(({ count }) => count > 1))
    return `The largest ${word} of each cell${rest > 0 ? `: ${first} of ${cells.length}` : ""}`;
  return rest > 0 ? `${capital(first)} of ${cells.length} ${word}s` : `All ${word}s`;
}

/** The largest of each cell, in the order that is chosen. */
function Largest({ found }: { found: Found }) {
  const { unit } = typeParts(exploreRoute.value.type);
  const sorted = useSignal<Order>({ by: "value", descending: true });
  const { by, descending } = sorted.value;
  const rows = largestOf(found)
    .sort((a, b) => (descending ? -1 : 1) * (a[by] < b[by] ? -1 : a[by] > b[by] ? 1 : 0))
    .slice(0, MOST);
  const head = (name: Column, label: string) => (
    <th
      scope="col"
      class={name === "value" ? "number" : ""}
      aria-sort={by === name ? (descending ? "descending" : "ascending") : "none"}
    >
      <button
        type="button"
        data-testid={`singles-by-${name}`}
        onClick={() => (sorted.value = { by: name, descending: by === name ? !descending : name !== "span" })}
      >
        {label}
        <span aria-hidden="true">{by === name ? (descending ? " ↓" : " ↑") : ""}</span>
      </button>
    </th>
  );
  const described = describeRows(found, rows.length, sorted.value);
  return (
    <>
      <p class="soft" data-testid="singles-listed">
        {described}
      </p>
      <div class="value-scroll">
        <table class="value-table singles-table" aria-label={described} data-testid="singles-table">
          <thead>
            <tr>
              {head("time", "Start")}
              {head("value", "Value")}
              {found.word === "span" && head("span", "Span")}
              <th scope="col">Labels</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((single) => {
              const target = targetOf(single);
              return (
                <tr
                  key={single.id + single.time + single.span}
                  data-testid="singles-row"
                  data-id={single.id}
                  data-value={single.value}
                >
                  <th scope="row">
                    <a {...linkTo(target)} title={single.id}>
                      {formatInstant(single.time)}
                    </a>
                  </th>
                  <td class="number">{formatValue(single.value, unit)}</td>
                  {found.word === "span" && (
                    <td class="singles-span" title={single.trace && `trace ${single.trace}`}>
                      {single.span}
                    </td>
                  )}
                  <td class="singles-labels">
                    {single.labels.map(({ name, value }) => `${name}=${value}`).join(", ")}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </>
  );
}
