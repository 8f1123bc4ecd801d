import type { ComponentChildren } from "preact";
import { series } from "../../state/query/explore.ts";
import { span } from "../../state/query/services.ts";
import { urlState } from "../../state/url/router.ts";
import { axisTicks } from "../../time/axis.ts";
import type { Span } from "../../time/range.ts";
import { useWidth } from "../controls/width.ts";
import "../../style/timedchart.css";

/** What a chart below the timeline shows: the same time as that, or the part of it that is chosen. */
export function chartSpan(): Span {
  const { window } = urlState.value;
  const drawn = series.value;
  if (window || !drawn) return window ?? span.value;
  return { from: drawn.start, until: drawn.start + drawn.step * drawn.values.length };
}

/** Where a time is in a span, from 0 to 1. */
export const placeIn = ({ from, until }: Span, time: number) =>
  Math.min(1, Math.max(0, (time - from) / (until - from || 1)));

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
