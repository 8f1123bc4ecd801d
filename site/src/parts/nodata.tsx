import { go, place, visit } from "../state/router.ts";
import { services } from "../state/services.ts";
import { shown, work } from "../state/shown.ts";
import { Note, ProblemNote } from "./problem.tsx";

/** Why there may be nothing to see, with a click to widen. */
export function NoData() {
  const { service, base, other, window, route } = place.value;
  if (services.value.problem) return <ProblemNote problem={services.value.problem} />;
  if (services.value.state === "loading" || work.value) return null;
  const filtered = base.filters.length > 0 || (route === "diff" && other.filters.length > 0);
  const none = services.value.value?.length === 0;
  return (
    <Note title={none ? "No service has sent profiles in this range" : `Nothing from ${service || "this service"} here`} testid="empty">
      <p>
        {filtered
          ? "No profile in this time range carries all of these labels."
          : "No profile of this type was taken in this time range."}
      </p>
      <div class="note-actions">
        {filtered && (
          <button
            type="button"
            class="control primary"
            onClick={() => go({ base: { ...base, filters: [] }, other: { ...other, filters: [] } })}
          >
            Remove the filters
          </button>
        )}
        {window && (
          <button type="button" class="control primary" onClick={() => go({ window: null })}>
            Show the whole range
          </button>
        )}
        {route === "explore" && base.from !== "now-7d" && (
          <button
            type="button"
            class={filtered || window ? "control" : "control primary"}
            data-testid="widen"
            onClick={() => go({ base: { ...base, from: "now-7d", until: "now" }, window: null })}
          >
            Look at the last 7 days
          </button>
        )}
        {shown.value.state === "empty" || none ? (
          <button type="button" class="control" onClick={() => visit("home")}>
            All services
          </button>
        ) : null}
      </div>
    </Note>
  );
}
