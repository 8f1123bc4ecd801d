import { effect, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { core } from "../core/index.ts";
import { type Seconds, timeOf } from "../core/steps.ts";
import type { Heatmap } from "../core/types.ts";
import { cellsOf, columnSpan, spanBetween } from "../flame/heat.ts";
import { percent } from "../format/number.ts";
import { formatValue } from "../format/value.ts";
import { colours, readToken } from "../state/page/theme.ts";
import { shown } from "../state/profile/shown.ts";
import { setTime } from "../state/profile/steps.ts";
import { urlState } from "../state/url/router.ts";

/** When there was how much of a profile whose samples have times. Drag or Shift with arrow keys to take a part of it. */
export function HeatmapStrip() {
  const answer = shown.value;
  const subject = answer.state === "ready" && answer.subject?.timed ? answer.subject : null;
  const key = subject && `${subject.profile} ${subject.type}`;
  const map = useSignal<Heatmap | null>(null);
  useEffect(() => {
    map.value = null;
    if (!subject) return;
    let gone = false;
    // A strip that cannot be drawn is missing; the picture below says what is wrong with the profile.
    void core.heatmap(subject.profile, subject.type).then(
      (made) => {
        if (!gone) map.value = made;
      },
      () => {},
    );
    return () => {
      gone = true;
    };
  }, [key]);
  if (!map.value) return null;
  return <Strip map={map.value} />;
}

function Strip({ map }: { map: Heatmap }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const column = useSignal(0);
  /** What is being brushed, and where that began. */
  const pending = useSignal<Seconds | null>(null);
  const anchor = useRef<{ x: number; y: number } | number | null>(null);
  const chosen = urlState.value.steps.map(timeOf).find((span) => span !== null) ?? null;

  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const paint = () => draw(element, map, pending.value ?? chosen);
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
  }, [map, chosen?.[0], chosen?.[1]]);

  const columns = map.cells.length / map.rows;
  const at = (event: PointerEvent) => {
    const { left, top, width, height } =
      event.currentTarget instanceof Element ? event.currentTarget.getBoundingClientRect() : new DOMRect();
    return { x: (event.clientX - left) / width, y: (event.clientY - top) / height };
  };
  const commit = () => {
    if (pending.peek()) setTime(pending.peek());
    pending.value = null;
    anchor.current = null;
  };
  const cancel = () => {
    pending.value = null;
    anchor.current = null;
  };
  const keys = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by !== undefined) {
      const next = Math.min(Math.max(column.peek() + by, 0), columns - 1);
      if (event.shiftKey) {
        if (typeof anchor.current !== "number") anchor.current = column.peek();
        const [from, until] = [anchor.current, next].sort((a, b) => a - b);
        pending.value = [columnSpan(map, from)[0], columnSpan(map, until)[1]];
      } else cancel();
      column.value = next;
    } else if (event.key === "Enter" && pending.peek()) commit();
    else if (event.key === "Escape" && (pending.peek() || chosen)) {
      if (pending.peek()) cancel();
      else setTime(null);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div class="heatmap">
      <canvas
        ref={canvas}
        role="slider"
        tabIndex={0}
        data-testid="heatmap"
        data-columns={columns}
        title="Drag to take a part of the time, double-click for all of it"
        aria-label="Profile over time. Arrow keys move, Shift selects, Escape clears."
        aria-valuemin={0}
        aria-valuemax={columns - 1}
        aria-valuenow={column.value}
        aria-valuetext={describe(map, column.value, chosen)}
        onKeyDown={keys}
        onKeyUp={(event) => event.key === "Shift" && commit()}
        onBlur={cancel}
        onPointerDown={(event) => {
          anchor.current = at(event);
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerMove={(event) => {
          const begin = anchor.current;
          if (begin !== null && typeof begin === "object") pending.value = spanBetween(map, begin, at(event));
        }}
        onPointerUp={commit}
        onPointerCancel={cancel}
        onDblClick={() => setTime(null)}
      />
    </div>
  );
}

function describe(map: Heatmap, column: number, chosen: Seconds | null): string {
  const total = map.cells.reduce((sum, cell) => sum + cell, 0);
  const part = map.cells.slice(column * map.rows, (column + 1) * map.rows).reduce((sum, cell) => sum + cell, 0);
  const time = ([from, until]: Seconds) => [from, until].map((s) => formatValue(s * 1e9, "nanoseconds")).join(" to ");
  const selected = chosen ? `; selected ${time(chosen)}` : "";
  return `${time(columnSpan(map, column))}: ${percent(total > 0 ? part / total : 0)}${selected}`;
}

/** Darker is more; the square root lets small amounts be seen. What is not chosen is dimmed. */
function draw(canvas: HTMLCanvasElement, map: Heatmap, chosen: Seconds | null): void {
  const ratio = devicePixelRatio;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  if (!context) return;
  context.scale(ratio, ratio);
  const most = map.cells.reduce((most, cell) => Math.max(most, cell), 0);
  context.fillStyle = readToken("--ink");
  for (const { x, y, w, h, value, inside } of cellsOf(map, width, height, chosen)) {
    context.globalAlpha = Math.sqrt(value / most) * (inside ? 0.9 : 0.25);
    context.fillRect(x, y, w, h);
  }
  context.globalAlpha = 1;
}
