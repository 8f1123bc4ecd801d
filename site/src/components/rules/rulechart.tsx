import { useSignal } from "@preact/signals";
import { capital } from "../../format/capital.ts";
import { isGauge } from "../../format/type.ts";
import { formatExact, formatStep, formatValue } from "../../format/value.ts";
import type { AlertLoads } from "../../state/query/alertloads.ts";
import { queryParts, type RuleDraft } from "../../state/query/recordingrule.ts";
import type { RulePreview } from "../../state/query/recordingrules.ts";
import type { Loaded } from "../../state/resource.ts";
import { bucketLabel, partIn, placeIn, type Span } from "../../time/range.ts";
import { areaOf, HEIGHT, heightOf, lineOf, round, WIDTH } from "../panels/bandpaths.ts";
import { TimedChart } from "../query/timedchart.tsx";
import { bandsOf, drawingOf, peakOf, rated } from "./rulebands.ts";

/** What an alert watches in a chart, whose values are those that the alert sees. */
export interface Watched {
  /** A line; null without one. */
  threshold: number | null;
  /** When it fires. */
  firings: Span[];
  /** What the values are; missing for the averages of each step. */
  averaged: AlertLoads["averaged"];
}

/** Values may fill the chart and hide what is marked behind them: a strip at the top is drawn over them. */
const STRIP = HEIGHT / 16;

interface Charted<Preview> {
  preview: Preview;
  rule: RuleDraft;
  span: Span;
  watched?: Watched;
}

/** The chart of a rule, why there is none, or its place while it loads. */
export function LoadedChart({ preview: { value, problem }, ...charted }: Charted<Loaded<RulePreview>>) {
  if (problem)
    return (
      <p role="alert">
        {problem.title}. {problem.meaning}
      </p>
    );
  return value ? <RuleChart preview={value} {...charted} /> : <div class="rule-chart" />;
}

/** The series of a rule over time: on top of each other, or as lines where they don't add up or each is watched separately. */
function RuleChart({ preview, rule, span, watched }: Charted<RulePreview>) {
  const at = useSignal<number | null>(null);
  const { unit, start, step } = preview;
  const by = rule.group_by;
  const isAverage = watched !== undefined || isGauge(queryParts(rule.query).type);
  const drawing = watched !== undefined && by.length > 0 ? "lines" : drawingOf(rule);
  const bands = bandsOf(preview, by, drawing);
  const threshold = watched?.threshold ?? null;
  const averaged = watched?.averaged;
  const valuesAre = averaged
    ? `${averaged.extreme} average of ${averaged.minutes} min`
    : `${isAverage ? "average of" : "per"} ${formatStep(step)}`;
  const peak = Math.max((threshold ?? 0) * 1.1, peakOf(bands));
  // A load has a unit that is too long for the axis.
  const [top, unitWords] = watched ? formatValue(peak, unit).split(/ (.*)/s) : [formatValue(peak, unit)];
  const x = (index: number) => round(placeIn(span, start + index * step) * WIDTH);
  const last = (bands[0]?.values.length ?? 0) - 1;
  const part = isAverage ? 1 : Math.min(1, (span.until - start - last * step) / step);
  const edges = (index: number): [number, number] => [x(index), x(index === last ? index + part : index + 1)];
  const move = (event: PointerEvent) => {
    const { left, width } = (event.currentTarget as Element).getBoundingClientRect();
    const time = span.from + ((event.clientX - left) / width) * (span.until - span.from);
    at.value = Math.max(0, Math.floor((time - start) / step));
  };
  const marked = (watched?.firings ?? []).map((firing) => {
    const [left, right] = partIn(span, firing).map((part) => part * WIDTH);
    // Also a minute of a day is seen.
    return { key: `${firing.from} ${firing.until}`, x: round(left), width: Math.max(round(right - left), 3) };
  });
  const here = at.value;
  const amountAt = (values: (number | null)[], index: number) => {
    const value = values[index] ?? null;
    return value === null ? "none" : <span title={formatExact(String(value), unit)}>{formatValue(value, unit)}</span>;
  };
  const name = (one: string) => (by.length === 0 ? "" : one);
  return (
    <figure class="rule-chart" data-testid="rule-chart">
      <TimedChart span={span} top={top}>
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${capital(valuesAre)}, up to ${formatValue(peak, unit)}`}
          onPointerMove={move}
          onPointerLeave={() => (at.value = null)}
        >
          {marked.map(({ key, ...place }) => (
            <rect key={key} class="rule-firing" data-testid="rule-firing" {...place} height={HEIGHT} />
          ))}
          {rated(bands, part).map((band) =>
            drawing === "lines" ? (
              <path
                key={band.name}
                class="rule-line"
                style={{ stroke: band.colour }}
                d={lineOf(band, peak || 1, edges)}
                vector-effect="non-scaling-stroke"
              />
            ) : (
              <path key={band.name} style={{ fill: band.colour }} d={areaOf(band, peak || 1, edges)} />
            ),
          )}
          {marked.map(({ key, ...place }) => (
            <rect key={key} class="rule-firing-strip" {...place} height={STRIP} />
          ))}
          {threshold !== null && (
            <path
              class="rule-threshold"
              data-testid="rule-threshold"
              d={`M0 ${heightOf(threshold, peak || 1)}H${WIDTH}`}
              vector-effect="non-scaling-stroke"
            />
          )}
        </svg>
      </TimedChart>
      <figcaption>
        <span class="soft">
          {here === null
            ? `${unitWords ? `${unitWords}, ` : ""}${valuesAre}`
            : bucketLabel({ from: start + here * step, until: start + (here + 1) * step })}
        </span>
        {marked.length > 0 && (
          <span class="rule-key">
            <i class="swatch" style={{ "--series": "var(--accent)" }} /> fires
          </span>
        )}
        {(by.length > 0 || here !== null) &&
          bands.map(({ name: own, colour, values }) => (
            <span key={own} class="rule-key">
              {by.length > 0 && <i class="swatch" style={{ "--series": colour }} />}
              {name(own)} {here !== null && <b>{amountAt(values, here)}</b>}
            </span>
          ))}
      </figcaption>
    </figure>
  );
}
