/** The tree of one profile as the address wants it: after its steps, upside down or not, in the order of time, or of two parts of its time. */
import { computed, effect, untracked } from "@preact/signals";
import { CoreError } from "../../core/core.ts";
import { core } from "../../core/index.ts";
import { type Seconds, timeOf, timeStep } from "../../core/steps.ts";
import { coverageDiffers, resolveMeasure } from "../query/measure.ts";
import { urlState } from "../url/router.ts";
import type { Measure } from "../url/urlstate.ts";
import { type Drawing, redraw, type Subject, shown } from "./shown.ts";

interface Wanted {
  steps: string[];
  against: Seconds | null;
  /** What the two parts are compared by. */
  measure: Measure;
  invert: boolean;
  chart: boolean;
  thread: string;
}

/** As text, so that equal values are equal. A sandwich says by itself what is above and below. */
const wanted = computed(() => {
  const { steps, against, measure, invert, view, thread } = urlState.value;
  const chart = view === "chart";
  const wanted: Wanted = {
    steps,
    against,
    measure: against ? measure : "auto",
    invert: invert && view !== "sandwich" && !chart,
    chart,
    thread: chart ? thread : "",
  };
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
      return { ...(await draw(subject, { ...asked, steps: [], against: null })), drawn, stepProblem: failure.message };
    }
  };
}

type Drawn = Pick<Drawing, "tree" | "threads" | "thread" | "totals">;

async function draw(subject: Subject, asked: Wanted): Promise<Drawn> {
  const { profile, type, timed, division } = subject;
  if (asked.against) return drawParts(subject, asked, asked.against);
  if (!asked.chart || !timed) return { tree: await core.tree(profile, type, asked.steps, asked.invert, division) };
  const threads = await core.threads(profile, type);
  const thread = (threads.find(({ name }) => name === asked.thread) ?? threads[0])?.name ?? "";
  return { tree: await core.chart(profile, type, asked.steps, thread), threads, thread };
}

/** Two parts of the time against each other, each after the same other steps. */
async function drawParts({ profile, type }: Subject, asked: Wanted, against: Seconds): Promise<Drawn> {
  const base = await core.part(profile, asked.steps);
  try {
    const steps = asked.steps.map((step) => (timeOf(step) ? timeStep(against) : step));
    const other = await core.part(profile, steps);
    try {
      const totals = { base: base.profile.types[type], other: other.profile.types[type] };
      const differ = coverageDiffers(totals.base.total, totals.other.total);
      const share = resolveMeasure(asked.measure, differ, false) === "share";
      const tree = await core.diff(base.profile.id, other.profile.id, type, share);
      const unmatched = base.unmatched.filter((step) => other.unmatched.includes(step));
      return { tree: { ...tree, unmatched }, totals };
    } finally {
      void core.close(other.profile.id);
    }
  } finally {
    void core.close(base.profile.id);
  }
}

export function startDrawing(): void {
  effect(() => {
    if (shown.value.state === "ready" && !isCurrent.value) void untracked(redraw);
  });
}
