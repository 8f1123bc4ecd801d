/** Ticks over a timeline. */
import type { Mark } from "../../time/marks.ts";
import { bucketLabel, formatClock } from "../../time/range.ts";
import type { Series } from "../../time/series.ts";
import "../../style/marks.css";

/** With more ticks than this their words would lie on each other. */
const MOST_WORDS = 6;

/** From there on words stand left of their tick. */
const LEFT_FROM = 0.8;

/** How much of the width each of these ticks has for its words, so that none lie on another's. */
function rooms(places: number[]): number[] {
  const isLeft = (place: number) => place > LEFT_FROM;
  return places.map((place, i) => {
    const [before, after] = [places[i - 1] ?? 0, places[i + 1] ?? 1];
    if (isLeft(place)) return (place - before) / (i > 0 && !isLeft(before) ? 2 : 1);
    return (after - place) / (i + 1 < places.length && isLeft(after) ? 2 : 1);
  });
}

/** Ticks over a series, and the same as a list. */
export function Marks({ series: { start, step, values }, marks }: { series: Series; marks: Mark[] }) {
  const length = step * values.length;
  const seen = marks.filter(({ time }) => start <= time && time < start + length);
  if (seen.length === 0) return null;
  const places = seen.map(({ time }) => (time - start) / length);
  const room = rooms(places);
  return (
    <ul class="timeline-marks" aria-label="New versions and annotations">
      {seen.map(({ time, text, url, step = 0 }, i) => {
        return (
          <li
            key={`${time} ${text}`}
            class={places[i] > LEFT_FROM ? "left" : ""}
            style={{ left: `${places[i] * 100}%`, "--room": `${room[i] * 100}cqw` }}
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
            <span class="hidden">
              {step > 60_000
                ? ` between ${bucketLabel({ from: time, until: time + step }).replace(" – ", " and ")}`
                : ` from ${formatClock(time)}`}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
