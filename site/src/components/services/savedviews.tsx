import { useEffect } from "preact/hooks";
import { settingsOpen } from "../../state/page/settingsopen.ts";
import { useSettings } from "../../state/query/settings.ts";
import { deleteView } from "../../state/query/views.ts";
import { go, homeRoute, href } from "../../state/url/router.ts";
import { type SavedView, viewsOf } from "../../state/url/savedview.ts";
import { formatInstant } from "../../time/range.ts";
import { DeleteForEveryone } from "../controls/deleteforeveryone.tsx";
import { onPlainClick } from "../controls/link.ts";
import { Note } from "../status/problemnote.tsx";
import { RetryNote } from "../status/retrynote.tsx";
import "../../style/shares.css";

/** On the front page; the settings list all. */
const MOST_AT_FIRST = 5;

/** Views that people have saved. A short link leads on to its own. */
export function SavedViews({ all = false }: { all?: boolean }) {
  const { saved } = homeRoute.value;
  const { value, problem } = useSettings();
  const views = viewsOf(value ?? {});
  const wanted = views.find(({ id }) => id === saved);
  useEffect(() => {
    if (wanted) go(wanted.target, "replace");
  }, [wanted?.id]);
  return (
    <>
      {saved !== null && problem && <RetryNote problem={problem} />}
      {saved !== null && value && !wanted && (
        <Note title="This view is no longer saved here" testid="view-unknown">
          <p>It was deleted, or the link belongs to another server.</p>
          <div class="note-actions">
            <button type="button" class="control primary" onClick={() => go({ saved: null }, "replace")}>
              All services
            </button>
          </div>
        </Note>
      )}
      {all && value && views.length === 0 && (
        <section class="shared" aria-label="Saved views" data-testid="no-saved-views">
          <h2>Saved views</h2>
          <p class="hint">None yet. To save one, open a service and choose Share → Save this view.</p>
        </section>
      )}
      {views.length > 0 && (
        <section class="shared" aria-label="Saved views" data-testid="saved-views">
          <h2>Saved views</h2>
          <ul>
            {(all ? views : views.slice(0, MOST_AT_FIRST)).map((view) => (
              <Item key={view.id} view={view} />
            ))}
          </ul>
          {!all && views.length > MOST_AT_FIRST && (
            <button type="button" class="link" data-testid="all-views" onClick={() => (settingsOpen.value = true)}>
              Show all {views.length}
            </button>
          )}
        </section>
      )}
    </>
  );
}

function Item({ view }: { view: SavedView }) {
  const { id, name, target, saved } = view;
  return (
    <li data-testid="saved-view">
      <a
        class="shared-name"
        href={href(target)}
        title={`${target.service}, saved ${formatInstant(saved)}`}
        onClick={(event) =>
          onPlainClick(event, () => {
            settingsOpen.value = false;
            go(target);
          })
        }
      >
        {name}
      </a>
      <DeleteForEveryone name={name} testid="delete-view" remove={() => deleteView(id)}>
        <span class="soft">{target.service}</span>
      </DeleteForEveryone>
    </li>
  );
}
