/** The tree on the screen, whatever it came from, and the work under way to replace it. */
import { batch, type ReadonlySignal, signal } from "@preact/signals";
import type { Division } from "../../core/divided.ts";
import { core } from "../../core/index.ts";
import type { SampleType, Thread, TreeInfo } from "../../core/types.ts";
import { trackWork } from "../../settled.ts";
import type { Span } from "../../time/range.ts";
import { latest } from "../latest.ts";
import { reportFailure } from "../page/failure.ts";
import { type Problem, problemOf } from "../problem.ts";
import type { Measure, SideName } from "../url/values.ts";

/** What is drawn of a profile. */
export interface Subject {
  profile: number;
  type: number;
  /** Samples have times: there is a chart. */
  timed?: boolean;
  /** Samples have labels to choose by. */
  labelled?: boolean;
  division?: Division;
}

/** A tree, and what it was drawn from. */
export interface Drawing {
  tree: TreeInfo;
  /** Steps and direction, as text. */
  drawn: string;
  /** The steps of the address that the tree shows: none where they were not taken. */
  steps: string[];
  /** Why they were not taken; empty when they were. */
  stepProblem: string;
  /** Of a chart: what ran side by side, the largest first, and whose chart it is. */
  threads?: Thread[];
  thread?: string;
  /** Of a comparison of files, or of parts of one: what each side has, whatever it is scaled to. */
  totals?: Record<SideName, SampleType>;
}

/** Draws the picture again as the address wants it, or with steps the call tree of what they leave, taken before the others. */
export type Draw = (first?: string[]) => Promise<Drawing>;

export interface Ready extends Partial<Omit<Drawing, "tree">> {
  state: "ready";
  tree: TreeInfo;
  draw?: Draw;
  /** What it draws. */
  subject?: Subject;
  /** What the answer is made of, for the foot line; how many nodes are drawn stands behind the first. */
  facts: string[];
  warnings: string[];
  /** Profiles opened for this tree alone, closed with it. */
  owned: number[];
  /** Profile that "Download pprof" writes; a difference has none. */
  exported: number | null;
  title: string;
  /** Of a comparison of two queries. */
  compared?: Compared;
  /** What `show` was called with, and when the answer came. */
  question: string;
  since: number;
}

/** What is compared, and what it is made of. */
export interface Compared {
  measure: Exclude<Measure, "auto">;
  gauge: boolean;
  /** How much time has profiles is known of both sides, so that loads can be compared. */
  timed: boolean;
  /** One side has far more profiles than the other, so amounts are not comparable. */
  coverageDiffers: boolean;
  /** The time whose profiles are on both sides. */
  overlap: Span | null;
  base: ComparedSide;
  other: ComparedSide;
}

export interface ComparedSide {
  /** The merged profile, which is open in the core; of a gauge its average. */
  id: number;
  /** What it is called outside of the page. */
  name: string;
  profiles: number;
  /** Sums, or averages a snapshot, in the unit of the profile. */
  total: number;
  exact: string;
  unit: string;
  /** How much of its time has profiles; 0 when that isn't known. */
  coveredMillis: number;
}

export type Shown =
  | { state: "none" }
  | { state: "empty"; sides?: SideName[] }
  | { state: "cancelled" }
  | { state: "error"; problem: Problem }
  | Ready;

/** What a job gives; what it owns, it has said before. */
export type Answer = Exclude<Shown, Ready> | Omit<Ready, "owned" | "question" | "since">;

export interface Work {
  stage: string;
  bytes: number;
  cancel: () => void;
}

export interface Progress {
  stage(text: string, bytes?: number): void;
  /** Takes a profile over: it is closed with the picture, or at once when the job gives none or fails. */
  own(profile: number): void;
  readonly signal: AbortSignal;
}

const current = signal<Shown>({ state: "none" });
const working = signal<Work | null>(null);
export const shown: ReadonlySignal<Shown> = current;
export const work: ReadonlySignal<Work | null> = working;

/** Why the picture could not be brought up to date, and since when it is as it is. */
export interface Stale {
  problem: Problem;
  since: number;
}

const outdated = signal<Stale | null>(null);
export const stale: ReadonlySignal<Stale | null> = outdated;

const jobs = latest();

/**
 * Runs a job and shows its answer. A new job stops the former one; until the answer is there the old picture stays.
 * `doing` completes "Could not …" should it fail. A picture of the same subject then stays, marked as old; one of another
 * would be taken for what was asked.
 */
export async function show(doing: string, job: (progress: Progress) => Promise<Answer>, subject = ""): Promise<void> {
  const signal = jobs.begin();
  const cancel = () => {
    if (!signal.aborted) finish(current.peek().state === "ready" ? current.peek() : { state: "cancelled" });
  };
  const owned: number[] = [];
  const progress: Progress = {
    stage: (stage, bytes = 0) => {
      if (!signal.aborted) working.value = { stage, bytes, cancel };
    },
    own: (profile) => void owned.push(profile),
    signal,
  };
  try {
    const given = await trackWork(job(progress));
    const answer = given.state === "ready" ? { ...given, owned, question: subject, since: Date.now() } : given;
    if (given.state !== "ready") close(owned);
    if (signal.aborted) return release(answer);
    finish(answer);
  } catch (failure) {
    close(owned);
    if (signal.aborted) return;
    const problem = problemOf(failure, doing);
    const before = current.peek();
    if (before.state === "ready" && subject !== "" && subject === before.question)
      finish(before, { problem, since: before.since });
    else finish({ state: "error", problem });
  }
}

/** Pictures that are drawn again now. */
const redrawing = new Set<Ready>();

/** Draws the picture again from the same profile. */
export async function redraw(): Promise<void> {
  const before = current.peek();
  if (before.state !== "ready" || !before.draw || redrawing.has(before)) return;
  redrawing.add(before);
  try {
    const drawing = await trackWork(before.draw());
    if (current.peek() !== before) return void core.dropTree(drawing.tree.id);
    // Of a comparison of files the totals stay; of one profile they are those of two parts of it.
    const totals = before.subject ? undefined : before.totals;
    current.value = { ...before, threads: undefined, thread: undefined, totals, ...drawing };
    void core.dropTree(before.tree.id);
  } catch (failure) {
    if (current.peek() === before) finish({ state: "error", problem: problemOf(failure, "draw this profile") });
  } finally {
    redrawing.delete(before);
  }
}

/**
 * What takes the failure of a call about a tree. When another tree has come meanwhile, the old one is closed and its calls
 * fail: their answers are not wanted any more.
 */
export function callFailed(tree: number, doing: string): (failure: unknown) => void {
  return (failure) => {
    if (isShown(tree)) reportFailure(failure, doing);
  };
}

export function isShown(tree: number): boolean {
  return current.value.state === "ready" && current.value.tree.id === tree;
}

/** Takes everything off the screen. */
export const clear = (): void => finish({ state: "none" });

function finish(next: Shown, old: Stale | null = null): void {
  const before = current.peek();
  jobs.abort();
  batch(() => {
    current.value = next;
    working.value = null;
    outdated.value = old;
  });
  if (before !== next) release(before);
}

function release(shown: Shown): void {
  if (shown.state !== "ready") return;
  void core.dropTree(shown.tree.id);
  close(shown.owned);
}

function close(profiles: number[]): void {
  for (const profile of profiles) void core.close(profile);
}
