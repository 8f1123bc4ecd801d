import { computed, effect, signal, useComputed, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../../components/controls/icon.tsx";
import { ProblemNote } from "../../components/status/problemnote.tsx";
import type { Size } from "../../core/arrange.ts";
import { plural } from "../../format/value.ts";
import { attachMoves } from "../../graph/graphgestures.ts";
import { type Covered, fitted, moved, readable, rounded, showing, transformOf, zoomedAt } from "../../graph/window.ts";
import { drawerCovers, drawerOpen } from "../../state/profile/draweropen.ts";
import { announcement, tree } from "../../state/profile/focus.ts";
import {
  at,
  drawnGraph,
  followGraph,
  heaviest,
  moveInGraph,
  type Placed,
  placed,
} from "../../state/profile/graphlayout.ts";
import { moves } from "../../state/profile/instead.ts";
import { group } from "../../state/profile/stepchanges.ts";
import { go, pictureRoute } from "../../state/url/router.ts";
import type { GraphWindow } from "../../state/url/values.ts";
import { Drawing } from "./graphdrawing.tsx";
import { GraphTables } from "./tables.tsx";
import "../../style/graph.css";
import { Debounce } from "../../settled.ts";

/** Room around a node that is brought into view. */
const AROUND = 60;
/** A scale at which names are read. */
const CLOSE = 1;
const STEP = 1.3;

/** Functions as nodes, calls as edges. */
export function CallGraph() {
  const svg = useRef<SVGSVGElement>(null);
  const size = useSignal<Size>({ width: 0, height: 0 });
  const found = drawnGraph.value;
  const transform = useComputed(() => {
    const shown = drawnGraph.value;
    return shown ? transformOf(windowOf(shown, size.value), size.value) : "";
  });

  useEffect(() => {
    const element = svg.current;
    if (!element) return;
    const observer = new ResizeObserver(() => {
      size.value = { width: element.clientWidth, height: element.clientHeight };
    });
    observer.observe(element);
    const change = (next: (before: GraphWindow, shown: Placed) => GraphWindow) => {
      const shown = drawnGraph.peek();
      if (!shown) return;
      const before = windowOf(shown, size.peek());
      const after = next(before, shown);
      if (after.some((value, i) => value !== before[i])) setWindow(after);
    };
    const middle = () => ({ x: size.peek().width / 2, y: size.peek().height / 2 });
    const reveal = (closer: boolean) =>
      change((before, { places, labels }) => {
        const place = places.nodes[at.peek()];
        if (!place) return before;
        const [scale, x, y] = before;
        const { width, height } = labels[at.peek()];
        const next: GraphWindow = closer ? [Math.max(scale, CLOSE), place.x, place.y] : [scale, x, y];
        const room = { width: width + AROUND, height: height + AROUND };
        return showing(next, size.peek(), place, room, coveredIn(element));
      });
    moves.value = {
      move: (direction) => void moveInGraph(direction).then(() => reveal(false)),
      // Factors are of what is seen, as in the flame graph: less of it is closer.
      zoom: (factor) => change((before) => zoomedAt(before, size.peek(), middle(), 1 / factor)),
      approach: () => reveal(true),
      fit: () => change((_, { places }) => fitted(places, size.peek())),
    };
    const stops = [
      followUrl(),
      followGraph(() => reveal(false)),
      // It lies over the node that opened it.
      drawerOpen.subscribe((open) => open && reveal(false)),
      attachMoves(element, {
        move: (by) => change((before, { places }) => moved(before, places, by)),
        zoom: (at, factor) => change((before) => zoomedAt(before, size.peek(), at, factor)),
      }),
    ];
    return () => {
      observer.disconnect();
      moves.value = null;
      for (const stop of stops) stop();
    };
  }, []);

  const info = tree.value;
  const { problem } = placed.value;
  const count = found?.graph.nodes.length ?? 0;
  const label = `Call graph${found ? ` of ${plural(count, group.value)}` : ""}. Arrow keys move along calls, Space selects, Enter zooms in, question mark lists all keys.`;
  return (
    <section class="graph" aria-label="Call graph" data-testid="graph">
      <svg
        ref={svg}
        role="application"
        aria-roledescription="call graph"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it has keys.
        tabIndex={0}
        data-picture
        data-testid="graph-drawing"
      >
        <g transform={transform}>{found && info && <Drawing placed={found} info={info} />}</g>
      </svg>
      {problem && <ProblemNote problem={problem} />}
      {found && info && (
        <>
          <Tools />
          <p class="graph-note soft" data-testid="graph-note">
            {count === 0
              ? "Nothing is left to draw"
              : count < found.graph.functions
                ? `${count} of ${plural(found.graph.functions, group.value)}; small ones are left out`
                : plural(count, group.value)}
          </p>
          <GraphTables graph={found.graph} info={info} />
        </>
      )}
      <div class="hidden" aria-live="polite" data-testid="graph-current">
        {announcement}
      </div>
    </section>
  );
}

/** What the drawer covers of an element that is as wide as the window. */
function coveredIn(element: Element): Covered {
  const none = { left: 0, right: 0, bottom: 0 };
  if (!drawerOpen.peek()) return none;
  const covers = drawerCovers();
  if ("side" in covers) return { ...none, [covers.side]: covers.width };
  return { ...none, bottom: Math.max(0, element.getBoundingClientRect().bottom - covers.top) };
}

function Tools() {
  return (
    <div class="graph-tools">
      <button type="button" class="control icon-only" title="Zoom in (+)" onClick={() => moves.peek()?.zoom(1 / STEP)}>
        <Icon name="plus" />
      </button>
      <button type="button" class="control icon-only" title="Zoom out (-)" onClick={() => moves.peek()?.zoom(STEP)}>
        −
      </button>
      <button
        type="button"
        class="control"
        title="Fit all (0)"
        data-testid="graph-fit"
        onClick={() => moves.peek()?.fit()}
      >
        Fit
      </button>
    </div>
  );
}

/** What is seen; null for what can be read of it. While it is dragged it is ahead of the address. */
const seen = signal<GraphWindow | null>(null);
const committing = new Debounce();

function windowOf({ graph, places }: Placed, size: Size): GraphWindow {
  return seen.value ?? readable(places, size, places.nodes[heaviest(graph)] ?? { x: 0, y: 0 });
}

function setWindow(next: GraphWindow): void {
  seen.value = next;
  committing.set(() => go({ graph: rounded(next) }, "replace"), 250);
}

/** A signal of its own: a change of the rest of the address must not undo what is on its way there. */
const inUrl = computed(() => pictureRoute.value.graph);

function followUrl(): () => void {
  const stop = effect(() => {
    seen.value = inUrl.value;
    committing.clear();
  });
  return () => {
    stop();
    committing.clear();
  };
}
