/**
 * The tree of a profile or a comparison as the address wants it: after its steps, upside down or not, in the order of time, or of
 * two parts of its time.
 */
import { computed, effect, untracked } from "@preact/signals";
import { CoreError } from "../../core/core.ts";
import { core } from "../../core/index.ts";
import { type Seconds, timeOf, timeStep } from "../../core/steps.ts";
import type { Thread, TreeInfo } from "../../core/types.ts";
import { coverageDiffers, lengthsDiffer, resolveMeasure } from "../query/measure.ts";
import { comparedTime } from "../url/comparedtime.ts";
import type { View } from "../url/route.ts";
import { fileRoute, pictureRoute } from "../url/router.ts";
import type { Measure } from "../url/values.ts";
import { type Draw, type Drawing, redraw, type Subject, shown } from "./shown.ts";

interface Wanted {
  steps: string[];
  against: Seconds | null;
  /** What the two parts are compared by. */
  measure: Measure;
  invert: boolean;
  chart: boolean;
  thread: string;
}

const UPRIGHT: View[] = ["sandwich", "chart", "graph"];

/** As text, so that equal values are equal. A sandwich and a graph say by themselves what is above and below. */
const wanted = computed(() => {
  const { steps, invert, view, thread } = pictureRoute.value;
  const { measure } = fileRoute.value;
  const chart = view === "chart";
  const against = comparedTime.value;
  const wanted: Wanted = {
    steps,
    against,
    measure: against ? measure : "auto",
    invert: invert && !UPRIGHT.includes(view),
    chart,
    thread: chart ? thread : "",
  };
  return JSON.stringify(wanted);
});

/** Whether the picture is what the address wants. */
export const isCurrent = computed(() => {
  const answer = shown.value;
  return answer.state === "ready" && (!answer.draw || answer.drawn === wanted.value);
});

/** What draws a profile, now and whenever the steps have changed. */
export function drawing(subject: Subject): Draw {
  return (first) => draw((asked) => drawProfile(subject, asked), first);
}

/** The same of a comparison: `compare` makes its tree. */
export function drawingComparison(compare: (steps: string[], invert: boolean) => Promise<TreeInfo>): Draw {
  return (first) => draw(async ({ steps, invert }) => ({ tree: await compare(steps, invert) }), first);
}

type Drawn = Pick<Drawing, "tree" | "threads" | "thread" | "totals">;

async function draw(make: (asked: Wanted) => Promise<Drawn>, first?: string[]): Promise<Drawing> {
  const drawn = wanted.peek();
  const asked = JSON.parse(drawn) as Wanted;
  // Of two parts of the time neither is what is seen.
  const steps = asked.against ? asked.steps.filter((step) => timeOf(step) === null) : asked.steps;
  if (first) return { ...(await drawUpright(make, asked, first)), drawn, steps, stepProblem: "" };
  try {
    return { ...(await make(asked)), drawn, steps, stepProblem: "" };
  } catch (failure) {
    if (asked.steps.length === 0 || !(failure instanceof CoreError) || failure.fatal) throw failure;
    // A link may have a step that cannot be taken. The profile is there all the same.
    return { ...(await make({ ...asked, steps: [], against: null })), drawn, steps: [], stepProblem: failure.message };
  }
}

/** What is on the screen, as a call tree after `first`. Steps that the picture could not take are not taken here either. */
function drawUpright(make: (asked: Wanted) => Promise<Drawn>, asked: Wanted, first: string[]): Promise<Drawn> {
  const answer = shown.peek();
  const refused = answer.state === "ready" && answer.stepProblem;
  const { steps, against } = refused ? { steps: [], against: null } : asked;
  return make({ ...asked, steps: [...first, ...steps], against, invert: false, chart: false });
}

async function drawProfile(subject: Subject, asked: Wanted): Promise<Drawn> {
  const { profile, type, timed, division } = subject;
  if (asked.against) return drawParts(subject, asked, asked.against);
  if (!asked.chart || !timed) return { tree: await core.tree(profile, type, asked.steps, asked.invert, division) };
  const threads = await core.threads(profile, type);
  const thread = (threads.find(({ name }) => name === asked.thread) ?? threads[0])?.name ?? "";
  const tree = await core.chart(profile, type, asked.steps, thread);
  // One that was chosen stays, whatever is left of it.
  if (hasFrames(tree) || (thread !== "" && thread === asked.thread)) return { tree, threads, thread };
  const other = await drawThreadWithSamples(subject, asked.steps, threads).catch((failure) => {
    void core.dropTree(tree.id);
    throw failure;
  });
  if (other) void core.dropTree(tree.id);
  return other ?? { tree, threads, thread };
}

const hasFrames = ({ nodes }: TreeInfo) => nodes > 1;

/** The chart of the first thread of which steps leave samples. */
async function drawThreadWithSamples(
  { profile, type }: Subject,
  steps: string[],
  threads: Thread[],
): Promise<Drawn | null> {
  const part = await core.part(profile, steps);
  const left = await core.threads(part.id, type).finally(() => void core.close(part.id));
  // One that is the only one of its name there has its ID behind it among all.
  for (const { name } of threads.filter(({ name }) => left.some((one) => name.startsWith(one.name)))) {
    const tree = await core.chart(profile, type, steps, name);
    if (hasFrames(tree)) return { tree, threads, thread: name };
    void core.dropTree(tree.id);
  }
  return null;
}

/** Two parts of the time against each other, each after the same other steps. */
async function drawParts({ profile, type }: Subject, asked: Wanted, against: Seconds): Promise<Drawn> {
  const { steps, measure, invert } = asked;
  const first = steps.findIndex((step) => timeOf(step) !== null);
  const own = timeOf(steps[first]) ?? against;
  const base = await core.part(profile, [steps[first]]);
  try {
    const other = await core.part(profile, [timeStep(against)]);
    try {
      const totals = { base: base.types[type], other: other.types[type] };
      const differ = lengthsDiffer(own, against) || coverageDiffers(totals.base.total, totals.other.total);
      const share = resolveMeasure(measure, differ, false) === "share";
      const others = steps.filter((_, i) => i !== first);
      const tree = await core.diff(base.id, other.id, type, share, others, invert);
      const unmatched = tree.unmatched.map((i) => (i < first ? i : i + 1));
      return { tree: { ...tree, unmatched }, totals };
    } finally {
      void core.close(other.id);
    }
  } finally {
    void core.close(base.id);
  }
}

export function startDrawing(): void {
  effect(() => {
    if (shown.value.state === "ready" && !isCurrent.value) void untracked(redraw);
  });
}
