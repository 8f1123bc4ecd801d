import { AlertDialog } from "../components/alerts/lazydialog.ts";
import { Icon } from "../components/controls/icon.tsx";
import { RangePicker } from "../components/query/rangepicker.tsx";
import { RuleCard } from "../components/rules/rulecard.tsx";
import { RulesFrame } from "../components/rules/rulesframe.tsx";
import { RuleUse } from "../components/rules/ruleuse.tsx";
import { RetryNote } from "../components/status/retrynote.tsx";
import { recordTarget } from "../state/page/record.ts";
import { useAlerts } from "../state/query/alertlist.ts";
import { rules } from "../state/query/recordingrules.ts";
import { go, rulesRoute, visit } from "../state/url/router.ts";

/** Recording rules: metrics made from profiles. */
export function Rules() {
  const { base } = rulesRoute.value;
  return (
    <RulesFrame
      page="rules"
      dialog={AlertDialog}
      controls={
        <RangePicker
          range={base}
          title="Time range of the charts"
          testid="range"
          onChange={(range) => go({ base: { ...base, ...range } })}
        />
      }
    >
      <List />
    </RulesFrame>
  );
}

function List() {
  const { value, problem } = rules.value;
  const alerts = useAlerts().value?.alerts;
  if (problem && !value) return <RetryNote problem={problem} />;
  if (!value) return <p class="hint">Reading the rules…</p>;
  return (
    <>
      {problem && <RetryNote problem={problem} />}
      {value.rules.length === 0 ? (
        <section class="rules-empty" data-testid="rules-empty">
          <p>
            A recording rule turns part of your profiles into a metric for Prometheus or Grafana, such as the CPU time
            of a service or of one function, and includes the profiles that are already stored. To choose the function
            in a flame graph, open a service, right-click or long-press a frame, and choose “Record as a metric”.
          </p>
          <div class="rule-actions">
            <NewRule />
            <button type="button" class="control" onClick={() => visit("home")}>
              All services
            </button>
          </div>
        </section>
      ) : (
        <>
          <div class="rules-head">
            <NewRule />
          </div>
          <ul class="rules-list" data-testid="rules">
            {value.rules.map((rule) => (
              <RuleCard key={rule.id} rule={rule} alerts={alerts?.filter((alert) => alert.rule === rule.id) ?? null} />
            ))}
          </ul>
        </>
      )}
      <RuleUse remoteWrite={value.remote_write} />
    </>
  );
}

function NewRule() {
  return (
    <button
      type="button"
      class="control primary"
      data-testid="rule-new"
      onClick={() => (recordTarget.value = { rule: null })}
    >
      <Icon name="plus" /> New rule
    </button>
  );
}
