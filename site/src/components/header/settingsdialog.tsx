import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { settingsOpen } from "../../state/page/settings.ts";
import { type Problem, problemOf } from "../../state/problem.ts";
import { changeSetting, useSettings } from "../../state/query/settings.ts";
import { filled } from "../../state/query/template.ts";
import { Icon } from "../controls/icon.tsx";
import { SavedViews } from "../services/savedviews.tsx";
import { ProblemNote } from "../status/problemnote.tsx";
import { RetryNote } from "../status/retrynote.tsx";
import { PinList } from "./pinlist.tsx";
import "../../style/settings.css";

/** What a template of a trace's address may name. */
const NAMES = ["trace", "span", "service", "from", "until"];
const EXAMPLE = Object.fromEntries(NAMES.map((name) => [name, name]));

/** Settings for all who look at the profiles of this tenant. */
export function SettingsDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const { value, problem } = useSettings();
  return (
    <dialog
      class="help settings"
      ref={dialog}
      aria-labelledby="settings-title"
      data-testid="settings"
      onClose={() => (settingsOpen.value = false)}
    >
      <div class="help-head">
        <h2 id="settings-title">For everyone here</h2>
        <button type="button" class="control icon-only" title="Close" onClick={() => dialog.current?.close()}>
          <Icon name="close" />
        </button>
      </div>
      {problem && <RetryNote problem={problem} />}
      {value ? (
        <Form current={value} done={() => dialog.current?.close()} />
      ) : (
        !problem && <p class="hint">Reading the settings…</p>
      )}
      <SavedViews />
      <PinList />
    </dialog>
  );
}

function Form({ current, done }: { current: Record<string, string>; done: () => void }) {
  const saving = useSignal(false);
  const problem = useSignal<Problem | null>(null);
  const save = async (event: Event) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    saving.value = true;
    problem.value = null;
    try {
      const wanted = String(form.get("trace-url") ?? "").trim();
      if (wanted !== (current["trace-url"] ?? "")) await changeSetting("trace-url", wanted);
      done();
    } catch (failure) {
      problem.value = problemOf(failure, "save the settings");
    }
    saving.value = false;
  };
  return (
    <form class="settings-form" onSubmit={(event) => void save(event)}>
      <label>
        Address of a trace
        <input
          name="trace-url"
          type="text"
          inputMode="url"
          spellcheck={false}
          placeholder="https://traces.example.com/trace/{trace}"
          defaultValue={current["trace-url"]}
          data-testid="settings-trace"
          onInput={({ currentTarget: input }) => {
            const wrong = input.value.trim() !== "" && filled(input.value, EXAMPLE) === null;
            input.setCustomValidity(
              wrong ? `This should begin with https:// and name no others than {${NAMES.join("}, {")}}.` : "",
            );
          }}
        />
      </label>
      <p class="hint">
        Spans and traces lead there. <code>{`{${NAMES.join("} {")}}`}</code> stand for the ids, the service and the
        times, in milliseconds.
      </p>
      {problem.value && (
        <div data-testid="settings-problem">
          <ProblemNote problem={problem.value} />
        </div>
      )}
      <button type="submit" class="control primary" disabled={saving.value} data-testid="settings-save">
        Save
      </button>
    </form>
  );
}
