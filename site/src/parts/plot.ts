/** The chart of the timeline: the one module that knows uPlot. */
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Timeline as Series } from "../api.ts";
import { formatValue } from "../format/value.ts";
import type { Span } from "../time/range.ts";
import { readToken } from "../state/theme.ts";

export interface PlotHooks {
  /** What is marked; null when all of it is. */
  window: () => Span | null;
  select: (window: Span) => void;
}

export interface Plot {
  redraw(): void;
  destroy(): void;
}

const HEIGHT = 72;
/** "08:30" with a little room. */
const TICK_WIDTH = 34;
/** A drag shorter than this is a click. */
const DRAG_FROM = 5;

export function makePlot(element: HTMLElement, series: Series, unit: string, hooks: PlotHooks): Plot {
  const plot = new uPlot(options(element.clientWidth, series, unit, hooks), data(series), element);
  const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
  observer.observe(element);
  return {
    redraw: () => plot.redraw(false),
    destroy: () => {
      observer.disconnect();
      plot.destroy();
    },
  };
}

/** Steps, as a bucket's value holds for all of its time; the last one needs an end of its own. */
function data(series: Series): uPlot.AlignedData {
  return [[...series.points, 0].map((_, i) => (series.start + i * series.step) / 1000), [...series.points, series.points.at(-1) ?? 0]];
}

function options(width: number, series: Series, unit: string, on: PlotHooks): uPlot.Options {
  const [ink, line, soft] = ["--ink-faint", "--line", "--line-strong"].map(readToken);
  const axis = { stroke: ink, font: "11px system-ui, sans-serif", ticks: { show: false } };
  const { start, step, points } = series;
  const peak = Math.max(1, ...points);
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    padding: [6, 0, 0, 0],
    cursor: { y: false, drag: { x: true, y: false, setScale: false, dist: DRAG_FROM }, points: { show: false } },
    scales: { x: { time: true, range: [start / 1000, (start + step * points.length) / 1000] }, y: { range: [0, peak * 1.12] } },
    axes: [
      { ...axis, grid: { show: false }, size: 20, gap: 2, values: (plot, splits, _, __, increment) => splits.map((s) => (fits(plot, s) ? tick(s, increment) : "")) },
      { ...axis, grid: { stroke: line, width: 1 }, size: 64, gap: 4, splits: () => [0, peak], values: () => ["", points.some((value) => value > 0) ? formatValue(peak, unit) : ""] },
    ],
    series: [{}, { stroke: soft, width: 1, fill: line, paths: uPlot.paths.stepped!({ align: 1 }), points: { show: false } }],
    hooks: {
      draw: [(plot) => mark(plot, on.window(), readToken("--accent"))],
      setSelect: [
        (plot) => {
          const { left, width } = plot.select;
          if (width < DRAG_FROM) return;
          const time = (x: number) => Math.round(plot.posToVal(x, "x") * 1000);
          on.select({ from: time(left), until: time(left + width) });
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
    },
  };
}

/** Whether a label centred there stays inside; half a word at the edge helps nobody. */
function fits(plot: uPlot, seconds: number): boolean {
  const x = plot.valToPos(seconds, "x");
  return x > TICK_WIDTH / 2 && x < plot.over.clientWidth - TICK_WIDTH / 2;
}

function tick(seconds: number, increment: number): string {
  const date = new Date(seconds * 1000);
  if (increment >= 86400) return date.toLocaleDateString("en-GB", { day: "numeric", month: "short" });
  return date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", second: increment < 60 ? "2-digit" : undefined });
}

/** Fades what is outside of the window and draws its edges. */
function mark(plot: uPlot, window: Span | null, accent: string): void {
  if (!window) return;
  const { ctx, bbox } = plot;
  const clamp = (time: number) => Math.min(Math.max(plot.valToPos(time / 1000, "x", true), bbox.left), bbox.left + bbox.width);
  const [from, until] = [clamp(window.from), clamp(window.until)];
  ctx.save();
  ctx.fillStyle = readToken("--scrim");
  ctx.fillRect(bbox.left, bbox.top, from - bbox.left, bbox.height);
  ctx.fillRect(until, bbox.top, bbox.left + bbox.width - until, bbox.height);
  ctx.fillStyle = accent;
  ctx.globalAlpha = 0.12;
  ctx.fillRect(from, bbox.top, until - from, bbox.height);
  ctx.globalAlpha = 1;
  for (const x of [from, until]) ctx.fillRect(Math.round(x) - devicePixelRatio / 2, bbox.top, 1.5 * devicePixelRatio, bbox.height);
  ctx.restore();
}
