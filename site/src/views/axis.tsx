import { useWidth } from "../components/controls/width.ts";
import { core } from "../core/index.ts";
import type { Seconds } from "../core/steps.ts";
import { ROOT } from "../core/types.ts";
import { extent, tree, zoom } from "../state/profile/focus.ts";
import { resource } from "../state/resource.ts";
import { formatMoment, ticks } from "../time/moment.ts";

/** Pixels that a tick and its words take at least. */
const TICK_WIDTH = 72;

/** Times between two points, as wide as what stands below. What it says, the picture says to others frame by frame. */
export function Axis({ from, until }: { from: number; until: number }) {
  const { root, width } = useWidth();
  const length = until - from;
  const place = (at: number) => (at - from) / length;
  // A tick at the right edge has no room for its words.
  const fits = (at: number) => (1 - place(at)) * width.value >= TICK_WIDTH * 0.8;
  return (
    <div class="axis" ref={root} aria-hidden="true" data-testid="axis">
      {length > 0 &&
        ticks(from, until, Math.floor(width.value / TICK_WIDTH)).map(({ at, step }) => (
          <span key={at} style={{ left: `${place(at) * 100}%` }}>
            {fits(at) && formatMoment(at, step)}
          </span>
        ))}
    </div>
  );
}

/** Of a chart: when what is zoomed to begins and ends. */
const zoomed = resource(
  "find when this frame ran",
  () => {
    const chart = tree.value;
    if (!chart || typeof chart.start !== "number") return null;
    return { id: chart.id, start: chart.start, total: chart.total, zoom: zoom.value };
  },
  async ({ id, start, total, zoom }): Promise<Seconds> => {
    const node = zoom === ROOT ? { start, total } : await core.node(id, zoom);
    const begin = node.start ?? 0;
    return [begin, begin + node.total / 1e9];
  },
);

/** The time that is seen of a chart, in seconds since the profile began; null of other pictures. */
export function seenTime(): Seconds | null {
  const span = zoomed.value.value;
  if (!span || typeof tree.value?.start !== "number") return null;
  const [x0, x1] = extent.value;
  const length = span[1] - span[0];
  return [span[0] + x0 * length, span[0] + x1 * length];
}

/** The axis of a chart, of the part that is seen. */
export function ChartAxis() {
  const seen = seenTime();
  return seen ? <Axis from={seen[0]} until={seen[1]} /> : <div class="axis" />;
}
