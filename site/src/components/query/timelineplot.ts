/** The chart of the timeline: the one module that knows uPlot. */
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { readToken } from "../../state/page/theme.ts";
import { columnsOf, piecesOf } from "../../time/drawn.ts";
import type { Span } from "../../time/range.ts";
import type { Series } from "../../time/series.ts";
import { type Split, stackTops } from "../../time/seriessplit.ts";
import { axisTicks } from "../../time/ticks.ts";

export interface PlotHooks {
  /** What is marked; null when all of it is. */
  window: () => Span | null;
  select: (window: Span) => void;
  /** The bucket under the pointer and where that is, as a part of the width; null when it is elsewhere. */
  point: (index: number | null, at: number) => void;
}

export interface Plot {
  redraw(): void;
  /** Points at the middle of a bucket, as the mouse does. */
  point(index: number | null): void;
  /** The time at an x of the window, Unix milliseconds, within the range. */
  timeAt(clientX: number): number;
  destroy(): void;
}

const font = (pixels: number) => `${pixels}px system-ui, sans-serif`;
const FONT_SIZE = 11;
/** What the vertical axis takes; charts below leave as much (`.timed-chart`). */
const GUTTER = 64;
/** A drag shorter than this is a click. */
const DRAG_FROM = 5;

const sizeOf = (element: HTMLElement) => ({ width: element.clientWidth, height: element.clientHeight });

export function makePlot(
  element: HTMLElement,
  series: Series,
  split: Split | null,
  peak: number,
  format: (value: number) => string,
  hooks: PlotHooks,
): Plot {
  const lines = linesOf(series, split);
  const plot = new uPlot(
    options(sizeOf(element), series, lines, peak, format, hooks),
    data(
      series,
      lines.map(({ values }) => values),
    ),
    element,
  );
  const observer = new ResizeObserver(() => plot.setSize(sizeOf(element)));
  observer.observe(element);
  return {
    redraw: () => plot.redraw(false),
    point: (index) => {
      const middle = index === null ? -10 : plot.valToPos((series.start + (index + 0.5) * series.step) / 1000, "x");
      plot.setCursor({ left: middle, top: element.clientHeight / 2 });
    },
    timeAt: (clientX) => {
      const { left, width } = plot.over.getBoundingClientRect();
      return Math.round(plot.posToVal(Math.min(Math.max(clientX - left, 0), width), "x") * 1000);
    },
    destroy: () => {
      observer.disconnect();
      plot.destroy();
    },
  };
}

/** What is drawn of a series, in this order. */
interface Line {
  values: (number | null)[];
  look: Pick<uPlot.Series, "stroke" | "width" | "fill">;
}

/** All of it; or its parts: areas on each other, of which the lower ones cover the higher, or lines over all of it. */
function linesOf({ values }: Series, split: Split | null): Line[] {
  const whole = { values, look: { stroke: readToken("--line-strong"), width: 1, fill: readToken("--line") } };
  if (!split) return [whole];
  const colours = split.parts.map(({ colour }) => readToken(colour));
  const parts = split.parts.map((part) => part.values);
  if (!split.stacked) {
    const lines = parts.map((values, i) => ({ values, look: { stroke: colours[i], width: 1.5 } }));
    return [whole, ...lines.reverse()];
  }
  const areas = stackTops(parts).map((values, i) => ({ values, look: { width: 0, fill: colours[i] } }));
  return areas.reverse();
}

/**
 * Steps: a bucket's value holds from its start to its end, also where it stands alone. One in which profiles begin or end holds
 * for as long as there are profiles.
 */
function data(series: Series, lines: (number | null)[][]): uPlot.AlignedData {
  const { start, step } = series;
  const columns = columnsOf(series);
  const drawn = lines.map((values) => piecesOf(columns, values));
  const times = drawn[0].flatMap(({ from, until }) => [from, until].map((at) => (start + at * step) / 1000));
  return [times, ...drawn.map((pieces) => pieces.flatMap(({ value }) => [value, value]))];
}

function options(
  size: { width: number; height: number },
  series: Series,
  lines: Line[],
  top: number,
  format: (value: number) => string,
  on: PlotHooks,
): uPlot.Options {
  const [ink, line] = ["--ink-faint", "--line"].map(readToken);
  const axis = { stroke: ink, font: font(FONT_SIZE), ticks: { show: false } };
  const { start, step, values } = series;
  const peak = top > 0 ? top : 1;
  const length = step * values.length;
  const ticks = (plot: uPlot) => axisTicks({ from: start, until: start + length }, plot.width - GUTTER);
  return {
    ...size,
    legend: { show: false },
    padding: [6, 0, 0, 0],
    cursor: { y: false, drag: { x: true, y: false, setScale: false, dist: DRAG_FROM }, points: { show: false } },
    scales: { x: { time: true, range: [start / 1000, (start + length) / 1000] }, y: { range: [0, peak * 1.12] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 20,
        gap: 2,
        splits: (plot) => ticks(plot).map(({ at }) => at / 1000),
        values: (plot) => ticks(plot).map(({ text }) => text),
      },
      {
        ...axis,
        grid: { stroke: line, width: 1 },
        size: GUTTER,
        gap: 4,
        splits: () => [0, peak],
        values: () => ["", ""],
      },
    ],
    series: [{}, ...lines.map(({ look }) => ({ ...look, points: { show: false } }))],
    hooks: {
      draw: [
        (plot) => mark(plot, on.window(), readToken("--accent")),
        (plot) => top > 0 && writePeak(plot, peak, format(peak), ink),
      ],
      setCursor: [
        (plot) => {
          const { left } = plot.cursor;
          if (left === undefined || left < 0) return on.point(null, 0);
          const index = Math.floor((plot.posToVal(left, "x") * 1000 - start) / step);
          on.point(Math.min(Math.max(index, 0), values.length - 1), (plot.over.offsetLeft + left) / plot.width);
        },
      ],
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

/**
 * Writes what the highest value is in front of its line: without its unit where that is a long word, such as goroutines. A text
 * that is still wider than the axis goes on over the plot.
 */
function writePeak(plot: uPlot, peak: number, full: string, ink: string): void {
  const { ctx } = plot;
  const scaled = (pixels: number) => pixels * devicePixelRatio;
  ctx.save();
  ctx.font = font(scaled(FONT_SIZE));
  const right = scaled(GUTTER - 4);
  const text = ctx.measureText(full).width > right ? full.replace(/ [a-z]{6,}.*$/, "") : full;
  const width = ctx.measureText(text).width;
  const x = Math.max(scaled(2), right - width);
  const y = plot.valToPos(peak, "y", true);
  if (x + width > right) {
    ctx.fillStyle = readToken("--paper");
    ctx.fillRect(right, y - scaled(7), x + width + scaled(2) - right, scaled(14));
  }
  ctx.fillStyle = ink;
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  ctx.fillText(text, x, y);
  ctx.restore();
}

/** Fades what is outside of the window and draws its edges. */
function mark(plot: uPlot, window: Span | null, accent: string): void {
  if (!window) return;
  const { ctx, bbox } = plot;
  const clamp = (time: number) =>
    Math.min(Math.max(plot.valToPos(time / 1000, "x", true), bbox.left), bbox.left + bbox.width);
  const [from, until] = [clamp(window.from), clamp(window.until)];
  ctx.save();
  ctx.fillStyle = readToken("--scrim");
  // The rest still says what the part is to be compared with.
  ctx.globalAlpha = 0.6;
  ctx.fillRect(bbox.left, bbox.top, from - bbox.left, bbox.height);
  ctx.fillRect(until, bbox.top, bbox.left + bbox.width - until, bbox.height);
  ctx.fillStyle = accent;
  ctx.globalAlpha = 0.12;
  ctx.fillRect(from, bbox.top, until - from, bbox.height);
  ctx.globalAlpha = 1;
  for (const x of [from, until])
    ctx.fillRect(Math.round(x) - devicePixelRatio / 2, bbox.top, 1.5 * devicePixelRatio, bbox.height);
  ctx.restore();
}
