import { computed, effect, signal, type ReadonlySignal } from "@preact/signals";
import { problemOf, type Problem } from "./problem.ts";

/** Something loaded. While it loads again or fails, the former value stays, so that nothing jumps. */
export interface Loaded<T> {
  state: "idle" | "loading" | "ready" | "error";
  value?: T;
  problem?: Problem;
}

/**
 * Loads whenever what is asked changes (by value), and only the last question's answer counts.
 * `ask` returns null when there is nothing to load now.
 */
export function resource<Q, T>(
  doing: string,
  ask: () => Q | null,
  load: (question: Q, signal: AbortSignal) => Promise<T>,
  options: { keep?: boolean } = {},
): ReadonlySignal<Loaded<T>> {
  const { keep = true } = options;
  const loaded = signal<Loaded<T>>({ state: "idle" });
  const question = computed(() => JSON.stringify(ask()));
  effect(() => {
    const asked = JSON.parse(question.value) as Q | null;
    const stop = new AbortController();
    void run(asked, stop.signal);
    return () => stop.abort();
  });
  return loaded;

  async function run(asked: Q | null, stopped: AbortSignal) {
    if (asked === null) return void (loaded.value = { state: "idle" });
    loaded.value = { state: "loading", value: keep ? loaded.peek().value : undefined };
    try {
      const value = await load(asked, stopped);
      if (!stopped.aborted) loaded.value = { state: "ready", value };
    } catch (failure) {
      if (!stopped.aborted) loaded.value = { state: "error", value: loaded.peek().value, problem: problemOf(failure, doing) };
    }
  }
}
