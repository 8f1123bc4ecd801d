import { useSignal } from "@preact/signals";
import { useAction } from "../../state/action.ts";
import { copyText } from "../../state/page/clipboard.ts";
import { recordTarget } from "../../state/page/record.ts";
import { settingsOpen } from "../../state/page/settingsopen.ts";
import { saveView } from "../../state/query/views.ts";
import { href, route } from "../../state/url/router.ts";
import { LONGEST_NAME, shortLink } from "../../state/url/savedview.ts";
import { Icon } from "../controls/icon.tsx";
import "../../style/shares.css";

/** As it appears: a browser minds `autofocus` outside of dialogs once. */
const focus = (input: HTMLInputElement | null) => input?.focus();

/** Saves what is seen under a name, for everyone, and copies a short link to it. */
export function SaveView({ done }: { done: () => void }) {
  const open = useSignal(false);
  const { running, problem, run } = useAction("save the view");
  if (!open.value)
    return (
      <>
        <button type="button" data-testid="save-view" onClick={() => (open.value = true)}>
          <Icon name="star" /> Save this view…
        </button>
        <button
          type="button"
          data-testid="saved-views-link"
          onClick={() => {
            done();
            settingsOpen.value = true;
          }}
        >
          <Icon name="sliders" /> Saved views…
        </button>
        {route.value.page === "explore" && (
          <button
            type="button"
            data-testid="record-open"
            onClick={() => {
              done();
              recordTarget.value = { func: "", path: [] };
            }}
          >
            <Icon name="chart" /> Record as a metric…
          </button>
        )}
      </>
    );
  const save = async (event: Event) => {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget as HTMLFormElement).get("name") ?? "").trim();
    await run(async () => {
      const id = await saveView(name, route.peek());
      done();
      await copyText(href(shortLink(id)), "a short link; the view is on the front page");
    });
  };
  return (
    <form class="save-view" onSubmit={(event) => void save(event)}>
      <input
        name="name"
        required
        pattern=".*\S.*"
        maxLength={LONGEST_NAME}
        placeholder="View name"
        aria-label="View name"
        data-testid="save-view-name"
        ref={focus}
      />
      <button type="submit" disabled={running.value} data-testid="save-view-give">
        Save
      </button>
      {problem.value && (
        <small role="alert">
          {problem.value.title}. {problem.value.detail}
        </small>
      )}
    </form>
  );
}
