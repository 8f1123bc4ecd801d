import { queryParts, type RecordingRule } from "../../state/query/recordingrule.ts";
import { initialRoute, type Route } from "../../state/url/route.ts";
import type { Range } from "../../time/range.ts";

/** The page with the profiles that a rule measures; null where these are of several services. */
export function profilesOf(rule: RecordingRule, range: Range, filters = queryParts(rule.query).filters): Route | null {
  const { function: func, function_regex, call_site } = rule;
  const { type, service } = queryParts(rule.query);
  if (service === null) return null;
  const { from, until } = range;
  const explore = { ...initialRoute("explore"), service, type, base: { from, until, filters } };
  if (func) return { ...explore, panel: "function", func };
  return { ...explore, search: function_regex ? `/${function_regex}/` : (call_site.at(-1) ?? "") };
}
