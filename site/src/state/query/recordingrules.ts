/** The recording rules of the server, and the values of each over time. */
import { type Signal, signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { askServer, json, posted } from "../../api.ts";
import { trackWork } from "../../settled.ts";
import type { Span } from "../../time/range.ts";
import { problemOf } from "../problem.ts";
import { type Loaded, resource } from "../resource.ts";
import { clock } from "../url/clock.ts";
import { route } from "../url/router.ts";
import { askInTurn } from "./askinturn.ts";
import { placeOf } from "./place.ts";
import type { RecordingRule, RuleDraft } from "./recordingrule.ts";

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
  async (_, stopped) => (await json<{ rules: RecordingRule[] }>("rules", {}, stopped)).rules,
);

/** Fails as the API does. */
export async function createRule(rule: RuleDraft): Promise<RecordingRule> {
  const created = await json<RecordingRule>("rules", {}, null, posted(rule));
  changes.value++;
  return created;
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

/** A rule's values in a span, for a component. The former values stay while others are loaded. */
export function useRulePreview(rule: RuleDraft, span: Span): Loaded<RulePreview> {
  const loaded = useSignal<Loaded<RulePreview>>({ state: "loading" });
  // The name changes with each key press, and the values don't depend on it.
  const asked = JSON.stringify({ ...rule, metric_name: "" });
  useEffect(() => {
    const stop = new AbortController();
    void trackWork(preview(JSON.parse(asked) as RuleDraft, span, loaded, stop.signal));
    return () => stop.abort();
  }, [asked, span.from, span.until]);
  return loaded.value;
}

async function preview(rule: RuleDraft, span: Span, loaded: Signal<Loaded<RulePreview>>, stopped: AbortSignal) {
  loaded.value = { state: "loading", value: loaded.peek().value };
  const [from, until] = [span.from, span.until].map((time) => String(Math.round(time)));
  const params = { from, until, points: String(POINTS) };
  try {
    const [value] = await askInTurn(
      [rule],
      (rule) => json<RulePreview>("rules/preview", params, stopped, posted(rule)),
      stopped,
    );
    loaded.value = { state: "ready", value };
  } catch (failure) {
    if (!stopped.aborted) loaded.value = { state: "error", problem: problemOf(failure, "preview the rule") };
  }
}
