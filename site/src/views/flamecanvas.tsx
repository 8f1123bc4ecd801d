import { effect, type Signal, untracked, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { type Box, type Boxes, Flag } from "../core/boxes.ts";
import { core } from "../core/index.ts";
import { NONE, ROOT, type TreeInfo, type Widths } from "../core/types.ts";
import { FULL, fit } from "../flame/extent.ts";
import { attachGestures } from "../flame/flamegestures.ts";
import { makePalette } from "../flame/palette.ts";
import { Stage } from "../flame/stage.ts";
import { colours, readToken } from "../state/page/theme.ts";
import { learnZoom } from "../state/page/zoomhint.ts";
import { drawerCovers, drawerOpen } from "../state/profile/draweropen.ts";
import {
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
import { openFrameMenu } from "../state/profile/menuframe.ts";
import { callFailed } from "../state/profile/shown.ts";
import { type Hover, Tooltip } from "./tooltip.tsx";

interface Props {
  /** What the picture is called, to who cannot see it. */
  name: string;
  testid: string;
  /** Whose values the widths of a comparison show: of both sides together, unless one is named. */
  widths?: Widths;
  /** What the root says. */
  rootLabel: (tree: TreeInfo) => string;
  /** What is drawn. */
  boxes: Signal<Boxes | null>;
  /** Of several pictures of one tree: the frame under the pointer of any, which all outline. */
  pointed?: Signal<number>;
  /** Hears of the stage before it draws. */
  onStage?: (stage: Stage) => void;
  /** What stands over the canvas. */
  children?: ComponentChildren;
}

/** The canvas of a flame graph. It shows what is zoomed, selected and searched, and follows pointer and keys. */
export function FlameCanvas({ name, testid, widths, rootLabel, boxes, pointed, onStage, children }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const hover = useSignal<Hover | null>(null);

  useLayoutEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const stage = new Stage(
      element,
      (id, window) => core.layout(id, { ...window, widths }),
      (id, failure) => callFailed(id, "draw the profile")(failure),
    );
    stage.onLayer = (laidOut) => (boxes.value = laidOut);
    onStage?.(stage);
    const point = (next: Hover | null) => {
      hover.value = next;
      if (pointed) pointed.value = next?.node ?? NONE;
    };
    const reveal = () => {
      const shown = tree.peek();
      if (shown && current.value !== ROOT)
        void core
          .node(shown.id, current.value)
          .then(({ depth }) => stage.reveal(depth), callFailed(shown.id, "show this frame"));
    };
    const stops = [
      effect(() => {
        colours.value;
        stage.palette = makePalette(readToken);
      }),
      effect(() => {
        const shown = tree.value;
        const view = {
          zoom: zoom.value,
          extent: widths === undefined ? extent.value : FULL,
          selected: selected.value,
          current: current.value,
          flags: flagsVersion.value,
        };
        stage.show(shown && { tree: shown, label: rootLabel(shown), ...view });
        point(null);
      }),
      effect(reveal),
      effect(() => {
        const covers = drawerOpen.value && widths === undefined && drawerCovers();
        const covered = covers && "top" in covers ? element.getBoundingClientRect().bottom - covers.top : 0;
        stage.covered = Math.max(covered, 0);
        if (covered > 0) untracked(reveal);
      }),
      effect(() => {
        stage.pointed = pointed?.value ?? NONE;
      }),
      attachGestures(element, gestures(stage, point, widths === undefined)),
      () => stage.destroy(),
    ];
    // The current frame is outlined for who uses keys, in a picture or in the search; not for who points.
    const keyboard = new AbortController();
    const { signal } = keyboard;
    const onPicture = () => document.activeElement?.matches("body, #search, .flame-picture canvas") ?? false;
    addEventListener("keydown", () => setTimeout(() => (stage.focused = onPicture())), { signal });
    addEventListener("pointerdown", () => (stage.focused = false), { signal });
    return () => {
      keyboard.abort();
      for (const stop of stops) stop();
    };
  }, []);

  return (
    <div class="flame-picture">
      {/* biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: the keys of the picture are its own, which is what this role says; a canvas has no role that it could lose. */}
      <canvas
        ref={canvas}
        tabIndex={0}
        role="application"
        aria-roledescription="flame graph"
        aria-label={`${name}. Arrow keys move between frames, Enter zooms, question mark lists all keys.`}
        data-testid={testid}
      />
      {children}
      <Tooltip hover={hover.value} info={tree.value} />
    </div>
  );
}

/** `free`: a part of the width can be seen alone. Of a side it cannot: the same part of the other has other frames. */
function gestures(stage: Stage, hover: (next: Hover | null) => void, free: boolean) {
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
      learnZoom();
      // It zooms and no more: what its first click selected, it takes back, unless details are on the screen anyway.
      if (!drawerOpen.peek()) void select(NONE);
      if (clicked.flags & Flag.Run && free) {
        // Several frames too small to draw: come close enough to tell them apart.
        const { x, width } = clicked;
        setExtent(fit(extent.peek(), x / stage.width, (x + Math.max(width, 1)) / stage.width));
      } else void zoomTo(clicked.node);
    },
    menu: (x: number, y: number, byKey: boolean) => {
      const box = byKey ? null : stage.hit(x, y);
      hover(null);
      if (!byKey && (!box || box.flags & Flag.Run)) return;
      const { left, top } = stage.canvas.getBoundingClientRect();
      void openFrameMenu(box?.node ?? null, left + x, top + y);
    },
    extent: (change: Parameters<Parameters<typeof attachGestures>[1]["extent"]>[0]) => {
      if (!free) return;
      const before = extent.peek();
      const next = change(before);
      if (next[0] !== before[0] || next[1] !== before[1]) setExtent(next);
    },
    scroll: (by: number) => stage.scrollBy(by),
    width: () => stage.width,
  };
}
