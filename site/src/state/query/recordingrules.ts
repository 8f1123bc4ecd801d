/** The recording rules of the server, and the values of each over time. */
import { type Signal, signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { askServer, fetchLabels, json, posted } from "../../api.ts";
import { trackWork } from "../../settled.ts";
import { fixed, type Span } from "../../time/range.ts";
import { recordTarget } from "../page/record.ts";
import { problemOf } from "../problem.ts";
import { type Loaded, resource } from "../resource.ts";
import { clock } from "../url/clock.ts";
import { route } from "../url/router.ts";
import { askInTurn } from "./askinturn.ts";
import type { FunctionsAnswer } from "./functions.ts";
import { placeOf } from "./place.ts";
import type { RecordingRule, RemoteWrite, RuleDraft } from "./recordingrule.ts";
import { sortedServices } from "./services.ts";

/** Points of a chart: in a day this makes steps of ten minutes, of which a day touches up to 145. */
const POINTS = 146;

/** Raised by each change, so that the rules are loaded again. */
const changes = signal(0);

export const rules = resource(
  "list the rules",
  () => {
    const isShown = route.value.page === "rules" || route.value.page === "alerts";
    return isShown && placeOf("base") === "" ? { at: clock.value, changes: changes.value } : null;
  },
  (_, stopped) => json<Rules>("rules", {}, stopped),
);

interface Rules {
  rules: RecordingRule[];
  /** How far points are sent, if they are. */
  remote_write?: RemoteWrite;
}

/** Fails as the API does: with 409 if the rule has another generation. Without an id the rule is new. */
export async function saveRule(rule: RuleDraft & Pick<RecordingRule, "id" | "generation">): Promise<RecordingRule> {
  try {
    return await json<RecordingRule>("rules", {}, null, posted(rule));
  } finally {
    // Also after a failure: another's change may be the reason.
    changes.value++;
  }
}

/** A rule as it is now; null after it was deleted. */
export async function storedRule(id: string): Promise<RecordingRule | null> {
  const { rules } = await json<{ rules: RecordingRule[] }>("rules", {}, null);
  return rules.find((rule) => rule.id === id) ?? null;
}

export async function deleteRule(id: string): Promise<void> {
  await askServer("rules", { id }, null, { method: "DELETE" });
  changes.value++;
}

export interface RuleSeries {
  labels: Record<string, string>;
  /** The sum of each step's profiles, or their average for a gauge; null without any. */
  points: (number | null)[];
}

export interface RulePreview {
  /** Of the values. */
  unit: string;
  start: number;
  step: number;
  /** The largest first, 20 at most. */
  series: RuleSeries[];
  series_count: number;
}

/** A preview, and which rule it is of. */
export interface ShownPreview extends RulePreview {
  subject: string;
}

/** What the values of a rule depend on: its names and added labels change with each key press, and the values don't. */
export function subjectOf(rule: RuleDraft): string {
  return JSON.stringify({ ...rule, metric_name: "", external_labels: {} });
}

const DAY = 86_400_000;

/** The services of the last day with their types, while a new rule of any of them is made. */
export const recordable = resource(
  "list the services",
  () => {
    const target = recordTarget.value;
    const isAsked = target !== null && "rule" in target && target.rule === null;
    return isAsked ? { place: "", from: clock.value - DAY, until: clock.value } : null;
  },
  sortedServices,
);

/** While someone types, the server isn't asked for each letter. */
const PAUSE = 400;

/** The labels of the last day's profiles that a query selects, for a component; none while they are unknown. */
export function useQueryLabels(query: string): Record<string, string[]> {
  return useLastDay(query, true, {}, (span, stopped) => fetchLabels("", query, span, stopped));
}

/** More names than anyone reads: browsers list those that match what is typed. */
const FUNCTIONS = 500;

/** The largest functions of the last day's profiles that a query selects, for a component; none until they are `asked` for. */
export function useFunctionNames(query: string, asked: boolean): string[] {
  return useLastDay(query, asked, [], async (span, stopped) => {
    const params = { query, ...fixed(span), sort: "total", limit: String(FUNCTIONS) };
    return (await json<FunctionsAnswer>("functions", params, stopped)).functions.map(({ name }) => name);
  });
}

/** What is known of the last day's profiles that a query selects; what was known before stays while it is asked for again. */
function useLastDay<Known>(
  query: string,
  asked: boolean,
  none: Known,
  ask: (span: Span, stopped: AbortSignal) => Promise<Known>,
): Known {
  const found = useSignal(none);
  const opened = useRef(Date.now());
  const first = useRef(query);
  useEffect(() => {
    const stop = new AbortController();
    const find = async () => {
      if (query !== first.current) await new Promise((go) => setTimeout(go, PAUSE));
      if (stop.signal.aborted) return;
      found.value = await ask({ from: opened.current - DAY, until: opened.current }, stop.signal);
    };
    // A form without suggestions still works.
    if (asked) void trackWork(find().catch(() => {}));
    return () => stop.abort();
  }, [query, asked]);
  return found.value;
}

/** A rule's values in a span, for a component. The former values stay while others are loaded. */
export function useRulePreview(rule: RuleDraft, span: Span, points = POINTS): Loaded<ShownPreview> {
  const loaded = useSignal<Loaded<ShownPreview>>({ state: "loading" });
  const asked = subjectOf(rule);
  const former = useRef(rule);
  useEffect(() => {
    const stop = new AbortController();
    const isTyped = TYPED.some((name) => former.current[name] !== rule[name]);
    former.current = rule;
    void trackWork(preview(JSON.parse(asked) as RuleDraft, span, points, loaded, stop.signal, isTyped ? PAUSE : 0));
    return () => stop.abort();
  }, [asked, span.from, span.until, points]);
  return loaded.value;
}

/** Fields of a rule that are edited as text. */
const TYPED = ["query", "function", "function_regex"] as const;

async function preview(
  rule: RuleDraft,
  span: Span,
  points: number,
  loaded: Signal<Loaded<ShownPreview>>,
  stopped: AbortSignal,
  pause: number,
) {
  loaded.value = { state: "loading", value: loaded.peek().value };
  const [from, until] = [span.from, span.until].map((time) => String(Math.round(time)));
  const params = { from, until, points: String(points) };
  try {
    if (pause > 0) await new Promise((go) => setTimeout(go, pause));
    const [value] = await askInTurn(
      [rule],
      (rule) => json<RulePreview>("rules/preview", params, stopped, posted(rule)),
      stopped,
    );
    loaded.value = { state: "ready", value: { ...value, subject: subjectOf(rule) } };
  } catch (failure) {
    if (!stopped.aborted) loaded.value = { state: "error", problem: problemOf(failure, "preview the rule") };
  }
}
