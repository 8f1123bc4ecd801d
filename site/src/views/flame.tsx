import { effect, signal, useComputed, useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { lazy } from "../components/lazy.tsx";
import { type Box, type Boxes, Flag } from "../core/boxes.ts";
import { core } from "../core/index.ts";
import { NONE, ROOT, type TreeInfo } from "../core/types.ts";
import { fit, isFull } from "../flame/extent.ts";
import { attachGestures } from "../flame/gestures.ts";
import type { SeenRows } from "../flame/minimap.ts";
import { ROW } from "../flame/paint.ts";
import { makePalette } from "../flame/palette.ts";
import { Stage } from "../flame/stage.ts";
import { formatValue } from "../format/value.ts";
import { colours, readToken } from "../state/page/theme.ts";
import { drawerOpen } from "../state/profile/drawer.ts";
import {
  announcement,
  current,
  extent,
  flagsVersion,
  select,
  selected,
  setExtent,
  tree,
  zoom,
  zoomTo,
} from "../state/profile/focus.ts";
import { callFailed } from "../state/profile/shown.ts";
import { urlState } from "../state/url/router.ts";
import { FrameList } from "./framelist.tsx";
import { type Hover, Tooltip } from "./tooltip.tsx";

const ChartAxis = lazy(() => import("./axis.tsx").then((module) => module.ChartAxis));
const Minimap = lazy(() => import("./minimap/minimap.tsx").then((module) => module.Minimap));

/** The flame graph: a canvas, what it says under the pointer, and the same frames as a list for who cannot see it. */
export function Flame() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const hover = useSignal<Hover | null>(null);
  const boxes = useSignal<Boxes | null>(null);
  const rows = useSignal<SeenRows>({ first: 0, count: Infinity, room: Infinity });
  const partial = useComputed(() => {
    const shown = tree.value;
    return shown !== null && (zoom.value !== ROOT || !isFull(extent.value) || shown.depth > rows.value.room);
  });
  const scrollTo = useRef<(row: number) => void>(() => {});

  useLayoutEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const stage = new Stage(element, core.layout, (id, failure) => callFailed(id, "draw the profile")(failure));
    stage.onLayer = (laidOut) => (boxes.value = laidOut);
    stage.onRows = (scroll, height) => {
      const minimap = element.closest(".flame")?.querySelector(".minimap");
      const room = (height + (minimap?.clientHeight ?? 0)) / ROW;
      rows.value = { first: scroll / ROW, count: height / ROW, room };
    };
    // It has its size by now.
    stage.onRows(stage.scroll, element.clientHeight);
    scrollTo.current = (row) => stage.scrollTo(row * ROW);
    const stops = [
      effect(() => {
        colours.value;
        stage.palette = makePalette(readToken);
      }),
      effect(() => {
        const shown = tree.value;
        const view = {
          zoom: zoom.value,
          extent: extent.value,
          selected: selected.value,
          current: current.value,
          flags: flagsVersion.value,
        };
        stage.show(shown && { tree: shown, label: rootLabel(shown), ...view });
        hover.value = null;
      }),
      effect(() => {
        revealed.value;
        const shown = tree.peek();
        if (shown && current.value !== ROOT)
          void core
            .node(shown.id, current.value)
            .then(({ depth }) => stage.reveal(depth), callFailed(shown.id, "show this frame"));
      }),
      attachGestures(
        element,
        gestures(stage, (next) => (hover.value = next)),
      ),
      () => stage.destroy(),
    ];
    // The current frame is outlined for who uses keys, in the picture or in the search; not for who points.
    const keyboard = new AbortController();
    const { signal } = keyboard;
    const onPicture = () =>
      [element, document.body, document.querySelector("#search")].includes(document.activeElement as HTMLElement);
    addEventListener("keydown", () => setTimeout(() => (stage.focused = onPicture())), { signal });
    addEventListener("pointerdown", () => (stage.focused = false), { signal });
    return () => {
      keyboard.abort();
      for (const stop of stops) stop();
    };
  }, []);

  const info = tree.value;
  return (
    <section class="flame" aria-label="Flame graph">
      {typeof info?.start === "number" && <ChartAxis />}
      <div class="flame-picture">
        {/* biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: the keys of the picture are its own, which is what this role says; a canvas has no role that it could lose. */}
        <canvas
          ref={canvas}
          tabIndex={0}
          role="application"
          aria-roledescription="flame graph"
          aria-label={`Flame graph${info ? ` of ${info.type}, ${totalOf(info)}` : ""}. Arrow keys move between frames, Enter zooms, question mark lists all keys.`}
          data-testid="flame"
        />
        {info?.nodes === 1 && (
          <p class="hint nothing-drawn" data-testid="nothing">
            {urlState.value.steps.length > 0 ? "The filters leave nothing." : "No sample has a value of this type."}
          </p>
        )}
        <Tooltip hover={hover.value} info={info} />
      </div>
      {partial.value && <Minimap rows={rows} scrollTo={(row) => scrollTo.current(row)} />}
      <div class="hidden" aria-live="polite" data-testid="current-frame">
        {announcement}
      </div>
      <FrameList boxes={boxes} info={info} />
    </section>
  );
}

/** What the root says: all there is. */
export function rootLabel(tree: TreeInfo): string {
  return `${tree.average ? "average" : "total"} ${totalOf(tree)}`;
}

function totalOf({ diff, total, unit }: TreeInfo): string {
  return diff ? `${formatValue(diff.base, unit)} → ${formatValue(diff.comparison, unit)}` : formatValue(total, unit);
}

/** Grows when the current frame is to be brought into view again. */
const revealed = signal(0);

function gestures(stage: Stage, hover: (next: Hover | null) => void) {
  // A double-click means what the first click hit, whatever has moved since.
  let clicked: Box | null = null;
  return {
    hover: (x: number, y: number) => {
      const box = stage.hit(x, y);
      stage.canvas.style.cursor = box ? "pointer" : "";
      hover(box && { x, y, node: box.node, run: (box.flags & Flag.Run) !== 0 });
    },
    leave: () => hover(null),
    click: (x: number, y: number) => {
      clicked = stage.hit(x, y);
      hover(null);
      if (clicked && clicked.node !== selected.peek()) void select(clicked.node);
    },
    doubleClick: () => {
      if (!clicked) return;
      // It zooms and no more: what its first click selected, it takes back, unless details are on the screen anyway.
      if (!drawerOpen.peek()) void select(NONE);
      if (clicked.flags & Flag.Run) {
        // Several frames too small to draw: come close enough to tell them apart.
        const { x, width } = clicked;
        setExtent(fit(extent.peek(), x / stage.width, (x + Math.max(width, 1)) / stage.width));
      } else void zoomTo(clicked.node);
    },
    extent: (change: Parameters<Parameters<typeof attachGestures>[1]["extent"]>[0]) => {
      const before = extent.peek();
      const next = change(before);
      if (next[0] !== before[0] || next[1] !== before[1]) setExtent(next);
    },
    scroll: (by: number) => stage.scrollTo(stage.scroll + by),
    width: () => stage.width,
  };
}
