import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { formatStepLoad } from "../../format/load.ts";
import { formatStep } from "../../format/value.ts";
import { colourToken, SERIES_COLOURS, type ValueRow, valueName } from "../../state/query/labelvalues.ts";
import { chartSpan } from "../../state/query/loadexplore.ts";
import { columnsOf } from "../../time/drawn.ts";
import { bucketLabel, placeIn } from "../../time/range.ts";
import { valuesOfParts } from "../../time/series.ts";
import { stackTops } from "../../time/seriessplit.ts";
import { TimedChart } from "../query/timedchart.tsx";
import { areaOf, type Band, HEIGHT, lineOf, round, WIDTH } from "./bandpaths.ts";

interface Props {
  rows: ValueRow[];
  /** How much of each step any of them covers, in milliseconds. */
  covered: number[];
  colours: Map<string, number>;
  type: string;
  /** The value that is pointed at, here or in the table. */
  pointed: string | null;
  onPoint: (value: string | null) => void;
}

export const colourOf = (colours: Map<string, number>, value: string) => `var(${colourToken(colours.get(value))})`;

/** The largest values over time: on top of each other, or as lines where their sum means nothing. */
export function ValueChart({ rows, covered, colours, type, pointed, onPoint }: Props) {
  const at = useSignal<number | null>(null);
  const series = rows[0]?.series;
  const bands = useMemo(() => bandsOf(rows, covered, colours, series?.average ?? false), [rows, covered, colours]);
  if (!series) return null;
  const { start, step, average } = series;
  const sparse = rows.every(({ series }) => series.sparse);
  const steps = Math.max(...bands.map(({ values }) => values.length));
  const span = chartSpan();
  const columns = columnsOf({ covered, step, average });
  const x = (index: number) => round(placeIn(span, start + index * step) * WIDTH);
  const edges = (index: number): [number, number] => {
    const { from, until } = columns[index] ?? { from: 0, until: 1 };
    return [x(index + from), x(index + until)];
  };
  const amountAt = (values: (number | null)[], index: number) => {
    const value = values[index] ?? null;
    return value === null ? "none" : formatStepLoad({ ...series, sparse }, type, value);
  };
  const tops = bands.flatMap(({ values, below }) => values.map((value, i) => (value ?? 0) + (below[i] ?? 0)));
  const peak = Math.max(0, ...tops) || 1;
  const move = (event: PointerEvent) => {
    const { left, width } = (event.currentTarget as Element).getBoundingClientRect();
    const time = span.from + ((event.clientX - left) / width) * (span.until - span.from);
    at.value = Math.min(steps - 1, Math.max(0, Math.floor((time - start) / step)));
  };
  const leave = () => {
    at.value = null;
    onPoint(null);
  };
  return (
    <figure class="value-chart" data-testid="value-chart">
      <figcaption>
        <span class="soft">{average ? "average per snapshot" : sparse && `per ${formatStep(step)}`}</span>
        {at.value !== null && (
          <span class="value-here" data-testid="value-here">
            <span class="soft">
              {bucketLabel({ from: start + at.value * step, until: start + (at.value + 1) * step })}
            </span>{" "}
          </span>
        )}
      </figcaption>
      <TimedChart span={span} top={formatStepLoad({ ...series, sparse }, type, peak)}>
        <svg
          class={pointed === null ? "value-plot" : "value-plot pointed"}
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${average ? "Averages" : "Amounts"} over time for ${bands.map(({ name }) => name).join(", ")}; the table lists the numbers`}
          onPointerMove={move}
          onPointerLeave={leave}
        >
          {bands.map((band) => (
            <path
              key={band.name}
              class={`${average ? "value-line" : "value-band"}${band.name === pointed ? " on" : ""}`}
              style={{ "--series": band.colour }}
              d={average ? lineOf(band, peak, edges) : areaOf(band, peak, edges)}
              vector-effect="non-scaling-stroke"
              onPointerEnter={() => onPoint(band.name)}
            />
          ))}
        </svg>
      </TimedChart>
      <ul class="value-legend" aria-label="Colours">
        {bands.map(({ name, colour, values }) => (
          <li
            key={name}
            class={name === pointed ? "on" : ""}
            onPointerEnter={() => onPoint(name)}
            onPointerLeave={() => onPoint(null)}
          >
            <i class="swatch" style={{ "--series": colour }} />
            {name} {at.value !== null && <b>{amountAt(values, at.value)}</b>}
          </li>
        ))}
      </ul>
    </figure>
  );
}

/** The first values, and all further ones together. */
function bandsOf(rows: ValueRow[], covered: number[], colours: Map<string, number>, average: boolean): Band[] {
  // Those of a step are on each other, so that each is a part of the time that any of them has.
  const all = rows.map(({ series }) => series);
  const drawn = average ? all.map(({ values }) => values) : valuesOfParts(all, covered);
  const rest = drawn.slice(SERIES_COLOURS);
  const shown = rows.slice(0, SERIES_COLOURS).map(({ value }, i) => ({
    name: valueName(value),
    colour: colourOf(colours, value),
    values: drawn[i],
  }));
  if (rest.length > 0 && !average) {
    const values = rest[0].map((_, i) => rest.reduce((sum, course) => sum + (course[i] ?? 0), 0));
    shown.push({ name: `${rest.length} more`, colour: "var(--series-rest)", values });
  }
  const tops = average ? [] : stackTops(shown.map(({ values }) => values));
  return shown.map((band, i) => ({ ...band, below: tops[i - 1] ?? [] }));
}
