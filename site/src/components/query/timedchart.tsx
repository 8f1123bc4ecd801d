import type { ComponentChildren } from "preact";
import { placeIn, type Span } from "../../time/range.ts";
import { axisTicks } from "../../time/ticks.ts";
import { useWidth } from "../controls/width.ts";
import "../../style/timedchart.css";

interface Props {
  span: Span;
  /** What the highest and the lowest value is. */
  top: string;
  bottom?: string;
  children: ComponentChildren;
}

/** A plot with its axes, as far from both edges as the plot of the timeline. */
export function TimedChart({ span, top, bottom = "0", children }: Props) {
  const { root, width } = useWidth();
  return (
    <div class="timed-chart">
      <p class="timed-values" aria-hidden="true">
        <span>{top}</span>
        <span>{bottom}</span>
      </p>
      <div class="timed-plot">{children}</div>
      <div class="timed-axis" ref={root} aria-hidden="true" data-testid="time-axis">
        {axisTicks(span, width.value).map(({ at, text }) => (
          <span key={at} style={{ left: `${placeIn(span, at) * 100}%` }} data-at={at}>
            {text}
          </span>
        ))}
      </div>
    </div>
  );
}
