/** A change of the load of a service, and how large it is. */
import type { Span } from "./range.ts";

export interface LoadChange {
  kind: "deploy" | "level" | "trend" | "spike";
  /**
   * From when to when, in Unix milliseconds: a deploy and a level last until the last profile or the next deploy; a trend has
   * the second half of the time with profiles.
   */
  from: number;
  until: number;
  /** When it began, as what a step at its begin has of both tells, to a quarter of a step; `from` is the first step without. */
  moment: number;
  /** The time before it, which it is held against: from `since` until it, or until a step that has a part of both. */
  since: number;
  beforeUntil: number;
  /** Load before it, for each step with profiles; of a spike, of as many as it has. In the unit of the values. */
  before: number;
  /** Its own load. */
  after: number;
  /**
   * Of a spike: how long it was, in milliseconds, rounded to steps; its edge steps count in part. Of a deploy: how long its
   * version ran, if the next one brought the load back.
   */
  lasted?: number;
  /** Of a deploy: when the first step begins that has its version alone, after a rollout. */
  alone?: number;
  /** Of a spike: from when to when it was, with the parts of its edge steps, which its load is without. */
  extent?: Span;
  /** Of a spike of many steps: the load after it, where that is nearly the one before it, and yet clearly another. */
  rest?: number;
  /** Of a deploy: the version that began, and the one before it. */
  versions: { before: string; after: string } | null;
}

/** How many times as much as before it is. */
export function changeRatio({ before, after }: Pick<LoadChange, "before" | "after">): number {
  return before === 0 ? Number.POSITIVE_INFINITY : after / before;
}
