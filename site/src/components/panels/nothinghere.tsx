import { widest } from "../../state/query/sides.ts";
import { exploreRoute, go } from "../../state/url/router.ts";
import { Note } from "../status/problemnote.tsx";

/** Why a panel may be empty, and the ways out. `what` it would show, "profile" by default. */
export function NothingHere({ children, what = "profile" }: { children: string; what?: string }) {
  const { service, base, window } = exploreRoute.value;
  const filtered = base.filters.length > 0;
  const { label, range } = widest();
  return (
    <Note title={`No ${what}s to show for ${service || "this service"}`} testid="panel-empty">
      <p>{filtered ? `No ${what}s in this range have all of these labels.` : children}</p>
      <div class="note-actions">
        {filtered && (
          <button
            type="button"
            class="control primary"
            onClick={() => go({ base: { ...exploreRoute.peek().base, filters: [] } })}
          >
            Remove the filters
          </button>
        )}
        {window && (
          <button type="button" class="control" onClick={() => go({ window: null })}>
            Show the whole range
          </button>
        )}
        {base.from !== range.from && (
          <button type="button" class="control" onClick={() => go({ base: { ...base, ...range }, window: null })}>
            {label}
          </button>
        )}
      </div>
    </Note>
  );
}
