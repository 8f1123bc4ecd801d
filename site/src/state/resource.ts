import { computed, effect, type ReadonlySignal, signal } from "@preact/signals";
import { trackWork } from "../settled.ts";
import { type Problem, problemOf } from "./problem.ts";
import { known } from "./query/place.ts";

/** Something loaded. While it loads again the former value stays, so that nothing jumps; also when that fails. */
export interface Loaded<T> {
  state: "idle" | "loading" | "ready" | "error";
  value?: T;
  problem?: Problem;
}

/**
 * Loads whenever what is asked changes (by value), and only the last question's answer counts.
 * `ask` returns null when there is nothing to load now. After a failure a former value stays only if it is of the same
 * `subject`: that of another would be taken for what was asked. `former` says whether it stays while another subject loads.
 */
export function resource<Q, T>(
  doing: string,
  ask: () => Q | null,
  load: (question: Q, signal: AbortSignal) => Promise<T>,
  subject: (question: Q) => string = () => "",
  former: "kept" | "dropped" = "kept",
): ReadonlySignal<Loaded<T>> {
  let subjectLoaded = "";
  const loaded = signal<Loaded<T>>({ state: "idle" });
  const question = computed(() => JSON.stringify(known.value ? ask() : null));
  effect(() => {
    const asked = JSON.parse(question.value) as Q | null;
    const stop = new AbortController();
    void trackWork(run(asked, stop.signal));
    return () => stop.abort();
  });
  return loaded;

  async function run(asked: Q | null, stopped: AbortSignal) {
    if (asked === null) {
      loaded.value = { state: "idle" };
      return;
    }
    const another = former === "dropped" && subject(asked) !== subjectLoaded;
    loaded.value = { state: "loading", value: another ? undefined : loaded.peek().value };
    try {
      const value = await load(asked, stopped);
      if (stopped.aborted) return;
      subjectLoaded = subject(asked);
      loaded.value = { state: "ready", value };
    } catch (failure) {
      if (stopped.aborted) return;
      const value = subject(asked) === subjectLoaded ? loaded.peek().value : undefined;
      loaded.value = { state: "error", value, problem: problemOf(failure, doing) };
    }
  }
}
