/** The panel "Function": one function in this service over time, in all services, with what calls it and what it calls. */
import { computed, signal } from "@preact/signals";
import { json } from "../../api.ts";
import { ApiError } from "../../apierror.ts";
import { isGauge, typeParts } from "../../format/type.ts";
import { fixed, type Span } from "../../time/range.ts";
import { clockStep, clockTicks } from "../../time/ticks.ts";
import { store, stored } from "../page/storage.ts";
import { resource } from "../resource.ts";
import { clock } from "../url/clock.ts";
import { exploreRoute } from "../url/router.ts";
import { askInTurn } from "./askinturn.ts";
import type { FunctionsAnswer, FunctionValues } from "./functions.ts";
import { ownLabels } from "./ownlabels.ts";
import { placeOf } from "./place.ts";
import { formatMatcher, selector, withoutLabel } from "./selector.ts";
import { services, span } from "./services.ts";

/** Services that are asked, those with the largest totals. */
const MOST_SERVICES = 40;
/** Windows of the timeline at most, besides those that the range cuts. */
const WINDOWS = 12;
/** Callers and callees, and suggestions. */
const CALLS = 20;
const SUGGESTIONS = 12;

/** What is typed into the search for a function. */
export const draft = signal("");

interface Search extends Span {
  service: string;
  type: string;
  filters: string[];
  /** Null until one is chosen. */
  func: string | null;
  at: number;
}

/** Of one function. */
interface Question extends Search {
  func: string;
}

/** Null on other panels, and of places that have no server. */
const asked = computed((): Search | null => {
  const { panel, service, type, base, window, func } = exploreRoute.value;
  if (panel !== "function" || !service || !type || placeOf("base") !== "") return null;
  return { service, type, filters: base.filters, func, ...(window ?? span.value), at: clock.value };
});

/** Without the times, which move with the clock. */
const subjectOf = ({ service, type, filters, func }: Question) => JSON.stringify([service, type, filters, func]);

/** Functions of this service by name; without a name those with the largest totals. */
export const suggestions = resource(
  "list the functions",
  () => asked.value && (asked.value.func === null || draft.value !== "") && { ...asked.value, search: draft.value },
  async (question, stopped) =>
    question
      ? await list(question, question.service, { search: question.search, limit: String(SUGGESTIONS) }, stopped)
      : null,
);

interface Call {
  name: string;
  value: number;
  share: number;
}

/** Of `GET /api/v1/function`. */
export interface FunctionAnswer {
  name: string;
  unit: string;
  profiles: number;
  total: number;
  self: number;
  functionTotal: number;
  selfShare: number;
  totalShare: number;
  rounded: boolean;
  callers: Call[];
  callees: Call[];
  lines: { file: string; line: number }[];
  coverage: { callers: number; callees: number };
}

const named = (): Question | null => {
  const func = asked.value?.func;
  return asked.value && func ? { ...asked.value, func } : null;
};

/** The function in this service; null when it does not run it. */
export const detail = resource(
  "read the function",
  named,
  async (question, stopped): Promise<FunctionAnswer | null> => {
    const { type, service, filters, func } = question;
    // By its name a function that is not there is an error, or the only other one that has it in its name.
    if ((await valuesIn(question, service, stopped)).total === 0) return null;
    const query = type + selector(service, filters);
    const asked = { query, ...fixed(question), name: func, limit: String(CALLS) };
    return { ...(await json<FunctionAnswer>("function", asked, stopped)), unit: typeParts(type).unit };
  },
  subjectOf,
  "dropped",
);

export interface FunctionWindow extends Span {
  profiles: number;
  /** Of all functions. */
  whole: number;
  rounded: boolean;
  total: number;
  self: number;
}

/** The function in this service, in windows of the range: from one tick of the axis to the next, as long as there are few. */
export const overTime = resource(
  "read the function's timeline",
  named,
  (question, stopped): Promise<FunctionWindow[]> => {
    const { from, until } = question;
    const edges = [from, ...clockTicks(question, clockStep(question, WINDOWS)), until];
    const windows = edges
      .slice(1)
      .map((until, i) => ({ from: edges[i], until }))
      .filter(({ from, until }) => from < until);
    return askInTurn(
      windows,
      async (window) => ({ ...window, ...(await valuesIn({ ...question, ...window }, question.service, stopped)) }),
      stopped,
    );
  },
  subjectOf,
  "dropped",
);

export interface InService {
  service: string;
  profiles: number;
  whole: number;
  unit: string;
  rounded: boolean;
  total: number;
  self: number;
}

export interface InServices {
  /** Those that run it, the largest amount first. */
  running: InService[];
  /** How many were asked and have profiles. */
  asked: number;
  /** How many were not asked. */
  left: number;
}

/** The function in each service that has profiles of this type. */
export const inServices = resource(
  "search all services for the function",
  () => {
    const known = services.value.value;
    const question = named();
    if (!question || !known) return null;
    const total = (service: (typeof known)[number]) =>
      Number(service.types.find(({ id }) => id === question.type)?.total ?? -1);
    // The service of the page comes first, so that it is always asked.
    const isOwn = ({ name }: (typeof known)[number]) => Number(name === question.service);
    const having = known
      .filter((service) => total(service) >= 0)
      .sort((a, b) => isOwn(b) - isOwn(a) || total(b) - total(a));
    const names = having.map(({ name }) => name);
    return { ...question, names: names.slice(0, MOST_SERVICES), left: Math.max(0, names.length - MOST_SERVICES) };
  },
  async ({ names, left, ...question }, stopped): Promise<InServices> => {
    const found = await askInTurn(
      names,
      async (service) => ({ service, ...(await valuesIn(question, service, stopped)) }),
      stopped,
    );
    const having = found.filter(hasProfiles);
    return { running: runningOf(found, question.type), asked: having.length, left };
  },
  ({ type, filters, func }) => JSON.stringify([type, filters, func]),
  "dropped",
);

/** A service, or a value, may have no profiles in the selected time or with the filters. */
const hasProfiles = ({ profiles }: { profiles: number }) => profiles > 0;

/** Those that run it, the largest amount first. */
function runningOf<One extends { total: number; profiles: number }>(all: One[], type: string): One[] {
  const size = ({ total, profiles }: One) => amountOf(type, total, profiles);
  return all.filter(({ total }) => total > 0).sort((a, b) => size(b) - size(a));
}

/** What a total stands for: for a gauge, the average of its profiles. */
export function amountOf(type: string, total: number, profiles: number): number {
  return isGauge(type) ? total / (profiles || 1) : total;
}

export interface InValue extends Omit<InService, "service"> {
  value: string;
}

export interface InValues {
  by: string;
  /** The values whose profiles have it, the largest amount first. */
  running: InValue[];
  /** How many were asked and have profiles. */
  asked: number;
  /** How many were not asked. */
  left: number;
}

/** The function by the values of the label that splits the timeline, and where that is missing. */
export const inValues = resource(
  "split the function by label",
  () => {
    const { split: by } = exploreRoute.value;
    const [question, found] = [named(), ownLabels.value];
    if (!question || !found || by === null) return null;
    const all = [...(found[by] ?? []), ""];
    // Each value is asked for, whichever of them is filtered for.
    const filters = withoutLabel(question.filters, by);
    return {
      ...question,
      filters,
      by,
      names: all.slice(-MOST_SERVICES),
      left: Math.max(0, all.length - MOST_SERVICES),
    };
  },
  async ({ by, names, left, ...question }, stopped): Promise<InValues> => {
    const values = await askInTurn(
      names,
      async (value) => {
        const filters = [...question.filters, formatMatcher({ name: by, op: "=", value })];
        return { value, ...(await valuesIn({ ...question, filters }, question.service, stopped)) };
      },
      stopped,
    );
    const having = values.filter(hasProfiles);
    return { by, running: runningOf(values, question.type), asked: having.length, left };
  },
  ({ type, filters, func, by }) => JSON.stringify([type, filters, func, by]),
  "dropped",
);

/** In some of what is shown of the function, windows count as a whole. */
export const rounded = computed(() =>
  [
    detail.value.value,
    ...(overTime.value.value ?? []),
    ...(inServices.value.value?.running ?? []),
    ...(inValues.value.value?.running ?? []),
  ].some((answer) => answer?.rounded),
);

async function valuesIn(question: Question, service: string, stopped: AbortSignal) {
  const { func } = question;
  // Between slashes it would be an expression.
  const search = func.replace(/^\/(?=.+\/$)/s, "");
  const answer = await list(question, service, { search, limit: "1000" }, stopped);
  let found: FunctionValues | undefined = answer.functions.find(({ name }) => name === func);
  // Many names have a short one in them, and the list is cut.
  if (!found && answer.coverage.shown < answer.coverage.functions) found = await alone(question, service, stopped);
  const { profiles, total: whole, rounded } = answer;
  const { unit } = typeParts(question.type);
  return { profiles, whole, unit, rounded, total: found?.total ?? 0, self: found?.self ?? 0 };
}

/** The function by its whole name; undefined where there is none. */
async function alone(question: Question, service: string, stopped: AbortSignal): Promise<FunctionValues | undefined> {
  const { type, filters, func } = question;
  const params = { query: type + selector(service, filters), ...fixed(question), name: func, limit: "1" };
  try {
    const { name, self, functionTotal } = await json<FunctionAnswer>("function", params, stopped);
    return name === func ? { name, file: "", self, total: functionTotal } : undefined;
  } catch (failure) {
    // No function has the name, or several have it in theirs.
    if (failure instanceof ApiError && failure.status >= 400 && failure.status < 500) return undefined;
    throw failure;
  }
}

function list(question: Search, service: string, params: Record<string, string>, stopped: AbortSignal) {
  const query = question.type + selector(service, question.filters);
  return json<FunctionsAnswer>("functions", { query, ...fixed(question), sort: "total", ...params }, stopped);
}

const PRICE_KEY = "pilotlight-core-hour";
/** What an hour of a core costs, in whichever currency; 0 when it is not said. */
export const price = signal(Number(stored(PRICE_KEY)) || 0);

export function setPrice(next: number): void {
  price.value = Number.isFinite(next) && next > 0 ? next : 0;
  store(PRICE_KEY, String(price.value));
}
