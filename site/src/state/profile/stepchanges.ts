/** What a person does to the steps of the address. Each change is one that the Back button takes back. */
import { computed } from "@preact/signals";
import { core } from "../../core/index.ts";
import {
  argumentOf,
  GROUPS,
  type Group,
  type PatternVerb,
  type Seconds,
  stepOf,
  type TagFrameVerb,
  timeAmong,
  timeOf,
  timeStep,
  verbOf,
} from "../../core/steps.ts";
import { NONE, ROOT } from "../../core/types.ts";
import { FULL } from "../../flame/extent.ts";
import { notify } from "../page/notice.ts";
import type { Picture, View } from "../url/route.ts";
import { fileRoute, go, pictureRoute, redo, undo } from "../url/router.ts";
import { current, inTurn, keySteps } from "./focus.ts";
import { shown } from "./shown.ts";

/** A picture that can be drawn again takes steps. */
export const takesSteps = computed(() => shown.value.state === "ready" && shown.value.draw !== undefined);

/** The steps that the picture shows; none where they could not be taken. */
export const takenSteps = computed((): string[] => (shown.value.state === "ready" && shown.value.steps) || []);

/** What another tree of frames of its own resets, as a chart has it. */
const TURNED: Partial<Picture> = { zoom: null, extent: [...FULL], selection: null };

/** Looks at another view. A chart has frames of its own. */
export function lookAt(view: View): void {
  const turned = (view === "chart") !== (pictureRoute.peek().view === "chart");
  go({ view, ...(turned ? TURNED : {}) });
}

/** What one frame of the picture is. */
export const group = computed(() => groupOf(takenSteps.value));
/** What the address asks for, which may be still to be drawn, or refused. */
export const askedGroup = computed(() => groupOf(pictureRoute.value.steps));

function groupOf(steps: string[]): Group {
  const step = steps.find((step) => verbOf(step) === "group");
  return GROUPS.find((name) => step && name === argumentOf(step)) ?? "function";
}

/** Another picture: what was zoomed to in the one before is not there, or is all there is. */
function change(patch: Partial<Picture> & { against?: Seconds | null }): void {
  if (!takesSteps.peek()) return;
  const next: typeof patch = { zoom: null, extent: [...FULL], graph: null, ...patch };
  // Without a first part of the time there is nothing to compare a second with.
  go(next.steps && !timeAmong(next.steps) ? { ...next, against: null } : next);
}

export function addStep(step: string): void {
  const { steps } = pictureRoute.peek();
  if (steps.at(-1) !== step) change({ steps: [...steps, step] });
}

/** Takes steps before all others, so that a group or a hidden frame can't change what they match. */
export function addFirst(steps: string[]): void {
  const { steps: taken } = pictureRoute.peek();
  change({ steps: [...steps.filter((step) => !taken.includes(step)), ...taken] });
}

/** Takes a part of the time, in place of the one before; null for all of it. */
export function setTime(span: Seconds | null): void {
  const others = pictureRoute.peek().steps.filter((step) => timeOf(step) === null);
  change({ steps: span ? [timeStep(span), ...others] : others });
}

/** Compares the part of the time among the steps with another; null for no comparison. */
export function setAgainst(span: Seconds | null): void {
  const { steps, view } = pictureRoute.peek();
  if (span && !timeAmong(steps)) setTime(span);
  else change({ against: span, ...(span && view === "chart" ? { ...TURNED, view: "flame" as const } : {}) });
}

/** Both parts of the time change places. */
export function swapParts(): void {
  const { steps, against } = fileRoute.peek();
  const first = timeAmong(steps);
  if (!first || !against) return;
  change({ steps: steps.map((step) => (timeOf(step) ? timeStep(against) : step)), against: first });
}

/** Values of a label as frames, in front of all other steps, so that these can name them. */
export function frameBy(verb: TagFrameVerb, key: string): void {
  change({ steps: [`${verb}:${key}`, ...pictureRoute.peek().steps] });
}

export function removeStep(at: number): void {
  change({ steps: pictureRoute.peek().steps.filter((_, i) => i !== at) });
}

export function clearSteps(): void {
  change({ steps: [] });
}

/** Focus, ignore or hide the functions of a name. */
export function stepOn(verb: PatternVerb, name: string): void {
  // A frame without a function has no text that a regular expression could match.
  if (name === "?" || /^0x[0-9a-f]+( \[|$)/.test(name)) notify(`${name} has no function name to filter by`);
  else addStep(stepOf(verb, name));
}

export function stepOnCurrent(verb: PatternVerb): Promise<void> {
  return withCurrent((name) => stepOn(verb, name));
}

export function toggleRecursion(): void {
  const { steps } = pictureRoute.peek();
  const at = steps.findIndex((step) => verbOf(step) === "recursion");
  if (at < 0) addStep("recursion:direct");
  else removeStep(at);
}

/** Groups by something else, in the place among the steps where it is now. */
export function setGroup(next: Group): void {
  const { steps } = pictureRoute.peek();
  const at = steps.findIndex((step) => verbOf(step) === "group");
  if (next === "function") change({ steps: steps.filter((_, i) => i !== at) });
  else if (at < 0) addStep(`group:${next}`);
  else change({ steps: steps.map((step, i) => (i === at ? `group:${next}` : step)) });
}

export function nextGroup(): void {
  setGroup(GROUPS[(GROUPS.indexOf(askedGroup.peek()) + 1) % GROUPS.length]);
}

/** Takes back the last change, once the keys before have done what they do. */
export const undoInTurn = () => keySteps.run(undo);

export const redoInTurn = () => keySteps.run(async () => redo());

export function toggleInvert(): void {
  change({ invert: !pictureRoute.peek().invert, selection: null });
}

/** Callers and callees of the functions of a name. */
export function sandwichOf(name: string): void {
  go({ view: "sandwich", sandwich: name });
}

export function sandwichCurrent(): Promise<void> {
  return withCurrent(sandwichOf);
}

/** Does something with the name of the frame that keys are about; the root has none. */
function withCurrent(act: (name: string) => void): Promise<void> {
  return inTurn(async (id) => {
    const node = current.peek();
    if (node === ROOT || node === NONE) notify("Choose a frame first");
    else act((await core.node(id, node)).name);
  });
}
