/** Instants of a timeline that are worth a word. */
import type { Series } from "./series.ts";

export interface Mark {
  time: number;
  text: string;
  /** Of a version: how long the step is in which it began, and until when others ran beside it, if they did. */
  step?: number;
  sharedUntil?: number;
  /** Of a version that ended while others went on, and was never seen without them: no step is its own. */
  isGone?: boolean;
  /** Of a version that has run before. */
  isBack?: boolean;
  /** A page about it. */
  url?: string;
}

/** What is to be said of a bucket. */
export function marksIn(marks: Mark[], { start, step }: Pick<Series, "start" | "step">, index: number): string {
  const from = start + index * step;
  const found = marks.filter(({ time }) => from <= time && time < from + step);
  return found.map(({ text }) => text).join(", ");
}
