/** The tree of one profile as the address wants it: after its steps, upside down or not, or in the order of time. */
import { computed, effect, untracked } from "@preact/signals";
import { CoreError } from "../../core/core.ts";
import { core } from "../../core/index.ts";
import { urlState } from "../url/router.ts";
import type { View } from "../url/urlstate.ts";
import { type Drawing, redraw, type Subject, shown } from "./shown.ts";

interface Wanted {
  steps: string[];
  invert: boolean;
  chart: boolean;
  thread: string;
}

const UPRIGHT: View[] = ["sandwich", "chart", "graph"];

/** As text, so that equal values are equal. A sandwich and a graph say by themselves what is above and below. */
const wanted = computed(() => {
  const { steps, invert, view, thread } = urlState.value;
  const chart = view === "chart";
  const wanted: Wanted = { steps, invert: invert && !UPRIGHT.includes(view), chart, thread: chart ? thread : "" };
  return JSON.stringify(wanted);
});

/** Whether the picture is what the address wants. What takes no steps always is. */
export const isCurrent = computed(() => {
  const answer = shown.value;
  return answer.state === "ready" && (!answer.draw || answer.drawn === wanted.value);
});

/** What draws a profile, now and whenever the steps have changed. */
export function drawing(subject: Subject): () => Promise<Drawing> {
  return async () => {
    const drawn = wanted.peek();
    const asked = JSON.parse(drawn) as Wanted;
    try {
      return { ...(await draw(subject, asked)), drawn, stepProblem: "" };
    } catch (failure) {
      if (asked.steps.length === 0 || !(failure instanceof CoreError) || failure.fatal) throw failure;
      // A link may have a step that cannot be taken. The profile is there all the same.
      return { ...(await draw(subject, { ...asked, steps: [] })), drawn, stepProblem: failure.message };
    }
  };
}

async function draw(subject: Subject, asked: Wanted): Promise<Pick<Drawing, "tree" | "threads" | "thread">> {
  const { profile, type, timed, division } = subject;
  if (!asked.chart || !timed) return { tree: await core.tree(profile, type, asked.steps, asked.invert, division) };
  const threads = await core.threads(profile, type);
  const thread = (threads.find(({ name }) => name === asked.thread) ?? threads[0])?.name ?? "";
  return { tree: await core.chart(profile, type, asked.steps, thread), threads, thread };
}

export function startDrawing(): void {
  effect(() => {
    if (shown.value.state === "ready" && !isCurrent.value) void untracked(redraw);
  });
}
