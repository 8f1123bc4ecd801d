import { effect, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { core } from "../core/index.ts";
import { isFilter, type Seconds, timeAmong } from "../core/steps.ts";
import type { Heatmap } from "../core/types.ts";
import {
  cellsOf,
  columnSpan,
  drawnPart,
  extended,
  indexAt,
  isWithin,
  type Point,
  shading,
  spanBetween,
} from "../flame/heatmapcells.ts";
import { percent } from "../format/number.ts";
import { colours, readToken } from "../state/page/theme.ts";
import { tree } from "../state/profile/focus.ts";
import { type Subject, shown } from "../state/profile/shown.ts";
import { setAgainst, setTime } from "../state/profile/stepchanges.ts";
import { fileRoute, go } from "../state/url/router.ts";
import { formatMoment } from "../time/moment.ts";
import { placeIn } from "../time/range.ts";
import { Axis, seenTime } from "./axis.tsx";

/** When there was how much of a profile whose samples have times. A part of it is the profile, two parts are a comparison. */
export function HeatmapStrip() {
  const answer = shown.value;
  const subject = answer.state === "ready" && answer.subject?.timed ? answer.subject : null;
  const { idle } = fileRoute.value;
  const key = subject && JSON.stringify([subject.profile, subject.type, idle]);
  const map = useSignal<{ subject: Subject; of: Heatmap } | null>(null);
  useEffect(() => {
    // The strip of another profile goes at once; the same one with or without what is idle stays until then.
    if (map.peek()?.subject !== subject) map.value = null;
    if (!subject) return;
    const stop = new AbortController();
    // A strip that cannot be drawn is missing; the picture below says what is wrong with the profile.
    void core.heatmap(subject.profile, subject.type, idle).then(
      (made) => {
        if (!stop.signal.aborted) map.value = made && { subject, of: made };
      },
      () => {},
    );
    return () => stop.abort();
  }, [key]);
  const chart = tree.value;
  const end = typeof chart?.start === "number" ? chart.start + chart.total / 1e9 : 0;
  const strip = useMemo(() => map.value && extended(map.value.of, end), [map.value, end]);
  return strip && <Strip map={strip} />;
}

function Strip({ map }: { map: Heatmap }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const column = useSignal(0);
  /** What is being brushed, and where that began. */
  const pending = useSignal<Seconds | null>(null);
  const anchor = useRef<Point | number | null>(null);
  /** The next part that is chosen is the one to compare with. */
  const second = useSignal(false);
  const byShift = useRef(false);
  /** Where the pointer is. */
  const pointed = useSignal<Point | null>(null);
  const chosen = timeAmong(fileRoute.value.steps);
  const { against, idle, steps } = fileRoute.value;
  /** The strip is always of the whole profile, and says so where the picture below is not. */
  const unfiltered = steps.some(isFilter) ? " without filters" : "";
  const columns = map.cells.length / map.rows;
  const shade = useMemo(() => shading(map.cells), [map]);
  const total = useMemo(() => map.cells.reduce((sum, cell) => sum + cell, 0), [map]);

  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const paint = () => {
      const brushed = pending.value;
      const parts = second.value
        ? { base: chosen, other: brushed ?? against }
        : { base: brushed ?? chosen, other: against };
      draw(element, map, shade, parts);
    };
    const observer = new ResizeObserver(paint);
    observer.observe(element);
    const stop = effect(() => {
      colours.value;
      paint();
    });
    return () => {
      observer.disconnect();
      stop();
    };
  }, [map, String(chosen), String(against)]);

  const at = (event: PointerEvent): Point => {
    const { left, top, width, height } = (canvas.current as HTMLCanvasElement).getBoundingClientRect();
    const within = (part: number) => Math.min(Math.max(part, 0), 1);
    return { x: within((event.clientX - left) / width) * drawnPart(map), y: within((event.clientY - top) / height) };
  };
  const commit = () => {
    const brushed = pending.peek();
    const apply = second.peek() ? setAgainst : setTime;
    cancel();
    // A mere click with Shift chooses nothing; what the button has turned on stays on.
    if (brushed || byShift.current) second.value = false;
    byShift.current = false;
    if (brushed) apply(brushed);
  };
  const cancel = () => {
    pending.value = null;
    anchor.current = null;
  };
  /** One step back; whether there was one. */
  const stepBack = () => {
    if (pending.peek()) cancel();
    else if (second.peek()) second.value = false;
    else if (against) setAgainst(null);
    else if (chosen) setTime(null);
    else return false;
    return true;
  };
  const move = (to: number, selecting: boolean) => {
    const next = Math.min(Math.max(to, 0), columns - 1);
    if (selecting) {
      if (typeof anchor.current !== "number") anchor.current = column.peek();
      const [from, until] = [anchor.current, next].sort((a, b) => a - b);
      pending.value = [columnSpan(map, from)[0], columnSpan(map, until)[1]];
    } else cancel();
    column.value = next;
  };
  const keys = (event: KeyboardEvent) => {
    const to = {
      ArrowLeft: column.peek() - 1,
      ArrowRight: column.peek() + 1,
      PageUp: column.peek() - 10,
      PageDown: column.peek() + 10,
      Home: 0,
      End: columns - 1,
    }[event.key];
    if (to !== undefined) move(to, event.shiftKey);
    else if (event.key === "Enter" && pending.peek()) commit();
    else if (event.key !== "Escape" || !stepBack()) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const share = (of: number) => {
    const part = map.cells.slice(of * map.rows, (of + 1) * map.rows).reduce((sum, cell) => sum + cell, 0);
    return `${percent(total > 0 ? part / total : 0)}${unfiltered}`;
  };
  const describe = () => {
    const selected = chosen ? `; selected ${spanWords(chosen)}` : "";
    const compared = chosen && against ? `, compared with ${spanWords(against)}` : "";
    return `${spanWords(columnSpan(map, column.value))}: ${share(column.value)}${selected}${compared}`;
  };
  const tip = pointed.value;
  const tipAt = tip ? tip.x / drawnPart(map) : 0;
  const seen = seenTime();
  const place = (time: number) => `${placeIn({ from: map.start, until: map.end }, time) * 100}%`;

  return (
    <div class="heatmap">
      <div class="heatmap-tools">
        <span class={second.value ? "" : "soft"} role="status">
          {second.value
            ? "Now drag over a second part."
            : `Each column is ${formatMoment(map.column, map.column / 10)}, top to bottom. ${unfiltered ? "Shown without filters." : "Stronger shade: larger value."}`}
        </span>
        <button
          type="button"
          class="control toggle"
          aria-pressed={second.value}
          disabled={!chosen}
          title={
            chosen
              ? "Select a second part of the time range to compare with the first (or Shift-drag)"
              : "Select part of the time range first, then a second part to compare"
          }
          data-testid="compare-time"
          onClick={() => {
            second.value = !second.peek();
            canvas.current?.focus();
          }}
        >
          Compare with…
        </button>
        {map.has_idle && (
          <button
            type="button"
            class="control toggle"
            aria-pressed={idle}
            title="Include idle samples in the strip"
            data-testid="idle"
            onClick={() => go({ idle: !idle })}
          >
            Idle
          </button>
        )}
      </div>
      <div class={`heatmap-map${unfiltered && " unfiltered"}`}>
        <canvas
          ref={canvas}
          role="slider"
          tabIndex={0}
          data-testid="heatmap"
          data-columns={columns}
          title="Drag to select part of the time range; Shift-drag to select a second part to compare; double-click to reset"
          aria-label={
            second.value
              ? "Second part of the time range, to compare. Arrow keys move, Shift selects, Escape leaves."
              : `Profile over time${unfiltered}. Arrow keys move, Shift selects, Escape clears.`
          }
          aria-valuemin={0}
          aria-valuemax={columns - 1}
          aria-valuenow={column.value}
          aria-valuetext={describe()}
          onKeyDown={keys}
          onKeyUp={(event) => event.key === "Shift" && commit()}
          onBlur={cancel}
          onPointerDown={(event) => {
            anchor.current = at(event);
            byShift.current = event.shiftKey && chosen !== null && !second.peek();
            if (byShift.current) second.value = true;
            event.currentTarget.setPointerCapture(event.pointerId);
          }}
          onPointerMove={(event) => {
            const [begin, point] = [anchor.current, at(event)];
            pointed.value = point;
            if (begin !== null && typeof begin === "object") pending.value = spanBetween(map, begin, point);
          }}
          onPointerUp={commit}
          onPointerCancel={cancel}
          onPointerLeave={() => (pointed.value = null)}
          onDblClick={() => setTime(null)}
        />
        {seen && <i class="heatmap-seen" style={{ left: place(seen[0]), right: `calc(100% - ${place(seen[1])})` }} />}
        <Axis from={map.start} until={map.end} />
        {tip && (
          <div
            class="tooltip heat-tip"
            aria-hidden="true"
            data-testid="heat-tip"
            style={{ left: `${tipAt * 100}%`, transform: `translateX(${-tipAt * 100}%)` }}
          >
            {pending.value
              ? spanWords(pending.value)
              : `${spanWords(columnSpan(map, indexAt(tip.x, columns)))}: ${share(indexAt(tip.x, columns))}`}
          </div>
        )}
      </div>
    </div>
  );
}

/** 1.25 s to 1.3 s. */
function spanWords([from, until]: Seconds): string {
  const step = (until - from) / 100;
  return `${formatMoment(from, step)} to ${formatMoment(until, step)}`;
}

type Parts = { base: Seconds | null; other: Seconds | null };

/** Darker is more. A chosen part is marked in the colour of its side, and what is in neither is dimmed. */
function draw(canvas: HTMLCanvasElement, map: Heatmap, shade: (value: number) => number, { base, other }: Parts): void {
  const ratio = devicePixelRatio;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  if (!context) return;
  context.scale(ratio, ratio);
  const ink = readToken("--ink");
  const sides = { base: readToken("--diff-less"), other: readToken("--diff-more") };
  // Whole pixels: edges between them would be seen as a grid. An end and the next begin may differ by the last bit.
  const snap = (from: number, size: number) => {
    const [begin, end] = [from, from + size].map((edge) => Math.round(edge * ratio + 1e-6));
    return [begin / ratio, Math.max(end - begin, 1) / ratio];
  };
  for (const { value, at, ...cell } of cellsOf(map, width / drawnPart(map), height)) {
    const [[x, w], [y, h]] = [snap(cell.x, cell.w), snap(cell.y, cell.h)];
    const side = isWithin(other, at) ? "other" : isWithin(base, at) ? "base" : null;
    // In a low strip a cell is higher than its row, and would darken a part of the one before it.
    if (value > 0) context.clearRect(x, y, w, h);
    // One part alone is not a side of anything.
    if (side && other) {
      context.globalAlpha = 0.55;
      context.fillStyle = sides[side];
      context.fillRect(x, y, w, h);
    }
    if (value <= 0) continue;
    context.globalAlpha = shade(value) * (side || !base ? 0.9 : 0.25);
    context.fillStyle = ink;
    context.fillRect(x, y, w, h);
  }
  context.globalAlpha = 1;
}
