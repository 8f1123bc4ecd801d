import { alertTarget } from "../../state/page/alerttarget.ts";
import { copyText } from "../../state/page/clipboard.ts";
import { recordTarget } from "../../state/page/record.ts";
import type { ListedAlert } from "../../state/query/alert.ts";
import { lossWords, watchWords } from "../../state/query/alertstate.ts";
import { exportedName, promQL, type RecordingRule, ruleWords } from "../../state/query/recordingrule.ts";
import { deleteRule, useRulePreview } from "../../state/query/recordingrules.ts";
import { span } from "../../state/query/services.ts";
import { clock } from "../../state/url/clock.ts";
import { initialRoute } from "../../state/url/route.ts";
import { rulesRoute } from "../../state/url/router.ts";
import { Icon } from "../controls/icon.tsx";
import { linkTo } from "../controls/link.ts";
import { DeleteQuestion } from "./deletequestion.tsx";
import { MetricName } from "./metricname.tsx";
import { profilesOf } from "./profilesof.ts";
import { drawingOf, seriesCount } from "./rulebands.ts";
import { LoadedChart } from "./rulechart.tsx";

/** A rule with its metric over time; `alerts` are those that watch it, null while they are unknown. */
export function RuleCard({ rule, alerts }: { rule: RecordingRule; alerts: ListedAlert[] | null }) {
  const { id, query, call_site, external_labels, provisioned } = rule;
  const name = exportedName(rule);
  const target = profilesOf(rule, rulesRoute.value.base);
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
          <span data-testid="rule-series">{value ? seriesCount(value, drawingOf(rule)) : ""}</span>
          {alerts && alerts.length > 0 && (
            <>
              {" · "}
              <a {...linkTo(initialRoute("alerts"))} data-testid="rule-alerts">
                {watchWords(alerts, clock.value)}
              </a>
            </>
          )}
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
          <button
            type="button"
            class="control"
            aria-label={`New alert on ${name}`}
            data-testid="rule-alert"
            onClick={() => (alertTarget.value = { rules: [rule], alert: null })}
          >
            Alert…
          </button>
          {!provisioned && (
            <>
              <button
                type="button"
                class="control"
                aria-label={`Edit ${name}`}
                data-testid="rule-edit"
                onClick={() => (recordTarget.value = { rule })}
              >
                Edit…
              </button>
              <DeleteQuestion
                name={name}
                warning={alerts ? lossWords(alerts) : "Dashboards and alerts that use it will have no data."}
                doing="delete the rule"
                testid="rule"
                remove={() => deleteRule(id)}
              >
                <MetricName name={name} />
              </DeleteQuestion>
            </>
          )}
        </div>
      </div>
      <LoadedChart preview={preview} rule={rule} span={span.value} />
    </li>
  );
}
