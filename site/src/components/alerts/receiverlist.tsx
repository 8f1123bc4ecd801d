import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { plural } from "../../format/value.ts";
import { token } from "../../state/page/token.ts";
import {
  deleteReceiver,
  type Receiver,
  type ReceiverKind,
  saveReceiver,
  testReceiver,
} from "../../state/query/alertlist.ts";
import { useSaving } from "../../state/saving.ts";
import { formatMinute } from "../../time/range.ts";
import { Icon } from "../controls/icon.tsx";
import { DeleteQuestion } from "../rules/deletequestion.tsx";

const KINDS: Record<ReceiverKind, { label: string; url: string; token: string }> = {
  webhook: { label: "Webhook", url: "https://hooks.example.com/pilotlight", token: "Sent as a bearer token" },
  slack: { label: "Slack", url: "https://hooks.slack.com/services/…", token: "Not needed for Slack's webhooks" },
  alertmanager: { label: "Alertmanager", url: "https://alertmanager.example.com", token: "Sent as a bearer token" },
};
const NAMES = Object.keys(KINDS) as ReceiverKind[];

/** Who gets the messages of alerts. */
export function ReceiverList({ receivers }: { receivers: Receiver[] }) {
  const adding = useSignal(false);
  return (
    <section class="alerts-part" aria-labelledby="alerts-receivers" data-testid="receivers">
      <h2 id="alerts-receivers">Receivers</h2>
      {receivers.length === 0 && (
        <p data-testid="receivers-empty">
          A receiver gets a message when an alert fires and when it ends: a webhook, a Slack channel or an Alertmanager.
          Without one, you see alerts only on this site.
        </p>
      )}
      {receivers.length > 0 && (
        <ul class="receivers">
          {receivers.map((receiver) => (
            <Item key={receiver.name} receiver={receiver} />
          ))}
        </ul>
      )}
      {adding.value ? (
        <Form taken={receivers.map(({ name }) => name)} done={() => (adding.value = false)} />
      ) : (
        <button type="button" class="control" data-testid="receiver-add" onClick={() => (adding.value = true)}>
          <Icon name="plus" /> Add receiver
        </button>
      )}
    </section>
  );
}

function Item({ receiver }: { receiver: Receiver }) {
  const { name, kind, host, sent, error, waiting } = receiver;
  const { running, wrong, run } = useSaving("send the test message");
  const outcome = useSignal("");
  const test = () => {
    outcome.value = "";
    void run(async () => {
      const status = await testReceiver(name);
      outcome.value = `Test message sent: ${host} answered with status ${status}.`;
    });
  };
  return (
    <li data-testid="receiver" data-name={name}>
      <div class="receiver-about">
        <b>{name}</b>
        <span class="soft">
          {KINDS[kind]?.label ?? kind} · {host}
        </span>
        <span class="soft" data-testid="receiver-sent">
          {sent > 0 ? `last message ${formatMinute(sent)}` : "no message delivered yet"}
          {waiting > 0 && ` · ${plural(waiting, "message")} waiting to be sent`}
        </span>
        {error && (
          <p class="alert-error" data-testid="receiver-error">
            Last failure: {error}
          </p>
        )}
        <p role="status" class="receiver-outcome" data-testid="receiver-outcome">
          {running ? "Sending…" : wrong || outcome.value}
        </p>
      </div>
      <div class="rule-actions">
        <button
          type="button"
          class="control"
          aria-label={`Send a test message to ${name}`}
          disabled={running}
          data-testid="receiver-test"
          onClick={test}
        >
          Test
        </button>
        <DeleteQuestion
          name={name}
          warning="Its waiting messages are deleted, too."
          doing="delete the receiver"
          testid="receiver"
          remove={() => deleteReceiver(name)}
        >
          {name}
        </DeleteQuestion>
      </div>
    </li>
  );
}

function Form({ taken, done }: { taken: string[]; done: () => void }) {
  const kind = useSignal<ReceiverKind>("webhook");
  const name = useSignal("");
  const first = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => first.current?.focus(), []);
  const { running, wrong, run } = useSaving("save the receiver");
  const save = (event: Event) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = (field: string) => String(form.get(field) ?? "").trim();
    void run(async () => {
      await saveReceiver({ name: name.value.trim(), kind: kind.value, url: text("url"), token: text("token") });
      done();
    });
  };
  const hints = KINDS[kind.value];
  return (
    <form class="receiver-form" onSubmit={save} data-testid="receiver-form">
      <fieldset class="segmented" aria-label="Kind">
        {NAMES.map((one) => (
          <button
            type="button"
            key={one}
            aria-pressed={kind.value === one}
            data-testid={`receiver-kind-${one}`}
            onClick={() => (kind.value = one)}
          >
            {KINDS[one].label}
          </button>
        ))}
      </fieldset>
      <label class="alert-field">
        Name
        <input
          required
          ref={first}
          pattern=".*\S.*"
          autocomplete="off"
          placeholder="ops"
          value={name}
          data-testid="receiver-name"
          onInput={(event) => (name.value = event.currentTarget.value)}
        />
        {taken.includes(name.value.trim()) && <small class="hint">Replaces the receiver of this name.</small>}
      </label>
      <label class="alert-field">
        URL
        <input
          name="url"
          required
          type="url"
          pattern="https?://.*"
          autocomplete="off"
          placeholder={hints.url}
          data-testid="receiver-url"
        />
      </label>
      <label class="alert-field">
        Token (optional)
        <input name="token" type="password" autocomplete="off" placeholder={hints.token} data-testid="receiver-token" />
      </label>
      {token.value !== "" && <p class="hint">Adding receivers requires a token with the admin scope.</p>}
      {wrong && (
        <p role="alert" data-testid="receiver-problem">
          {wrong}
        </p>
      )}
      <div class="rule-actions">
        <button type="submit" class="control primary" disabled={running} data-testid="receiver-save">
          Save
        </button>
        <button type="button" class="control" onClick={done}>
          Cancel
        </button>
      </div>
    </form>
  );
}
