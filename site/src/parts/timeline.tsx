import { useEffect, useRef } from "preact/hooks";
import { useSignal } from "@preact/signals";
import type { Timeline as Series } from "../api.ts";
import { formatValue } from "../format/value.ts";
import { spanLabel, type Span } from "../time/range.ts";
import { colours } from "../state/theme.ts";
import type { makePlot, Plot } from "./plot.ts";

interface Props {
  series: Series | undefined;
  unit: string;
  /** What is marked; null when all of it is. */
  window: Span | null;
  label: string;
  testid: string;
  onSelect: (window: Span) => void;
  onClear: () => void;
}

/** Values over time. Drag to select, double-click to clear. */
export function Timeline(props: Props) {
  const root = useRef<HTMLDivElement>(null);
  const plot = useRef<Plot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  // Half of all script is the chart: who opens a file never loads it.
  const make = useSignal<typeof makePlot | null>(null);
  useEffect(() => void import("./plot.ts").then((module) => (make.value = module.makePlot)), []);

  const theme = colours.value;
  const { series, unit, window } = props;
  useEffect(() => {
    if (!series || !make.value) return;
    plot.current = make.value(root.current!, series, unit, {
      window: () => latest.current.window,
      select: (chosen) => latest.current.onSelect(chosen),
    });
    return () => {
      plot.current?.destroy();
      plot.current = null;
    };
  }, [series, unit, theme, make.value]);
  useEffect(() => plot.current?.redraw(), [window?.from, window?.until]);

  return (
    <div class="timeline" data-testid={props.testid}>
      <div ref={root} class="timeline-plot" role="img" aria-label={describe(props)} onDblClick={props.onClear} />
    </div>
  );
}

function describe({ series, unit, label, window }: Props): string {
  if (!series) return label;
  const total = series.points.reduce((sum, value) => sum + value, 0);
  const span = { from: series.start, until: series.start + series.step * series.points.length };
  const selected = window ? `; selected ${spanLabel(window, Date.now())}` : "";
  return `${label}, ${spanLabel(span, Date.now())}: total ${formatValue(total, unit)}, peak ${formatValue(Math.max(0, ...series.points), unit)}${selected}`;
}
