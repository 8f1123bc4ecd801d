import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { formatStepLoad } from "../../format/load.ts";
import { typeParts } from "../../format/type.ts";
import { formatStep, formatValue, plural } from "../../format/value.ts";
import { trackWork } from "../../settled.ts";
import { colours } from "../../state/page/theme.ts";
import type { Problem } from "../../state/problem.ts";
import { refresh } from "../../state/url/clock.ts";
import { isPartlyCovered } from "../../time/covered.ts";
import { type Mark, marksIn } from "../../time/marks.ts";
import { bucketLabel, type Span, spanLabel, zoneLabel, zoneName } from "../../time/range.ts";
import type { Series } from "../../time/series.ts";
import { partAmount, partsAt, type Split } from "../../time/seriessplit.ts";
import { zone } from "../../time/zone.ts";
import type { makePlot, Plot } from "./timelineplot.ts";

interface Props {
  series: Series | undefined;
  problem: Problem | undefined;
  /** The type of the values, by which they are said as loads. */
  type: string;
  /** The value at the top; that of the largest when absent. */
  peak?: number;
  /** Parts that are drawn in its place. */
  split?: Split | null;
  /** What is marked; null when all of it is. */
  window: Span | null;
  label: string;
  testid: string;
  /** What is said of the buckets in which it is. */
  marks?: Mark[];
  /** What lies over the plot. */
  children?: ComponentChildren;
  onSelect: (window: Span) => void;
  onClear: () => void;
}

/** A bucket that is pointed at, by the mouse or by keys. */
interface Pointed {
  index: number;
  /** Where it is, as a part of the width. */
  at: number;
}

/** A finger that moves less than this taps. */
const DRAG_FROM = 8;

/** Values over time. Drag or Shift with arrow keys to select, double-click or Escape to clear. */
export function Timeline(props: Props) {
  const root = useRef<HTMLDivElement>(null);
  const plot = useRef<Plot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  // Half of all script is the chart: who opens a file never loads it.
  const make = useSignal<typeof makePlot | null>(null);
  useEffect(() => void trackWork(import("./timelineplot.ts")).then((module) => (make.value = module.makePlot)), []);
  const pointed = useSignal<Pointed | null>(null);
  const brush = useBrush(latest, plot);

  const last = lastOf(props.series);
  const theme = colours.value;
  const shownZone = zone.value;
  const { series, problem, type, peak, split = null, window, marks = [] } = props;
  const top = peak ?? highest(series);
  const pending = brush.pending.value;
  useEffect(() => {
    if (!series || !make.value || !root.current) return;
    plot.current = make.value(root.current, series, split, top, (value) => formatStepLoad(series, type, value), {
      window: () => brush.pending.peek() ?? latest.current.window,
      select: (chosen) => latest.current.onSelect(chosen),
      point: (index, at) => (pointed.value = index === null ? null : { index, at }),
    });
    return () => {
      plot.current?.destroy();
      plot.current = null;
      pointed.value = null;
    };
  }, [series, split, type, top, theme, shownZone, make.value]);
  useEffect(() => plot.current?.redraw(), [window?.from, window?.until, pending?.from, pending?.until]);

  return (
    <div class="timeline" data-testid={props.testid} data-peak={top}>
      <div
        ref={root}
        class="timeline-plot"
        role="slider"
        tabIndex={0}
        aria-label={ariaLabel(props)}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={Math.min(brush.at.value, last)}
        aria-valuetext={series && spoken(series, split, type, brush.at.value, marks)}
        onDblClick={props.onClear}
        onKeyDown={brush.down}
        onKeyUp={brush.up}
        onBlur={brush.leave}
        onPointerDown={brush.touchDown}
        onPointerMove={brush.touchMove}
        onPointerUp={brush.touchUp}
        onPointerCancel={brush.leave}
      />
      {series && (
        <p class="timeline-scale" aria-hidden="true">
          {series.average ? "average" : series.sparse && `per ${formatStep(series.step)}`}
          <span title={`Times are ${zoneName()}`}>{zoneLabel(series.start)}</span>
        </p>
      )}
      {props.children}
      {series && pointed.value && (
        <BucketTooltip text={bucketText(series, type, pointed.value.index, marks)} at={pointed.value.at}>
          {split && <BucketParts of={split} index={pointed.value.index} type={type} />}
        </BucketTooltip>
      )}
      {problem && <TimelineProblem problem={problem} over={series !== undefined} />}
    </div>
  );
}

/** Why there are no values, or in a corner `over` those of before. */
export function TimelineProblem({ problem, over = false }: { problem: Problem; over?: boolean }) {
  return (
    <p
      class={over ? "timeline-problem over" : "timeline-problem"}
      role="alert"
      data-testid="timeline-problem"
      title={problem.detail}
    >
      {problem.title}. {problem.meaning}{" "}
      <button type="button" class="link" onClick={refresh}>
        Try again
      </button>
    </p>
  );
}

/** Moving along the buckets and brushing them by keys, and brushing by touch: the chart itself knows the mouse alone. */
function useBrush(latest: { current: Props }, plot: { current: Plot | null }) {
  const at = useSignal(0);
  const anchor = useRef<number | null>(null);
  const touched = useRef<number | null>(null);
  const pending = useSignal<Span | null>(null);
  const moved = (event: KeyboardEvent, series: Series): number | null => {
    const last = lastOf(series);
    const here = Math.min(at.peek(), last);
    switch (event.key) {
      case "ArrowLeft":
      case "ArrowDown":
        return Math.max(0, here - 1);
      case "ArrowRight":
      case "ArrowUp":
        return Math.min(last, here + 1);
      case "Home":
        return 0;
      case "End":
        return last;
      default:
        return null;
    }
  };
  const commit = () => {
    const chosen = pending.peek();
    anchor.current = null;
    pending.value = null;
    if (chosen) latest.current.onSelect(chosen);
    return chosen !== null;
  };
  const down = (event: KeyboardEvent) => {
    const { series, window, onClear } = latest.current;
    if (!series || event.ctrlKey || event.metaKey || event.altKey) return;
    const next = moved(event, series);
    if (next !== null) {
      if (event.shiftKey) {
        anchor.current ??= Math.min(at.peek(), lastOf(series));
        const [from, until] = [Math.min(anchor.current, next), Math.max(anchor.current, next) + 1];
        pending.value = {
          from: Math.round(series.start + from * series.step),
          until: Math.round(series.start + until * series.step),
        };
      } else {
        anchor.current = null;
        pending.value = null;
      }
      at.value = next;
      plot.current?.point(next);
    } else if (event.key === "Enter") {
      if (!commit()) return;
    } else if (event.key === "Escape" && (pending.peek() || window)) {
      if (pending.peek()) pending.value = anchor.current = null;
      else onClear();
    } else return;
    event.preventDefault();
  };
  const up = (event: KeyboardEvent) => {
    if (event.key === "Shift") commit();
  };
  const leave = () => {
    anchor.current = null;
    touched.current = null;
    pending.value = null;
    plot.current?.point(null);
  };
  const touchDown = (event: PointerEvent) => {
    if (event.pointerType !== "mouse") touched.current = event.clientX;
  };
  const touchMove = ({ clientX }: PointerEvent) => {
    if (touched.current === null || !plot.current) return;
    if (pending.peek() === null && Math.abs(clientX - touched.current) < DRAG_FROM) return;
    const [from, until] = [touched.current, clientX].map(plot.current.timeAt).sort((a, b) => a - b);
    if (from < until) pending.value = { from, until };
  };
  const touchUp = () => {
    if (touched.current === null) return;
    touched.current = null;
    commit();
  };
  return { at, pending, down, up, leave, touchDown, touchMove, touchUp };
}

/** The bucket under the pointer: when, how much, of how many profiles, and what is marked there. */
function BucketTooltip(props: { text: string[]; at: number; children?: ComponentChildren }) {
  const [time, value, source, marked] = props.text;
  return (
    <div class="tooltip timeline-tip" style={{ "--at": props.at }} data-testid="timeline-tooltip" aria-hidden="true">
      <span class="soft">{time}</span> <b>{value}</b> <span class="soft">{source}</span> {marked}
      {props.children}
    </div>
  );
}

function BucketParts({ of, index, type }: { of: Split; index: number; type: string }) {
  return (
    <ul class="timeline-parts">
      {partsAt(of, index, (value) => formatStepLoad(of.series, type, value)).map(({ part, text }) => (
        <li key={part.colour}>
          <i class="swatch" style={{ "--series": `var(${part.colour})` }} />
          <span>{part.name}</span> <b>{text}</b>
        </li>
      ))}
    </ul>
  );
}

/** What is said of a bucket that keys point at. */
function spoken(series: Series, split: Split | null, type: string, index: number, marks: Mark[]): string {
  const at = Math.min(index, lastOf(series));
  const parts = split ? partsAt(split, at, (value) => formatStepLoad(series, type, value)) : [];
  const said = parts.map(({ part, text }) => `${part.name} ${text}`);
  return [...bucketText(series, type, index, marks), ...said].filter(Boolean).join(", ");
}

function bucketText(series: Series, type: string, index: number, marks: Mark[]): string[] {
  const { start, step, values, counts, covered, average } = series;
  const at = Math.min(index, values.length - 1);
  const [value, count] = [values[at] ?? null, counts[at] ?? 0];
  const time = bucketLabel({ from: start + at * step, until: start + (at + 1) * step });
  const marked = marksIn(marks, series, at);
  if (covered[at] === 0 || value === null) return [time, "no profiles", "", marked];
  const partly = !average && isPartlyCovered(series, at);
  const source = plural(count, average ? "snapshot" : "profile") + (partly ? " (partly profiled)" : "");
  return [time, formatStepLoad(series, type, value), average ? `average of ${source}` : `in ${source}`, marked];
}

/** The last bucket; a series may have become shorter since one was pointed at. */
function lastOf(series: Series | undefined): number {
  return Math.max(0, (series?.values.length ?? 0) - 1);
}

function highest(series: Series | undefined): number {
  return (series?.values ?? []).reduce((peak: number, value) => Math.max(peak, value ?? 0), 0);
}

function ariaLabel({ series, split, type, label, window }: Props): string {
  if (!series) return label;
  const { start, step, values, average, total } = series;
  const span = { from: start, until: start + step * values.length };
  const selected = window ? `; selected ${spanLabel(window, Date.now())}` : "";
  const parts = split?.parts.map((part) => `${part.name} ${partAmount(part, split, typeParts(type).unit)}`);
  const by = split ? `; by ${split.by}: ${parts?.join(", ")}` : "";
  const peak = `peak ${formatStepLoad(series, type, highest(series))}`;
  const amount = formatValue(total, typeParts(type).unit);
  return `${label}, ${spanLabel(span, Date.now())}: ${average ? "average" : "total"} ${amount}, ${peak}${by}${selected}. Arrow keys move, Shift selects.`;
}
