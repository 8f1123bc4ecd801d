import { useEffect } from "preact/hooks";
import { AlertDialog } from "../components/alerts/alertdialog.tsx";
import { AlertHistory } from "../components/alerts/alerthistory.tsx";
import { AlertItem } from "../components/alerts/alertitem.tsx";
import { ReceiverList } from "../components/alerts/receiverlist.tsx";
import { Icon } from "../components/controls/icon.tsx";
import { linkTo } from "../components/controls/link.ts";
import { RulesFrame } from "../components/rules/rulesframe.tsx";
import { RetryNote } from "../components/status/retrynote.tsx";
import { alertTarget } from "../state/page/alerttarget.ts";
import type { ListedAlert } from "../state/query/alert.ts";
import { useAlerts } from "../state/query/alertlist.ts";
import { isSilenced, statusOf } from "../state/query/alertstate.ts";
import { natural } from "../state/query/labels.ts";
import type { RecordingRule } from "../state/query/recordingrule.ts";
import { rules } from "../state/query/recordingrules.ts";
import { clock, refreshAutomatically } from "../state/url/clock.ts";
import { initialRoute } from "../state/url/route.ts";
import { visit } from "../state/url/router.ts";
import "../style/alerts.css";

/** Alerts are evaluated once a minute. */
const REFRESH = 60_000;

/** Alerts on recording rules, what they did, and who gets their messages. */
export function Alerts() {
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") refreshAutomatically();
    }, REFRESH);
    return () => clearInterval(timer);
  }, []);
  return (
    <RulesFrame page="alerts" dialog={AlertDialog}>
      <Content />
    </RulesFrame>
  );
}

function Content() {
  const { value, problem } = useAlerts();
  const made = rules.value;
  const wrong = problem ?? made.problem;
  if (!value || !made.value) return wrong ? <RetryNote problem={wrong} /> : <p class="hint">Reading the alerts…</p>;
  const { alerts, history, receivers } = value;
  const byId = new Map(made.value.rules.map((rule) => [rule.id, rule]));
  // What needs someone comes first.
  const rank = (alert: ListedAlert) =>
    ({ firing: isSilenced(alert, clock.value) ? 2 : 0, error: 1, unknown: 3, ok: 3 })[statusOf(alert, clock.value)];
  const sorted = [...alerts].sort((a, b) => rank(a) - rank(b) || natural(a.name, b.name));
  return (
    <>
      {wrong && <RetryNote problem={wrong} />}
      {alerts.length === 0 ? (
        <Empty rules={made.value.rules} />
      ) : (
        <>
          <div class="rules-head">
            <NewAlert rules={made.value.rules} />
          </div>
          <ul class="rules-list" data-testid="alerts">
            {sorted.map((alert) => (
              <AlertItem key={alert.id} alert={alert} rule={byId.get(alert.rule) ?? null} />
            ))}
          </ul>
        </>
      )}
      {(alerts.length > 0 || history.length > 0) && <AlertHistory history={history} alerts={alerts} rules={byId} />}
      <ReceiverList receivers={receivers} />
    </>
  );
}

function NewAlert({ rules }: { rules: RecordingRule[] }) {
  if (rules.length === 0) return null;
  return (
    <button
      type="button"
      class="control primary"
      data-testid="alert-new"
      onClick={() => (alertTarget.value = { rules, alert: null })}
    >
      <Icon name="plus" /> New alert
    </button>
  );
}

function Empty({ rules }: { rules: RecordingRule[] }) {
  return (
    <section class="rules-empty" data-testid="alerts-empty">
      <p>
        An alert watches a recording rule and sends a message when its condition is met, for example when a function
        uses more CPU than a threshold or more than in the version before.{" "}
        {rules.length > 0
          ? "To make the first one, choose a rule and a condition. You see when it would have fired in the last 24 h."
          : "It needs a recording rule. To make one for an entire service, choose “New rule” on the page Rules. For a function, open a service, right-click or long-press a frame in its flame graph, choose “Record as a metric”, and then “Alert…”."}
      </p>
      <div class="rule-actions">
        <NewAlert rules={rules} />
        {rules.length > 0 ? (
          <a class="control" {...linkTo(initialRoute("rules"))}>
            All rules
          </a>
        ) : (
          <button type="button" class="control primary" onClick={() => visit("home")}>
            All services
          </button>
        )}
      </div>
    </section>
  );
}
