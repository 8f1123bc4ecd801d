import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { AlertTarget } from "../../state/page/alerttarget.ts";
import { type AlertKind, alertWords, isLevel, previewHours, storedAlert } from "../../state/query/alert.ts";
import {
  type AlertDraft,
  drafted,
  draftOf,
  KINDS,
  newDraft,
  refusedKind,
  withKind,
} from "../../state/query/alertdraft.ts";
import { saveAlert, useAlerts } from "../../state/query/alertlist.ts";
import { alertLoads, previewPoints } from "../../state/query/alertloads.ts";
import { exportedName, queryParts } from "../../state/query/recordingrule.ts";
import { subjectOf, useRulePreview } from "../../state/query/recordingrules.ts";
import { useSaving } from "../../state/saving.ts";
import { initialRoute } from "../../state/url/route.ts";
import { go, href, route } from "../../state/url/router.ts";
import { Dialog } from "../controls/dialog.tsx";
import { onPlainClick } from "../controls/link.ts";
import { AlertPreview } from "./alertpreview.tsx";
import { Condition } from "./condition.tsx";
import "../../style/rules.css";
import "../../style/alerts.css";

const HOUR = 3_600_000;

const KIND_LABELS: Record<AlertKind, { label: string; title: string }> = {
  above: { label: "Above", title: "The value is above a threshold" },
  below: { label: "Below", title: "The value is below a threshold" },
  grew: { label: "Grows", title: "Grows by more than it varies by chance" },
  new_function: { label: "New function", title: "A function appears that wasn't there in the preceding 24 h" },
  silent: { label: "No profiles", title: "Profiles no longer arrive" },
};

/** Makes an alert on a rule, or edits one. */
export function AlertDialog({ target, onClose }: { target: AlertTarget; onClose: () => void }) {
  const saved = useSignal<AlertKind | null>(null);
  return (
    <Dialog class="record" title={target.alert ? "Edit alert" : "New alert"} testid="alert" onClose={onClose}>
      {(close) =>
        saved.value !== null ? (
          <Saved kind={saved.value} close={close} />
        ) : (
          <Form
            target={target}
            done={(kind) => {
              // That page shows it.
              if (route.peek().page === "alerts") close();
              else saved.value = kind;
            }}
          />
        )
      }
    </Dialog>
  );
}

function Form({ target: { rules, alert: stored }, done }: { target: AlertTarget; done: (kind: AlertKind) => void }) {
  const chosen = useSignal(stored?.rule ?? rules[0].id);
  const rule = rules.find(({ id }) => id === chosen.value) ?? rules[0];
  const state = useSignal<AlertDraft>(stored ? draftOf(stored, rule) : newDraft());
  const draft = state.value;
  const change = (patch: Partial<AlertDraft>) => {
    state.value = { ...draft, ...patch };
  };
  const opened = useRef(Date.now());
  const span = { from: opened.current - previewHours(draft.kind) * HOUR, until: opened.current };
  const preview = useRulePreview(rule, span, previewPoints(draft.kind, span));
  // Of another rule, values have another unit and another size.
  const values = preview.value?.subject === subjectOf(rule) ? preview.value : undefined;
  const loads = values && alertLoads(draft, values, queryParts(rule.query).type, span);
  const made = drafted(draft, rule, stored && storedAlert(stored), loads);
  const { alert } = made;
  const isKnown = Number.isFinite(alert.threshold);
  const { running, wrong, run } = useSaving("save the alert");
  const save = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      await saveAlert(alert);
      done(alert.kind);
    });
  };
  return (
    <form class="record-form" onSubmit={save}>
      <p data-testid="alert-words">{alertWords(alert, rule)}.</p>
      {rules.length > 1 && !stored && (
        <label class="alert-field">
          Rule
          <select
            class="control"
            data-testid="alert-rule"
            value={rule.id}
            onChange={(event) => {
              chosen.value = event.currentTarget.value;
              state.value = newDraft();
            }}
          >
            {rules.map((one) => (
              <option key={one.id} value={one.id}>
                {exportedName(one)}
              </option>
            ))}
          </select>
        </label>
      )}
      <fieldset class="segmented alert-kinds" aria-label="When it fires">
        {KINDS.map((kind) => {
          const refused = refusedKind(kind, rule);
          const { label, title } = KIND_LABELS[kind];
          return (
            <button
              type="button"
              key={kind}
              title={refused || title}
              disabled={refused !== ""}
              aria-pressed={kind === draft.kind}
              data-testid={`alert-kind-${kind}`}
              onClick={() => {
                // What was stored comes back with its kind.
                state.value = kind === stored?.kind ? draftOf(stored, rule) : withKind(draft, kind, rule);
              }}
            >
              {label}
            </button>
          );
        })}
      </fieldset>
      <Condition draft={draft} made={made} rule={rule} onChange={change} />
      <label class="alert-field">
        Name
        <input
          required
          pattern=".*\S.*"
          autocomplete="off"
          value={alert.name}
          data-testid="alert-name"
          onInput={(event) => change({ name: event.currentTarget.value })}
        />
      </label>
      <Receivers chosen={draft.receivers} onChange={(receivers) => change({ receivers })} />
      <AlertPreview
        kind={draft.kind}
        alert={isKnown ? alert : null}
        loads={{ ...preview, value: loads }}
        rule={rule}
        span={span}
        threshold={isKnown && isLevel(alert.kind) ? alert.threshold : null}
      />
      {wrong && (
        <p role="alert" data-testid="alert-problem">
          {wrong}
        </p>
      )}
      <button type="submit" class="control primary" disabled={running} data-testid="alert-save">
        {stored ? "Save" : "Create alert"}
      </button>
    </form>
  );
}

/** Who gets messages: all, also those that are added later, or some. */
function Receivers({ chosen, onChange }: { chosen: string[]; onChange: (receivers: string[]) => void }) {
  const { value } = useAlerts();
  const known = value?.receivers.map(({ name }) => name) ?? [];
  // One that was deleted since can still be unchecked.
  const names = [...known, ...chosen.filter((name) => !known.includes(name))];
  if (names.length === 0)
    return (
      <p class="hint">{value && "The page Alerts shows what is firing. To get messages, add a receiver there."}</p>
    );
  const toggle = (name: string) =>
    onChange(chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name]);
  return (
    <fieldset class="record-by">
      <legend>Send messages to</legend>
      <label class="check">
        <input
          type="checkbox"
          checked={chosen.length === 0}
          data-testid="alert-receivers-all"
          // The last one that is unchecked leads back to all.
          onChange={() => onChange(chosen.length === 0 ? names : [])}
        />
        All receivers
      </label>
      {names.map((name) => (
        <label key={name} class="check">
          <input
            type="checkbox"
            checked={chosen.length === 0 || chosen.includes(name)}
            disabled={chosen.length === 0}
            data-testid="alert-receiver"
            data-name={name}
            onChange={() => toggle(name)}
          />
          {name}
        </label>
      ))}
    </fieldset>
  );
}

function Saved({ kind, close }: { kind: AlertKind; close: () => void }) {
  const { value } = useAlerts();
  const target = initialRoute("alerts");
  return (
    <div class="record-form" data-testid="alert-saved">
      <p>
        The alert is saved. It is evaluated every {kind === "new_function" ? "ten minutes" : "minute"}, with a delay of
        two minutes.
        {value?.receivers.length === 0 && " To get messages, add a receiver on the page Alerts."}
      </p>
      <div class="rule-actions">
        <a
          class="control primary"
          href={href(target)}
          data-testid="alert-all"
          onClick={(event) =>
            onPlainClick(event, () => {
              close();
              go(target);
            })
          }
        >
          All alerts
        </a>
      </div>
    </div>
  );
}
