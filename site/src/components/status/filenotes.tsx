import { plural } from "../../format/value.ts";
import { shown } from "../../state/profile/shown.ts";

/** What is to be said of a file beside its samples: what its reader left out above all. */
export function FileNotes() {
  const answer = shown.value;
  const [first, ...more] = answer.state === "ready" ? answer.warnings : [];
  if (first === undefined) return null;
  return (
    <div class="file-notes" role="note" data-testid="notes">
      {more.length === 0 ? (
        first
      ) : (
        <details>
          <summary>
            {first} · <span class="link">{plural(more.length, "more note")}</span>
          </summary>
          <ul>
            {more.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}
