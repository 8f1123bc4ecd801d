import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { alertTarget } from "../../state/page/alerttarget.ts";
import {
  alertValue,
  alertWords,
  type ListedAlert,
  labelWords,
  statusWords,
  storedAlert,
} from "../../state/query/alert.ts";
import { deleteAlert, saveAlert, useAlerts } from "../../state/query/alertlist.ts";
import { isSilenced, statusOf } from "../../state/query/alertstate.ts";
import type { RecordingRule } from "../../state/query/recordingrule.ts";
import { sentence, useSaving } from "../../state/saving.ts";
import { clock } from "../../state/url/clock.ts";
import { formatMinute } from "../../time/range.ts";
import { linkTo } from "../controls/link.ts";
import { DeleteQuestion } from "../rules/deletequestion.tsx";
import { comparisonAround, profilesAround } from "./firinglink.ts";

/** An alert with its state; `rule` is null after that was deleted. */
export function AlertItem({ alert, rule }: { alert: ListedAlert; rule: RecordingRule | null }) {
  const { id, name, error, receivers } = alert;
  // Until the next evaluation, the state has no error that says that the rule is gone.
  const status = rule ? statusOf(alert, clock.value) : "error";
  const known = useAlerts().value?.receivers ?? [];
  const toAll = known.length === 0 ? "nobody: there are no receivers" : "all receivers";
  return (
    <li class="alert-item" data-testid="alert-item" data-name={name} data-status={status}>
      <div class="alert-about">
        <div class="alert-title">
          <h2 data-testid="alert-item-name">{name}</h2>
          <b class={`alert-status ${status}`} data-testid="alert-status">
            {rule ? statusWords(alert, clock.value) : "No rule"}
          </b>
        </div>
        <p data-testid="alert-item-words">
          {rule ? `${alertWords(alert, rule)}.` : "The rule of this alert was deleted."}
        </p>
        {rule && error && (
          <p class="alert-error" data-testid="alert-error">
            {sentence(error)}
          </p>
        )}
        {rule && alert.firing.length > 0 && <FiringSeries alert={alert} rule={rule} />}
        <p class="hint">Messages to {receivers.length === 0 ? toAll : receivers.join(", ")}</p>
      </div>
      <div class="rule-actions">
        {rule && (
          <button
            type="button"
            class="control"
            aria-label={`Edit ${name}`}
            data-testid="alert-edit"
            onClick={() => (alertTarget.value = { rules: [rule], alert })}
          >
            Edit…
          </button>
        )}
        <Silence alert={alert} />
        <DeleteQuestion
          name={name}
          warning={alert.firing.length > 0 ? "Its receivers are told that it has ended." : "It sends no more messages."}
          doing="delete the alert"
          testid="alert"
          remove={() => deleteAlert(id)}
        >
          {name}
        </DeleteQuestion>
      </div>
    </li>
  );
}

function FiringSeries({ alert, rule }: { alert: ListedAlert; rule: RecordingRule }) {
  const { kind, unit, firing } = alert;
  return (
    <ul class="alert-firing" data-testid="alert-firing">
      {firing.map(({ labels, since, value }) => {
        const words = labelWords(labels);
        const amount = alertValue(kind, value, unit);
        const compared = comparisonAround(alert, rule, labels, since);
        const target = profilesAround(alert, rule, labels, since);
        return (
          <li key={words} data-testid="firing-series">
            {words && <span>{words}</span>}
            <b>{amount || "no profiles"}</b>
            <span class="soft">
              {amount ? "since" : "firing since"} {formatMinute(since)}
            </span>
            {compared && (
              <a {...linkTo(compared)} title="Compare with the time just before" data-testid="firing-compared">
                Compare<span class="hidden"> {words || alert.name}</span>
              </a>
            )}
            {target && (
              <a {...linkTo(target)} data-testid="firing-profiles">
                Profiles<span class="hidden"> of {words || alert.name}</span>
              </a>
            )}
          </li>
        );
      })}
    </ul>
  );
}

const HOUR = 3_600_000;
const SILENCES = [
  { label: "1 h", millis: HOUR },
  { label: "8 h", millis: 8 * HOUR },
  { label: "1 day", millis: 24 * HOUR },
];

/** No messages for some time, or again. */
function Silence({ alert }: { alert: ListedAlert }) {
  const asked = useSignal(false);
  const first = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => first.current?.focus(), [asked.value]);
  const { running, wrong, run } = useSaving("silence the alert");
  const silence = (until: number) =>
    run(async () => {
      await saveAlert({ ...storedAlert(alert), silenced_until: until });
      asked.value = false;
    });
  const note = wrong && (
    <p role="alert" data-testid="silence-problem">
      {wrong}
    </p>
  );
  if (isSilenced(alert, clock.value))
    return (
      <>
        <button
          type="button"
          class="control"
          aria-label={`End silence of ${alert.name}`}
          disabled={running}
          data-testid="silence-end"
          onClick={() => void silence(0)}
        >
          End silence
        </button>
        {note}
      </>
    );
  if (!asked.value)
    return (
      <button
        type="button"
        class="control"
        aria-label={`Silence ${alert.name}`}
        data-testid="silence"
        onClick={() => (asked.value = true)}
      >
        Silence…
      </button>
    );
  return (
    <fieldset class="alert-silence" aria-label={`How long to silence ${alert.name}`}>
      <span>No messages for</span>
      {SILENCES.map(({ label, millis }, i) => (
        <button
          type="button"
          key={label}
          ref={i === 0 ? first : undefined}
          class="control"
          disabled={running}
          data-testid={`silence-${label.replace(" ", "")}`}
          onClick={() => void silence(Date.now() + millis)}
        >
          {label}
        </button>
      ))}
      <button type="button" class="control" onClick={() => (asked.value = false)}>
        Cancel
      </button>
      {note}
    </fieldset>
  );
}
