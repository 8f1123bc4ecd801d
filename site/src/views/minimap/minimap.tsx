import { effect, type ReadonlySignal, useComputed } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Boxes } from "../../core/boxes.ts";
import { core } from "../../core/index.ts";
import { ROOT, type TreeInfo } from "../../core/types.ts";
import { type Extent, FULL } from "../../flame/extent.ts";
import { gripAt, moveWindow, resizeWindow, type SeenRows, windowIn } from "../../flame/minimapwindow.ts";
import { context2d, fillColour, opacity } from "../../flame/paint.ts";
import { makePalette } from "../../flame/palette.ts";
import { percent } from "../../format/number.ts";
import { colours, readToken } from "../../state/page/theme.ts";
import { extent, flagsVersion, setExtent, tree, zoom } from "../../state/profile/focus.ts";
import { callFailed } from "../../state/profile/shown.ts";
import { resource } from "../../state/resource.ts";
import { go } from "../../state/url/router.ts";
import "../../style/minimap.css";

/** Columns of the small picture: it is laid out as if it were this wide. */
const COLUMNS = 400;

/** How near to an edge of the frame is on it. */
const REACH_PIXELS = 8;
/** Keys move by this share of what is seen, and by so many rows. */
const STEP = 0.1;
const STEP_ROWS = 3;

/** Where the zoomed frame is in the whole. */
const place = resource(
  "find the zoomed frame",
  () => tree.value && { tree: tree.value.id, node: zoom.value },
  async ({ tree, node }): Promise<{ node: number; place: Extent }> => ({ node, place: await core.place(tree, node) }),
);

/** The whole tree, small, with a frame around what is seen. */
export function Minimap({ rows, scrollTo }: { rows: ReadonlySignal<SeenRows>; scrollTo: (row: number) => void }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const strip = useRef<HTMLDivElement>(null);
  const hold = useRef<Hold | null>(null);
  const seen = useComputed((): Extent => {
    const found = place.value.value;
    const of = zoom.value !== ROOT && found?.node === zoom.value ? found.place : FULL;
    return windowIn(of, extent.value);
  });
  useEffect(() => (canvas.current ? follow(canvas.current) : undefined), []);
  const info = tree.value;
  if (!info) return null;

  const show = (next: Extent) => {
    if (zoom.peek() === ROOT) return setExtent(next);
    // The same picture, as a part of the whole.
    const { first } = rows.peek();
    go({ zoom: null, extent: next }, "replace");
    scrollTo(first);
  };
  const atPointer = ({ clientX, clientY }: PointerEvent) => {
    const { left, top, width, height } = strip.current?.getBoundingClientRect() ?? new DOMRect(0, 0, 1, 1);
    return { x: (clientX - left) / width, y: clientY - top, reach: REACH_PIXELS / width, height };
  };
  const [a, b] = seen.value;
  const { first, count } = rows.value;
  const part = (row: number) => `${(100 * Math.min(Math.max(row, 0), info.depth)) / info.depth}%`;
  return (
    <div
      class="minimap"
      ref={strip}
      data-testid="minimap"
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        const { x, y, reach, height } = atPointer(event);
        const grip = gripAt(seen.peek(), x, reach);
        const row = y / rowPixels(info, height);
        const elsewhere = row < first || row > first + count;
        if (grip === null) show(moveWindow(seen.peek(), x - (a + b) / 2));
        if (grip === null || elsewhere) scrollTo(row - count / 2);
        hold.current = {
          grip: elsewhere ? "window" : (grip ?? "window"),
          x,
          y,
          window: seen.peek(),
          first: rows.peek().first,
        };
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        const held = hold.current;
        if (!held) return;
        const { x, y, height } = atPointer(event);
        if (held.grip !== "window") return show(resizeWindow(held.window, held.grip, x));
        show(moveWindow(held.window, x - held.x));
        scrollTo(held.first + (y - held.y) / rowPixels(info, height));
      }}
      onPointerUp={() => (hold.current = null)}
      onPointerCancel={() => (hold.current = null)}
    >
      <canvas ref={canvas} />
      <div
        class="minimap-window"
        role="slider"
        tabIndex={0}
        aria-label="Visible range. Arrow keys move it, plus and minus resize it."
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(50 * (a + b))}
        aria-valuetext={`${percent(a)} to ${percent(b)} of the full width`}
        data-testid="minimap-window"
        style={{
          left: `${100 * a}%`,
          width: `${100 * (b - a)}%`,
          top: part(first),
          height: `calc(${part(first + count)} - ${part(first)})`,
        }}
        onKeyDown={(event) => {
          const by = { ArrowLeft: -STEP, ArrowRight: STEP, PageUp: -1, PageDown: 1, Home: -Infinity, End: Infinity }[
            event.key
          ];
          const down = { ArrowUp: -STEP_ROWS, ArrowDown: STEP_ROWS }[event.key];
          if (by !== undefined) show(moveWindow([a, b], Number.isFinite(by) ? by * (b - a) : Math.sign(by)));
          else if (down !== undefined) scrollTo(rows.peek().first + down);
          else return;
          event.preventDefault();
        }}
      />
    </div>
  );
}

/** What the pointer has taken hold of, and how all was then. */
interface Hold {
  grip: "left" | "right" | "window";
  x: number;
  y: number;
  window: Extent;
  first: number;
}

function rowPixels({ depth }: TreeInfo, height: number): number {
  return height / Math.max(depth, 1);
}

/** Draws the tree, now and whenever it or its flags change. */
function follow(canvas: HTMLCanvasElement): () => void {
  let drawn: { boxes: Boxes; info: TreeInfo } | null = null;
  const observer = new ResizeObserver(() => drawn && draw(canvas, drawn.boxes, drawn.info));
  observer.observe(canvas);
  const stop = effect(() => {
    const info = tree.value;
    flagsVersion.value;
    colours.value;
    if (!info) return;
    const stop = new AbortController();
    const whole = { zoom: ROOT, x0: 0, x1: 1, width: COLUMNS, depth0: 0, depth1: info.depth };
    void core.layout(info.id, whole).then(
      ({ boxes }) => {
        if (stop.signal.aborted) return;
        drawn = { boxes: new Boxes(boxes), info };
        draw(canvas, drawn.boxes, info);
      },
      callFailed(info.id, "draw the minimap"),
    );
    return () => stop.abort();
  });
  return () => {
    observer.disconnect();
    stop();
  };
}

function draw(canvas: HTMLCanvasElement, boxes: Boxes, info: TreeInfo): void {
  const ratio = devicePixelRatio || 1;
  const { clientWidth: width, clientHeight: height } = canvas;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = context2d(canvas);
  context.scale((width * ratio) / COLUMNS, ratio);
  const palette = makePalette(readToken);
  const row = rowPixels(info, height);
  const picture = { boxes, diff: info.diff !== null };
  for (let index = 0; index < boxes.count; index++) {
    const flags = boxes.flags(index);
    context.globalAlpha = opacity(flags);
    context.fillStyle = fillColour(palette, picture, { index, flags });
    context.fillRect(boxes.x(index), boxes.depth(index) * row, boxes.width(index), row);
  }
}
