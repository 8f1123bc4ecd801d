import {
  type Alert,
  type Labels,
  MINUTE,
  NEW_FUNCTION_EVERY,
  seriesFilters,
  spanAround,
} from "../../state/query/alert.ts";
import { isVersion } from "../../state/query/labels.ts";
import { queryParts, type RecordingRule } from "../../state/query/recordingrule.ts";
import { withoutLabel } from "../../state/query/selector.ts";
import { clock } from "../../state/url/clock.ts";
import { initialRoute, type Route } from "../../state/url/route.ts";
import { fixed } from "../../time/range.ts";
import { profilesOf } from "../rules/profilesof.ts";

/**
 * The page with the profiles around the time at which a series began to fire, with the window that made it fire selected; null
 * where there is none. What is silent has no profiles to select.
 */
export function profilesAround(alert: Alert, rule: RecordingRule | null, labels: Labels, since: number): Route | null {
  if (!rule) return null;
  const { service } = queryParts(rule.query);
  const target = profilesOf(rule, fixed(spanAround(alert, since, clock.value)), seriesFilters(rule, labels));
  if (target?.page !== "explore") return target;
  const window = alert.kind === "silent" ? null : { from: since - alert.minutes * MINUTE, until: since };
  // The function that is new is a label that the server adds.
  const isNew = alert.kind === "new_function" && labels.function !== undefined && !rule.group_by.includes("function");
  return service !== null && isNew
    ? { ...target, window, search: "", panel: "function", func: labels.function }
    : { ...target, window };
}

/**
 * The comparison of the window in which a series began to fire with one before, as in the link of its message; null where there
 * is none. What is silent has no profiles to compare.
 */
export function comparisonAround(
  alert: Alert,
  rule: RecordingRule | null,
  labels: Labels,
  since: number,
): Route | null {
  const profiles = profilesAround(alert, rule, labels, since);
  if (profiles?.page !== "explore" || alert.kind === "silent") return null;
  const { service, type, base, search, func } = profiles;
  const window = alert.minutes * MINUTE;
  const side = (until: number, filters = base.filters) => ({ ...fixed({ from: until - window, until }), filters });
  // A new version has no time before: it is compared with all versions then.
  const before = (rule?.group_by ?? []).filter(isVersion).reduce(withoutLabel, base.filters);
  // The condition may have held for minutes, and a new function may have been there in the evaluation before.
  const gap = (alert.kind === "new_function" ? NEW_FUNCTION_EVERY : Math.max(1, alert.for_minutes) - 1) * MINUTE;
  const sides = { base: side(since - window - gap, before), other: side(since) };
  return { ...initialRoute("diff"), service, type, ...sides, search: func || search };
}
