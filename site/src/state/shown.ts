/** The tree on the screen, whatever it came from, and the work under way to replace it. */
import { batch, signal, type ReadonlySignal } from "@preact/signals";
import { core } from "../core/index.ts";
import type { TreeInfo } from "../core/types.ts";
import { problemOf, type Problem } from "./problem.ts";

export interface Ready {
  state: "ready";
  tree: TreeInfo;
  /** What the answer is made of, for the foot line. */
  facts: string[];
  warnings: string[];
  /** Profiles made for this tree alone, closed with it. */
  owned: number[];
  /** Profile that "Download pprof" writes; a difference has none. */
  exported: number | null;
  title: string;
}

export type Shown = { state: "none" } | { state: "empty" } | { state: "cancelled" } | { state: "error"; problem: Problem } | Ready;

export interface Work {
  stage: string;
  bytes: number;
  cancel: () => void;
}

export interface Progress {
  stage(text: string, bytes?: number): void;
  readonly signal: AbortSignal;
}

const current = signal<Shown>({ state: "none" });
const working = signal<Work | null>(null);
export const shown: ReadonlySignal<Shown> = current;
export const work: ReadonlySignal<Work | null> = working;

let running: AbortController | null = null;

/**
 * Runs a job and shows its answer. A new job stops the former one; until the answer is there the old picture stays.
 * `doing` completes "Could not …" should it fail.
 */
export async function show(doing: string, job: (progress: Progress) => Promise<Shown>): Promise<void> {
  running?.abort();
  const stop = new AbortController();
  running = stop;
  const cancel = () => {
    if (running !== stop) return;
    stop.abort();
    finish(current.peek().state === "ready" ? current.peek() : { state: "cancelled" });
  };
  const progress: Progress = {
    stage: (stage, bytes = 0) => {
      if (running === stop) working.value = { stage, bytes, cancel };
    },
    signal: stop.signal,
  };
  try {
    const answer = await job(progress);
    if (running === stop) finish(answer);
    else release(answer);
  } catch (failure) {
    if (running === stop) finish({ state: "error", problem: problemOf(failure, doing) });
  }
}

/** Takes everything off the screen. */
export function clear(): void {
  running?.abort();
  finish({ state: "none" });
}

function finish(next: Shown): void {
  const before = current.peek();
  running = null;
  batch(() => {
    current.value = next;
    working.value = null;
  });
  if (before !== next) release(before);
}

function release(shown: Shown): void {
  if (shown.state !== "ready") return;
  void core.dropTree(shown.tree.id);
  for (const profile of shown.owned) void core.close(profile);
}
