import { useComputed, useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { lazy } from "../components/lazy.tsx";
import type { Boxes } from "../core/boxes.ts";
import { ROOT, type TreeInfo } from "../core/types.ts";
import { isFull } from "../flame/extent.ts";
import type { SeenRows } from "../flame/minimapwindow.ts";
import { ROW } from "../flame/paint.ts";
import type { Stage } from "../flame/stage.ts";
import { rootLabel, totalOf } from "../format/total.ts";
import { announcement, extent, tree, zoom } from "../state/profile/focus.ts";
import { shown } from "../state/profile/shown.ts";
import { pictureRoute } from "../state/url/router.ts";
import { FlameCanvas } from "./flamecanvas.tsx";
import { FrameList } from "./framelist.tsx";

const ChartAxis = lazy(() => import("./axis.tsx").then((module) => module.ChartAxis));
const Minimap = lazy(() => import("./minimap/minimap.tsx").then((module) => module.Minimap));

/** The flame graph: a canvas, what it says under the pointer, and the same frames as a list for who cannot see it. */
export function Flame() {
  const boxes = useSignal<Boxes | null>(null);
  const rows = useSignal<SeenRows>({ first: 0, count: Infinity, room: Infinity });
  const partial = useComputed(() => {
    const info = tree.value;
    return info !== null && (zoom.value !== ROOT || !isFull(extent.value) || info.depth > rows.value.room);
  });
  const scrollTo = useRef<(row: number) => void>(() => {});
  const follow = (stage: Stage) => {
    stage.onRows = (scroll, height) => {
      const minimap = stage.canvas.closest(".flame")?.querySelector(".minimap");
      const room = (height + (minimap?.clientHeight ?? 0)) / ROW;
      rows.value = { first: scroll / ROW, count: height / ROW, room };
    };
    // It has its size by now.
    stage.onRows(stage.scroll, stage.canvas.clientHeight);
    scrollTo.current = (row) => stage.scrollTo(row * ROW);
  };

  const info = tree.value;
  const nothing = info && whyNothing(info);
  return (
    <section class="flame" aria-label="Flame graph">
      {typeof info?.start === "number" && <ChartAxis />}
      <FlameCanvas
        name={`Flame graph${info ? ` of ${info.type}, ${totalOf(info)}` : ""}`}
        testid="flame"
        rootLabel={rootLabel}
        boxes={boxes}
        onStage={follow}
      >
        {nothing && (
          <p class="hint nothing-drawn" data-testid="nothing">
            {nothing}
          </p>
        )}
      </FlameCanvas>
      {partial.value && <Minimap rows={rows} scrollTo={(row) => scrollTo.current(row)} />}
      <div class="hidden" aria-live="polite" data-testid="current-frame">
        {announcement}
      </div>
      <FrameList boxes={boxes} info={info} />
    </section>
  );
}

/** Why there is nothing to draw; null where there is something. */
function whyNothing({ nodes, diff, total, left }: TreeInfo): string | null {
  const thread = shown.value.state === "ready" && shown.value.thread;
  if (nodes === 1 && thread && left?.total) return `${thread} has no samples that match the filters.`;
  if (nodes === 1)
    return pictureRoute.value.steps.length > 0 ? "No stacks match the filters." : "No sample has a value of this type.";
  if (diff || total > 0) return null;
  return `The total is ${total < 0 ? "negative" : "zero"}, so there is no flame graph. See the table.`;
}
