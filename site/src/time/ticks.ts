/** An axis of times of day: the same ticks below every chart that shows the same span. */
import { type Span, tickLabels } from "./range.ts";
import { wallClock } from "./zone.ts";

const [MINUTE, HOUR, DAY, WEEK] = [60_000, 3_600_000, 86_400_000, 604_800_000];
/** Steps between ticks that people count in. */
const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1000),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
  ...[DAY, 2 * DAY, WEEK, 2 * WEEK],
];
/** Months between ticks, where weeks are too many. */
const MONTHS = [1, 2, 3, 6, 12, 24, 60, 120];
const MONTH = 30.4 * DAY;
/** 1970 began on a Thursday, weeks begin on Mondays. */
const FIRST_MONDAY = 4 * DAY;

/** A letter of a tick; "08:30" then has a little room. */
const LETTER_WIDTH = 6.8;
/** Pixels between ticks; those with a date are longer. */
const TICK_SPACE = 50;
const DATED_TICK_SPACE = 84;

/** The shortest step between ticks that leaves at most so many. */
export function clockStep({ from, until }: Span, most: number): number {
  const least = (until - from) / Math.max(1, most);
  const months = MONTHS.find((months) => months * MONTH >= least) ?? Math.ceil(least / MONTH / 120) * 120;
  return STEPS.find((step) => step >= least) ?? months * MONTH;
}

/** The times in a span at which a step of `clockStep` begins, as clocks of the chosen zone show them. */
export function clockTicks({ from, until }: Span, step: number): number[] {
  const wall = (time: number) => wallClock(time).getTime();
  // Where the clock is put forward or back, the offset of the shown time counts.
  const timeOf = (shown: number) => {
    const near = shown - (wall(from) - from);
    return shown - (wall(near) - near);
  };
  const shown =
    step > STEPS[STEPS.length - 1] ? months(wall(from), wall(until), step) : even(wall(from), wall(until), step);
  return shown.map(timeOf).filter((time) => from <= time && time <= until);
}

function even(from: number, until: number, step: number): number[] {
  const offset = step >= WEEK ? FIRST_MONDAY : 0;
  const first = Math.ceil((from - offset) / step);
  const last = Math.floor((until - offset) / step);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => (first + i) * step + offset);
}

function months(from: number, until: number, step: number): number[] {
  const each = Math.round(step / MONTH);
  const monthOf = (time: number) => (new Date(time).getUTCFullYear() - 1970) * 12 + new Date(time).getUTCMonth();
  const first = Math.ceil(monthOf(from) / each);
  const last = Math.floor(monthOf(until) / each);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => Date.UTC(1970, (first + i) * each));
}

export interface Tick {
  at: number;
  /** Empty where there is no room. */
  text: string;
}

/** The ticks of an axis that is so many pixels wide, with words that stay inside. */
export function axisTicks(span: Span, width: number): Tick[] {
  const length = span.until - span.from;
  if (!(length > 0) || !(width > 0)) return [];
  const dated = length >= DAY;
  const step = clockStep(span, Math.floor(width / (dated ? DATED_TICK_SPACE : TICK_SPACE)));
  const times = clockTicks(span, step);
  // Half a word at the edge helps nobody.
  const fits = (seconds: number, text: string) => {
    const [x, half] = [((seconds * 1000 - span.from) / length) * width, (text.length * LETTER_WIDTH) / 2];
    return x > half && x < width - half;
  };
  const labels = tickLabels(
    times.map((time) => time / 1000),
    step / 1000,
    dated,
    fits,
  );
  return times.map((at, i) => ({ at, text: labels[i] }));
}
