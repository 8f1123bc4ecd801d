import { series } from "../../state/query/loadexplore.ts";
import { allMarks } from "../../state/query/shownmarks.ts";
import "../../state/query/annotations.ts";
import "../../state/query/versionmarks.ts";
import { formatClock } from "../../time/range.ts";
import "../../style/marks.css";

/** With more ticks than this their words would lie on each other. */
const MOST_WORDS = 6;

/** Ticks over the timeline, and the same as a list. */
export function Marks() {
  const drawn = series.value;
  if (!drawn) return null;
  const length = drawn.step * drawn.values.length;
  const seen = allMarks.value.filter(({ time }) => drawn.start <= time && time < drawn.start + length);
  if (seen.length === 0) return null;
  return (
    <ul class="timeline-marks" aria-label="New versions and annotations">
      {seen.map(({ time, text, url }) => {
        const at = (time - drawn.start) / length;
        return (
          <li
            key={`${time} ${text}`}
            class={at > 0.8 ? "left" : ""}
            style={{ left: `${at * 100}%` }}
            data-testid="timeline-mark"
          >
            <span class={seen.length > MOST_WORDS ? "hidden" : ""} title={text}>
              {url ? (
                <a href={url} target="_blank" rel="noreferrer">
                  {text}
                </a>
              ) : (
                text
              )}
            </span>
            <span class="hidden"> from {formatClock(time)}</span>
          </li>
        );
      })}
    </ul>
  );
}
