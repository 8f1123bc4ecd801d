import { useAction } from "../../state/action.ts";
import { settingsOpen } from "../../state/page/settingsopen.ts";
import { changeSetting, useSettings } from "../../state/query/settings.ts";
import { filled } from "../../state/query/template.ts";
import { Dialog } from "../controls/dialog.tsx";
import { SavedViews } from "../services/savedviews.tsx";
import { ProblemNote } from "../status/problemnote.tsx";
import { RetryNote } from "../status/retrynote.tsx";
import { PinList } from "./pinlist.tsx";
import { SymbolList } from "./symbollist.tsx";
import "../../style/settings.css";

/** What a template of a trace's address may name. */
const NAMES = ["trace", "span", "service", "from", "until"];
const EXAMPLE = Object.fromEntries(NAMES.map((name) => [name, name]));

/** Settings for all who look at the profiles of this tenant. */
export function SettingsDialog() {
  const { value, problem } = useSettings();
  return (
    <Dialog
      class="settings"
      title="Saved views and settings for everyone"
      testid="settings"
      onClose={() => (settingsOpen.value = false)}
    >
      {(close) => (
        <>
          {problem && <RetryNote problem={problem} />}
          <SavedViews all />
          {value ? <Form current={value} done={close} /> : !problem && <p class="hint">Reading the settings…</p>}
          <PinList />
          <SymbolList />
        </>
      )}
    </Dialog>
  );
}

function Form({ current, done }: { current: Record<string, string>; done: () => void }) {
  const { running, problem, run } = useAction("save the settings");
  const save = async (event: Event) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    await run(async () => {
      const wanted = String(form.get("trace-url") ?? "").trim();
      if (wanted !== (current["trace-url"] ?? "")) await changeSetting("trace-url", wanted);
      done();
    });
  };
  return (
    <form class="settings-form" onSubmit={(event) => void save(event)}>
      <label>
        Trace URL
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
              wrong ? `The URL must start with https:// and may only use {${NAMES.join("}, {")}}.` : "",
            );
          }}
        />
      </label>
      <p class="hint">
        Spans and traces link to this URL. Placeholders: <code>{`{${NAMES.join("} {")}}`}</code>. Times are in
        milliseconds.
      </p>
      {problem.value && (
        <div data-testid="settings-problem">
          <ProblemNote problem={problem.value} />
        </div>
      )}
      <button type="submit" class="control primary" disabled={running.value} data-testid="settings-save">
        Save
      </button>
    </form>
  );
}
