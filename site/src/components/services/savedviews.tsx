import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { reportFailure } from "../../state/page/failure.ts";
import { settingsOpen } from "../../state/page/settings.ts";
import { useSettings } from "../../state/query/settings.ts";
import { deleteView } from "../../state/query/views.ts";
import { go, href, urlState } from "../../state/url/router.ts";
import { type SavedView, viewsOf } from "../../state/url/savedview.ts";
import { formatInstant } from "../../time/range.ts";
import { Icon } from "../controls/icon.tsx";
import { onPlainClick } from "../header/header.tsx";
import { Note } from "../status/problemnote.tsx";
import "../../style/shares.css";

/** Views that people have saved, in the settings; nothing where there are none. A short link leads on to its own. */
export function SavedViews() {
  const { saved } = urlState.value;
  const { value } = useSettings();
  const views = viewsOf(value ?? {});
  const wanted = views.find(({ id }) => id === saved);
  useEffect(() => {
    if (wanted) go(wanted.target, "replace");
  }, [wanted?.id]);
  return (
    <>
      {saved !== "" && value && !wanted && (
        <Note title="This view is not saved here any more" testid="view-unknown">
          <p>Somebody has deleted it, or the link is of another server.</p>
          <div class="note-actions">
            <button type="button" class="control primary" onClick={() => go({ saved: "" }, "replace")}>
              All services
            </button>
          </div>
        </Note>
      )}
      {views.length > 0 && (
        <section class="shared" aria-label="Saved views" data-testid="saved-views">
          <h2>Saved views</h2>
          <ul>
            {views.map((view) => (
              <Item key={view.id} view={view} />
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

/** The first press of its button asks, the second deletes. */
function Item({ view }: { view: SavedView }) {
  const { id, name, target, saved } = view;
  const asked = useSignal(false);
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
      {asked.value ? (
        <button
          type="button"
          class="control danger"
          data-testid="delete-view"
          onBlur={() => (asked.value = false)}
          onClick={() => void deleteView(id).catch((failure) => reportFailure(failure, `delete ${name}`))}
        >
          Delete for everyone
        </button>
      ) : (
        <>
          <span class="soft">{target.service}</span>
          <button
            type="button"
            class="control icon-only quiet"
            title={`Delete ${name}`}
            onClick={() => (asked.value = true)}
          >
            <Icon name="close" />
          </button>
        </>
      )}
    </li>
  );
}
