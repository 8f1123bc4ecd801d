/** Something that a person starts: whether it is under way, and what came of it. */
import { type ReadonlySignal, useSignal } from "@preact/signals";
import { trackWork } from "../settled.ts";
import { type Problem, problemOf } from "./problem.ts";
import { countUserRequest } from "./url/clock.ts";

export interface Action {
  running: ReadonlySignal<boolean>;
  /** What went wrong the last time. */
  problem: ReadonlySignal<Problem | null>;
  run: (act: () => Promise<unknown>) => Promise<void>;
}

/** `doing` completes "Could not …". */
export function useAction(doing: string): Action {
  const running = useSignal(false);
  const problem = useSignal<Problem | null>(null);
  const run = async (act: () => Promise<unknown>) => {
    countUserRequest();
    running.value = true;
    problem.value = null;
    try {
      await trackWork(act());
    } catch (failure) {
      problem.value = problemOf(failure, doing);
    }
    running.value = false;
  };
  return { running, problem, run };
}
