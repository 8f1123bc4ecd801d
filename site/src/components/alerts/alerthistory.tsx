import { formatStep } from "../../format/value.ts";
import { alertValue, type ListedAlert, labelWords, MINUTE } from "../../state/query/alert.ts";
import type { AlertEvent } from "../../state/query/alertlist.ts";
import type { RecordingRule } from "../../state/query/recordingrule.ts";
import { formatInstant, formatMinute } from "../../time/range.ts";
import { linkTo } from "../controls/link.ts";
import { profilesAround } from "./firinglink.ts";

/** Lines that are shown; the newest come first. */
const SHOWN = 50;

interface Props {
  history: AlertEvent[];
  alerts: ListedAlert[];
  rules: Map<string, RecordingRule>;
}

/** When which alert began to fire and ended. */
export function AlertHistory({ history, alerts, rules }: Props) {
  const byId = new Map(alerts.map((alert) => [alert.id, alert]));
  return (
    <section class="alerts-part" aria-labelledby="alerts-history" data-testid="alerts-history">
      <h2 id="alerts-history">History</h2>
      {history.length === 0 ? (
        <p class="hint">No alert has fired yet.</p>
      ) : (
        <table class="alerts-table" aria-labelledby="alerts-history">
          <thead>
            <tr>
              <th scope="col">Time</th>
              <th scope="col">Alert</th>
              <th scope="col">State</th>
              <th scope="col" class="num">
                Value
              </th>
            </tr>
          </thead>
          <tbody>
            {history.slice(0, SHOWN).map((event) => (
              <Line
                key={`${event.alert} ${event.at} ${event.status} ${labelWords(event.labels)}`}
                {...{ event, byId, rules }}
              />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Line(props: { event: AlertEvent; byId: Map<string, ListedAlert>; rules: Map<string, RecordingRule> }) {
  const { event, byId, rules } = props;
  const { at, since, name, status, labels, value, kind, unit, changed } = event;
  // A deleted alert has no rule to link to.
  const alert = byId.get(event.alert);
  const began = since || at;
  // The first evaluation of an alert, and the end of a silence, find what began before.
  const wasFound = status === "firing" && began < at;
  const target = alert && profilesAround(alert, rules.get(alert.rule) ?? null, labels, wasFound ? began : at);
  const isSilent = kind === "silent";
  const amount = isSilent ? formatStep(value * MINUTE) : kind && unit ? alertValue(kind, value, unit) : "";
  const time = <time dateTime={new Date(at).toISOString()}>{formatMinute(at)}</time>;
  return (
    <tr data-testid="alert-event" data-status={status}>
      <td title={formatInstant(at)}>{target ? <a {...linkTo(target)}>{time}</a> : time}</td>
      <td>
        {name} <span class="soft">{labelWords(labels)}</span>
      </td>
      <td>
        <b
          class={`alert-status ${status}`}
          title={changed ? "The alert or its rule was changed or deleted" : undefined}
        >
          {status === "firing" ? "Firing" : changed ? "Ended by a change" : "Resolved"}
          {wasFound && ` since ${formatMinute(began)}`}
        </b>
      </td>
      <td class="num">
        {/* For a resolved series, its last value while it fired. */}
        {amount && status === "resolved" && !isSilent && <span class="soft">last </span>}
        {amount || "–"}
      </td>
    </tr>
  );
}
