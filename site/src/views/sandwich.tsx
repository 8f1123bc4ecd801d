import { effect, useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { type Box, type Boxes, Flag } from "../core/boxes.ts";
import { core } from "../core/index.ts";
import { NONE, ROOT, type TreeInfo } from "../core/types.ts";
import { FULL } from "../flame/extent.ts";
import { attachGestures } from "../flame/flamegestures.ts";
import { baseName } from "../flame/framelabel.ts";
import { makePalette } from "../flame/palette.ts";
import { Stage } from "../flame/stage.ts";
import { percent } from "../format/number.ts";
import { formatValue, unitOf } from "../format/value.ts";
import { reportFailure } from "../state/page/failure.ts";
import { colours, readToken } from "../state/page/theme.ts";
import { drawerOpen } from "../state/profile/draweropen.ts";
import { select, selected, tree } from "../state/profile/focus.ts";
import { useHeaviest } from "../state/profile/heaviest.ts";
import { openFrameMenu } from "../state/profile/menuframe.ts";
import { sandwich } from "../state/profile/sandwichtrees.ts";
import { group, sandwichOf } from "../state/profile/stepchanges.ts";
import { go, pictureRoute } from "../state/url/router.ts";
import { FrameList } from "./framelist.tsx";
import { type Hover, Tooltip } from "./tooltip.tsx";

/** Callers of a function above it, callees below. */
export function Sandwich() {
  const { sandwich: name } = pictureRoute.value;
  const found = sandwich.value;
  useHeaviest(name !== null, (row) => go({ sandwich: row.name }, "replace"));
  if (name === null) {
    return (
      <section class="sandwich" aria-label="Sandwich">
        <p class="hint pad">Choose a {group.value} in the list, or press b on a frame.</p>
      </section>
    );
  }
  if (!found) return <section class="sandwich" aria-label="Sandwich" />;
  const { callers, callees } = found;
  if (callers.nodes === 1) {
    return (
      <section class="sandwich" aria-label="Sandwich">
        <p class="hint pad">
          No {group.value} here is named “{found.name}”.
        </p>
      </section>
    );
  }
  return (
    <section
      class="sandwich"
      aria-label={`Sandwich of ${found.name}`}
      data-testid="sandwich"
      // Each half gets the height that its depth needs of what there is.
      style={{ "--callers": `${callers.depth}fr`, "--callees": `${callees.depth}fr` }}
    >
      <h2 title={found.name}>
        <span>{baseName(found.name)}</span> {totalOf(callers)}
      </h2>
      <h3>Callers</h3>
      <Half info={callers} title={`Callers of ${found.name}`} testid="callers" flipped />
      <h3>Callees</h3>
      <Half info={callees} title={`Callees of ${found.name}`} testid="callees" />
    </section>
  );
}

function totalOf(info: TreeInfo): string {
  const { diff, total, whole } = info;
  const unit = unitOf(info);
  if (diff) return `${formatValue(diff.base, unit)} → ${formatValue(diff.comparison, unit)}`;
  return `${formatValue(total, unit)} · ${percent(whole > 0 ? total / whole : 0)}`;
}

/** A flame graph from the function on. A click selects a function, a double-click looks at it from both sides. */
function Half(props: { info: TreeInfo; title: string; testid: string; flipped?: boolean }) {
  const { info, title, testid, flipped = false } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const shown = useSignal(info);
  const extent = useSignal(FULL);
  const hover = useSignal<Hover | null>(null);
  const boxes = useSignal<Boxes | null>(null);
  useEffect(() => {
    shown.value = info;
  }, [info]);

  useLayoutEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const isShown = (id: number) => shown.peek().id === id;
    const fail = (id: number, failure: unknown) => isShown(id) && reportFailure(failure, "draw the callers");
    const stage = new Stage(element, core.layout, fail, { first: 1, flipped });
    stage.onLayer = (laidOut) => (boxes.value = laidOut);
    let clicked: Box | null = null;
    const stops = [
      effect(() => {
        colours.value;
        stage.palette = makePalette(readToken);
      }),
      effect(() => {
        if (stage.tree !== shown.value.id) extent.value = FULL;
        const none = { selected: NONE, current: NONE, flags: 0 };
        stage.show({ tree: shown.value, label: "", zoom: ROOT, extent: extent.value, ...none });
        hover.value = null;
      }),
      attachGestures(element, {
        hover: (x, y) => {
          const box = stage.hit(x, y);
          element.style.cursor = box ? "pointer" : "";
          hover.value = box && { x, y, node: box.node, run: (box.flags & Flag.Run) !== 0 };
        },
        leave: () => (hover.value = null),
        click: (x, y) => {
          clicked = stage.hit(x, y);
          hover.value = null;
          if (clicked) void selectFunction(shown.peek(), clicked.node);
        },
        doubleClick: () => {
          if (!clicked) return;
          if (!drawerOpen.peek()) void select(NONE);
          void core.node(shown.peek().id, clicked.node).then(({ name }) => sandwichOf(name));
        },
        menu: (x, y, byKey) => {
          const box = byKey ? null : stage.hit(x, y);
          hover.value = null;
          if (!box || box.flags & Flag.Run) return;
          const { left, top } = element.getBoundingClientRect();
          void frameOf(shown.peek(), box.node).then((frame) => openFrameMenu(frame, left + x, top + y));
        },
        extent: (change) => (extent.value = change(extent.peek())),
        scroll: (by) => stage.scrollBy(by),
        width: () => stage.width,
      }),
      () => stage.destroy(),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);

  return (
    <div class="half">
      <canvas ref={canvas} role="img" aria-label={title} data-testid={`${testid}-canvas`} />
      <Tooltip hover={hover.value} info={info} />
      <FrameList boxes={boxes} info={info} testid={testid} title={title} />
    </div>
  );
}

/** Selects the largest frame of a function in the tree that the sandwich is of. */
async function selectFunction(half: TreeInfo, node: number): Promise<void> {
  const frame = await frameOf(half, node);
  if (frame !== null && frame !== selected.peek()) await select(frame);
}

/** The largest frame of a function in the tree that the sandwich is of: functions have the same numbers there. */
async function frameOf(half: TreeInfo, node: number): Promise<number | null> {
  const whole = tree.peek();
  if (!whole) return null;
  const { func } = await core.node(half.id, node);
  return core.nodeOf(whole.id, func);
}
