/** The panel "What changed": two sides of a service's range, in parts, and the functions whose share differs. */
import { computed, signal } from "@preact/signals";
import { json } from "../../api.ts";
import { isGauge } from "../../format/type.ts";
import { FEWEST_PARTS } from "../../time/interval.ts";
import { fixed, type Span } from "../../time/range.ts";
import { commonFactors, seriesOf, sum } from "../../time/series.ts";
import { resource } from "../resource.ts";
import { clock } from "../url/clock.ts";
import { exploreRoute } from "../url/router.ts";
import { askInTurn } from "./askinturn.ts";
import {
  type ChangeGroup,
  type Changes,
  changesOf,
  type FlameNode,
  grouped,
  isMore,
  type PartFunctions,
  type SideParts,
} from "./changed.ts";
import {
  areTogether,
  type Cause,
  type ChangedLoad,
  causeOf,
  changedLoad,
  measuredIn,
  moreProfiles,
  type Window,
} from "./changedload.ts";
import { type ChangedValue, changedValue, haveSameValues, type ValueSums } from "./changedvalue.ts";
import { type FoundSide, type Question, sidesOf } from "./changesides.ts";
import type { FunctionsAnswer } from "./functions.ts";
import { isVersion, labelOrder } from "./labels.ts";
import { placeOf } from "./place.ts";
import { selector } from "./selector.ts";
import { labels, span } from "./services.ts";
import { type ShareShift, shareShift } from "./shareshift.ts";
import { partsOf } from "./sideparts.ts";

/** The server says as many functions of a window. */
const FUNCTIONS = 1_000;
/** Nodes by which changes on common stacks are put together. */
const NODES = 2_000;

/** The labels that tell two sides apart, versions first. */
export const comparable = computed(() => {
  const found = labels.value.value ?? {};
  return labelOrder(found).filter((name) => found[name].length > 1);
});

/** A side as it was found, and what was read of it. */
export interface ComparedSide extends Pick<FoundSide, "value" | "began" | "seen" | "side"> {
  profiles: number;
  total: number;
  windows: number;
  processes: number;
}

export interface Answer {
  /** Empty where the sides are times. */
  label: string;
  /** The values of the label, in the order in which they came. */
  values: string[];
  sides: { before: ComparedSide; after: ComparedSide };
  /** How long a window is. */
  windowMillis: number;
  /** Rollouts at the ends of the sides, in which two versions ran; they count on neither side. */
  rollouts: Span[];
  /** How exactly the times are known in which the values of the label were seen. */
  stepMillis: number;
  process: string;
  changes: Changes;
  more: ChangeGroup[];
  less: ChangeGroup[];
  /** Windows count as whole minutes, hours or days, since their profiles have expired. */
  rounded: boolean;
  /** Null where both sides ran at the same time in other numbers: a load is of how many there are, then. */
  load: ChangedLoad | null;
  /** Whether both sides ran at the same time. */
  together: boolean;
  /** The side with more profiles in the same time. */
  denser: "before" | "after" | null;
  /** What has most of the change of the load. */
  cause: Cause | null;
  /** The value of a label that has nearly all of it. */
  where: ChangedValue | null;
  /** A function whose share changes within the compared times. */
  shift: ShareShift | null;
  /** Whether both sides ran the same versions, as far as labels tell. */
  sameVersions: boolean;
  /** What sides of time are. */
  times: string;
  /** For how long two times have no profiles in between, in milliseconds; 0 where the usual time between them explains it. */
  pause: number;
  /** Whether the moment of a change was asked for, and none was found. */
  isGuess: boolean;
  /** Whether the sides are divided where the load clearly changed. */
  isChange: boolean;
}

/** How many of the questions are answered. */
export const progress = signal({ done: 0, of: 0 });

export const changes = resource(
  "find what changed",
  (): Question | null => {
    const { panel, service, type, base, window, by } = exploreRoute.value;
    if (panel !== "changes" || !service || !type || placeOf("base") !== "") return null;
    const known = labels.value;
    if (known.state !== "ready" && known.state !== "error") return null;
    const range = { from: base.from, until: base.until };
    const found = known.value ?? {};
    return {
      type,
      service,
      filters: base.filters,
      range,
      span: span.value,
      window,
      by,
      labels: found,
      at: clock.value,
    };
  },
  answer,
  ({ type, service, filters, range, window, by }) => JSON.stringify([type, service, filters, range, window, by]),
  "dropped",
);

async function answer(question: Question, stopped: AbortSignal): Promise<Answer> {
  const gauge = isGauge(question.type);
  progress.value = { done: 0, of: 0 };
  const found = await sidesOf(question, stopped);
  const { label, values, process, times, step, interval, rollouts } = found;
  const byProcess = found.sides.every(({ processes }) => processes.length >= FEWEST_PARTS);
  const plans = found.sides.map((side) => partsOf(question, side, process, { byProcess, interval }));
  const asked = plans.flatMap(({ windows, processes }) => [...windows, ...processes]);
  progress.value = { done: 0, of: asked.length };
  const answers = await askInTurn(
    asked,
    async ({ query, from, until }) => {
      const limits = { sort: "total", limit: String(FUNCTIONS) };
      const part = await json<FunctionsAnswer>("functions", { query, ...fixed({ from, until }), ...limits }, stopped);
      progress.value = { ...progress.peek(), done: progress.peek().done + 1 };
      return part;
    },
    stopped,
  );
  const next = (count: number) => answers.splice(0, count);
  // Sums of an hour answer for each of its minutes: such windows are no measurements of their own.
  const rounded = answers.some((part) => part.rounded);
  const filled = (parts: FunctionsAnswer[]) => parts.filter(({ profiles }) => profiles > 0);
  const all = plans.map(({ windows, processes }) => ({
    windows: next(windows.length),
    processes: next(processes.length),
  }));
  const parts = all.map(({ windows, processes }) => ({ windows: filled(windows), processes: filled(processes) }));
  // Steps of one length, so that equal loads are judged alike.
  const factors = commonFactors(found.sides.map(({ steps }) => steps));
  const series = found.sides.map(({ steps }, i) => seriesOf(steps, false, factors[i]));
  // What snapshots say is in the answers, and loads in the steps.
  const ofGauge = (i: number) =>
    all[i].windows.map(({ total, profiles }, at): Window => {
      const { from, until } = plans[i].windows[at];
      return { from, length: until - from, profiles, total, covered: 0 };
    });
  const ofSteps = (i: number) =>
    plans[i].times.map((time): Window => {
      return { from: time.from, length: time.until - time.from, profiles: 0, ...measuredIn(time, series[i]) };
    });
  const inOrder = gauge ? ofGauge : ofSteps;
  const both: [Window[], Window[]] = [inOrder(0), inOrder(1)];
  const [before, after] = parts.map(({ windows, processes }) => ({
    windows: windows.map(partFunctions),
    processes: processes.map(partFunctions),
  }));
  const ofAll = changesOf(before, after, !rounded);
  const [first, second] = found.sides.map(({ steps }) => steps.counts);
  const sums: [ValueSums, ValueSums] = [found.sides[0].sums, found.sides[1].sums];
  const counted = series.map(({ counts, covered }) => ({ profiles: sum(counts), covered: sum(covered) }));
  // One profile may lie at an edge.
  const denser = moreProfiles(counted, 1);
  const together = areTogether(first, second);
  const beside = !gauge && together && moreProfiles(counted) !== null;
  const load = beside ? null : changedLoad(both, gauge, ofAll.certain);
  // Averages of a gauge are no parts of each other.
  const where = load?.differs && !gauge ? changedValue(load, sums) : null;
  // A process that alone has the change differs from the others because of it: that must not hide the change.
  const isOneProcess = where?.name === process && where.only === null;
  const compared =
    isOneProcess && ofAll.byProcess ? changesOf(withoutProcesses(before), withoutProcesses(after), !rounded) : ofAll;
  const side = (i: number): ComparedSide => ({
    ...found.sides[i],
    profiles: parts[i].windows.reduce((sum, { profiles }) => sum + profiles, 0),
    total: parts[i].windows.reduce((sum, { total }) => sum + total, 0),
    windows: parts[i].windows.length,
    processes: parts[i].processes.length,
  });
  const [more, less] = await Promise.all(
    [1, 0].map(async (i) => {
      const listed = compared.listed.filter((one) => isMore(one) === (i === 1));
      if (listed.length < 2) return grouped(listed, []);
      const { filters } = found.sides[i].side;
      const query = question.type + selector(question.service, filters);
      const params = { query, ...fixed(found.sides[i].seen), nodes: String(NODES) };
      return grouped(listed, (await json<{ nodes: FlameNode[] }>("flamegraph", params, stopped)).nodes);
    }),
  );
  const versions = Object.keys(question.labels).filter(isVersion);
  const heads = [...more, ...less].map(({ head }) => head);
  return {
    label,
    values,
    times,
    pause: found.pause,
    isGuess: question.by === "time" && found.isHalves,
    isChange: found.isChange,
    load,
    together,
    denser,
    cause: load && causeOf(load, compared, heads),
    where,
    shift: label === "" && compared.certain ? shiftIn(plans, all) : null,
    sameVersions: haveSameValues(versions, sums),
    sides: { before: side(0), after: side(1) },
    rollouts,
    windowMillis: Math.max(...plans.map(({ length }) => length)),
    stepMillis: step,
    process: compared.byProcess ? process : "",
    changes: compared,
    more,
    less,
    rounded,
  };
}

/** A side whose processes are not told apart. */
const withoutProcesses = ({ windows }: SideParts): SideParts => ({ windows, processes: [] });

/** Of two times, the earlier first. */
function shiftIn(plans: { windows: Span[] }[], answers: { windows: FunctionsAnswer[] }[]): ShareShift | null {
  const windows = plans.flatMap((plan, i) =>
    plan.windows.flatMap(({ from, until }, at) => {
      const part = answers[i].windows[at];
      return part.profiles > 0 && part.total > 0 ? [{ from, until, functions: partFunctions(part) }] : [];
    }),
  );
  return shareShift(windows, plans[1].windows[0].from);
}

function partFunctions({ total, functions, coverage }: FunctionsAnswer): PartFunctions {
  return {
    total,
    complete: coverage.shown >= coverage.functions,
    functions: new Map(functions.map((one) => [one.name, one])),
  };
}
