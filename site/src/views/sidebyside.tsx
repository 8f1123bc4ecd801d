import { type Signal, useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Boxes } from "../core/boxes.ts";
import { type DiffTotals, NONE, ROOT, type TreeInfo, type Widths } from "../core/types.ts";
import type { Stage } from "../flame/stage.ts";
import { formatValue } from "../format/value.ts";
import { announcement, zoom, zoomedDetail } from "../state/profile/focus.ts";
import { sideTotals } from "../state/profile/sidetotals.ts";
import { SIDE_TITLES } from "../state/query/sides.ts";
import { pictureRoute } from "../state/url/router.ts";
import type { SideName } from "../state/url/values.ts";
import { FlameCanvas } from "./flamecanvas.tsx";
import { FrameList } from "./framelist.tsx";
import "../style/sidebyside.css";

const HEADINGS: Record<SideName, string> = { base: "Baseline", other: "Comparison" };
const WIDTHS: Record<SideName, Widths> = { base: "base", other: "comparison" };

/**
 * Both sides of a comparison as a flame graph each, of the same frames: as wide as what they have of their own side. What is
 * zoomed, seen and selected in one, is in both; they scroll together.
 */
export function SideBySide({ info, diff }: { info: TreeInfo; diff: DiffTotals }) {
  const pointed = useSignal(NONE);
  const stages = useRef<Stage[]>([]);
  const scrollTogether = (stage: Stage) => {
    stages.current.push(stage);
    stage.onRows = (scroll) => {
      for (const other of stages.current) if (other !== stage) other.scrollTo(scroll);
    };
  };
  const side = (name: SideName) => (
    <Side name={name} info={info} diff={diff} pointed={pointed} onStage={scrollTogether} />
  );
  return (
    <section class="side-by-side" aria-label="Side by side" data-testid="side-by-side">
      {side("base")}
      {side("other")}
      <div class="hidden" aria-live="polite" data-testid="current-frame">
        {announcement}
      </div>
    </section>
  );
}

interface Props {
  name: SideName;
  info: TreeInfo;
  diff: DiffTotals;
  pointed: Signal<number>;
  onStage: (stage: Stage) => void;
}

function Side({ name, info, diff, pointed, onStage }: Props) {
  const boxes = useSignal<Boxes | null>(null);
  const { [name]: total, unit, exact } = sideTotals(info, diff);
  const amount = `${info.average ? "average " : ""}${formatValue(total, unit)}`;
  const nothing = nothingDrawn(name, diff);
  return (
    <section class="one-side" aria-label={HEADINGS[name]}>
      <h2 title={exact[name]} data-testid={`heading-${name}`}>
        {HEADINGS[name]} <span>{amount}</span>
      </h2>
      <FlameCanvas
        name={`Flame graph of the ${SIDE_TITLES[name]}, ${info.type}, ${amount}`}
        testid={`flame-${name}`}
        widths={WIDTHS[name]}
        rootLabel={rootLabelOf(name)}
        boxes={boxes}
        pointed={pointed}
        onStage={onStage}
      >
        {nothing && (
          <p class="hint nothing-drawn" data-testid={`nothing-${name}`}>
            {nothing}
          </p>
        )}
      </FlameCanvas>
      <FrameList boxes={boxes} info={info} title={HEADINGS[name]} testid={`frames-${name}`} />
    </section>
  );
}

/** What the root of a side says: all there is on it. */
function rootLabelOf(name: SideName): (tree: TreeInfo) => string {
  return (tree) => {
    if (!tree.diff) return "";
    const { [name]: total, unit } = sideTotals(tree, tree.diff);
    return `${tree.average ? "average" : "total"} ${formatValue(total, unit)}`;
  };
}

/** Why a side is empty; nothing where it is not. */
function nothingDrawn(name: SideName, diff: DiffTotals): string | null {
  const side = SIDE_TITLES[name];
  const [whole, key] =
    name === "base" ? [diff.base, "base_total" as const] : [diff.comparison, "comparison_total" as const];
  if (whole <= 0)
    return pictureRoute.value.steps.length > 0
      ? `No stacks of the ${side} match the filters.`
      : `The ${side} is empty.`;
  const detail = zoomedDetail.value.value;
  if (zoom.value === ROOT || detail?.node !== zoom.value || !detail.diff) return null;
  return detail.diff[key] > 0 ? null : `This frame is not in the ${side}.`;
}
