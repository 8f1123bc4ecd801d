import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useAction } from "../../state/action.ts";
import { copyText } from "../../state/page/clipboard.ts";
import { exportedName, promQL, queryParts, type RecordingRule, ruleWords } from "../../state/query/recordingrule.ts";
import { deleteRule, useRulePreview } from "../../state/query/recordingrules.ts";
import { span } from "../../state/query/services.ts";
import { initialRoute, type Route } from "../../state/url/route.ts";
import { rulesRoute } from "../../state/url/router.ts";
import { Icon } from "../controls/icon.tsx";
import { linkTo } from "../controls/link.ts";
import { MetricName } from "./metricname.tsx";
import { LoadedChart, seriesCount } from "./rulechart.tsx";

/** A rule with its metric over time. */
export function RuleCard({ rule }: { rule: RecordingRule }) {
  const { id, query, call_site, external_labels, provisioned } = rule;
  const name = exportedName(rule);
  const target = profilesOf(rule);
  const preview = useRulePreview(rule, span.value);
  const { value } = preview;
  const labels = Object.entries(external_labels);
  return (
    <li class="rule" data-testid="rule" data-name={name}>
      <div class="rule-about">
        <h2 data-testid="rule-name">
          <MetricName name={name} />
        </h2>
        <p title={[query, ...call_site].join("\n")} data-testid="rule-words">
          {ruleWords(rule)}
        </p>
        <p class="hint">
          <span data-testid="rule-series">{value ? seriesCount(value) : ""}</span>
          {labels.length > 0 && ` · with ${labels.map((label) => label.join("=")).join(", ")}`}
          {provisioned && " · from the server's configuration"}
        </p>
        <div class="rule-actions">
          {target && (
            <a class="control" {...linkTo(target)} data-testid="rule-explore">
              Profiles
            </a>
          )}
          <button
            type="button"
            class="control"
            title={promQL(rule)}
            data-testid="rule-copy"
            onClick={() => void copyText(promQL(rule), "the query")}
          >
            <Icon name="copy" /> PromQL
          </button>
          {!provisioned && <Delete id={id} name={name} />}
        </div>
      </div>
      <LoadedChart preview={preview} rule={rule} span={span.value} />
    </li>
  );
}

/** The page with the profiles that a rule measures; null where these are of several services. */
function profilesOf({ query, function: func, function_regex, call_site }: RecordingRule): Route | null {
  const { type, service, filters } = queryParts(query);
  if (service === null) return null;
  const { from, until } = rulesRoute.value.base;
  const explore = { ...initialRoute("explore"), service, type, base: { from, until, filters } };
  if (func) return { ...explore, panel: "function", func };
  return { ...explore, search: function_regex ? `/${function_regex}/` : (call_site.at(-1) ?? "") };
}

function Delete({ id, name }: { id: string; name: string }) {
  const asked = useSignal(false);
  const answer = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => answer.current?.focus(), [asked.value]);
  const { running, problem, run } = useAction("delete the rule");
  if (!asked.value)
    return (
      <button
        type="button"
        class="control"
        aria-label={`Delete ${name}`}
        data-testid="rule-delete"
        onClick={() => (asked.value = true)}
      >
        Delete…
      </button>
    );
  return (
    <div class="rule-question" data-testid="rule-question">
      <p role="alert">
        Delete{" "}
        <b>
          <MetricName name={name} />
        </b>
        ? Dashboards and alerts that use it will have no data.
        {problem.value && ` ${problem.value.title}. ${problem.value.meaning}`}
      </p>
      <button
        type="button"
        ref={answer}
        class="control danger"
        disabled={running.value}
        data-testid="rule-delete-yes"
        onClick={() => void run(() => deleteRule(id))}
      >
        Delete for everyone
      </button>
      <button type="button" class="control" onClick={() => (asked.value = false)}>
        Keep
      </button>
    </div>
  );
}
