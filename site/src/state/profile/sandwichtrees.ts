/** The trees of the sandwich: what calls a function, and what it calls. */
import { computed, effect, type ReadonlySignal, signal } from "@preact/signals";
import { core } from "../../core/index.ts";
import type { Sandwich } from "../../core/types.ts";
import { pictureRoute } from "../url/router.ts";
import { isCurrent } from "./draw.ts";
import { tree } from "./focus.ts";
import { callFailed, isShown } from "./shown.ts";

interface Found extends Sandwich {
  name: string;
}

const found = signal<Found | null>(null);
/** The last one stays until the next is there. */
export const sandwich: ReadonlySignal<Found | null> = found;

const asked = computed(() => {
  const { view, sandwich: name } = pictureRoute.value;
  const info = tree.value;
  const ready = view === "sandwich" && name !== null && info !== null && isShown(info.id) && isCurrent.value;
  return JSON.stringify(ready ? { tree: info.id, name } : null);
});
/** Whether a sandwich is looked at at all. */
const wanted = computed(() => pictureRoute.value.view === "sandwich" && pictureRoute.value.sandwich !== null);

export function startSandwich(): void {
  effect(() => {
    const question = JSON.parse(asked.value) as { tree: number; name: string } | null;
    if (!question) return;
    const stop = new AbortController();
    void core
      .sandwich(question.tree, question.name)
      .then(
        (made) => (stop.signal.aborted ? drop(made) : replace({ name: question.name, ...made })),
        callFailed(question.tree, "find the callers of this function"),
      );
    return () => stop.abort();
  });
  effect(() => {
    if (!wanted.value) replace(null);
  });
}

function replace(next: Found | null): void {
  const before = found.peek();
  found.value = next;
  if (before) drop(before);
}

function drop({ callers, callees }: Sandwich): void {
  void core.dropTree(callers.id);
  void core.dropTree(callees.id);
}
