import { shown, work } from "../../state/profile/shown.ts";
import { matcherLabel } from "../../state/query/selector.ts";
import { services } from "../../state/query/services.ts";
import { SIDE_TITLES, sideSpan } from "../../state/query/sides.ts";
import { clock, refresh } from "../../state/url/clock.ts";
import { go, urlState, visit } from "../../state/url/router.ts";
import { initialUrlState, type SideName } from "../../state/url/urlstate.ts";
import { spanLabel } from "../../time/range.ts";
import { Note, ProblemNote } from "./problemnote.tsx";

/** Why there may be nothing to see, with a click to widen. */
export function NoData() {
  const { service, base, other, window, route } = urlState.value;
  if (services.value.problem) {
    return (
      <ProblemNote problem={services.value.problem}>
        <button type="button" class="control primary" onClick={refresh}>
          Try again
        </button>
      </ProblemNote>
    );
  }
  if (services.value.state === "loading" || work.value) return null;
  const filtered = base.filters.length > 0 || (route === "diff" && other.filters.length > 0);
  const none = services.value.value?.length === 0;
  const answer = shown.value;
  if (answer.state === "empty" && answer.sides) return <EmptySides sides={answer.sides} />;
  return (
    <Note
      title={none ? "No service has sent profiles in this range" : `Nothing from ${service || "this service"} here`}
      testid="empty"
    >
      <p>
        {filtered
          ? "No profile in this time range carries all of these labels."
          : "No profile of this type was taken in this time range."}
      </p>
      <div class="note-actions">
        {filtered && <RemoveFilters sides={["base", "other"]} />}
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
        <AllServices />
      </div>
    </Note>
  );
}

/** Which sides of a comparison have nothing, and what was looked for there. */
function EmptySides({ sides }: { sides: SideName[] }) {
  const { service, type, base, other } = urlState.value;
  const filled = sides.length === 1 ? (sides[0] === "base" ? other : base) : null;
  const filtered = sides.some((side) => urlState.value[side].filters.length > 0);
  return (
    <Note title={sides.length > 1 ? "Neither side has profiles" : "One side is empty"} testid="empty">
      {sides.map((side) => (
        <p key={side}>
          The {SIDE_TITLES[side]} has no profiles: {service}
          {urlState.value[side].filters.map((filter) => ` ${matcherLabel(filter)}`)},{" "}
          {spanLabel(sideSpan(side), clock.value)}.
        </p>
      ))}
      <div class="note-actions">
        {filtered && <RemoveFilters sides={sides} />}
        {filled && (
          <button
            type="button"
            class={filtered ? "control" : "control primary"}
            onClick={() => go({ ...initialUrlState("explore"), service, type, base: filled })}
          >
            Explore the {SIDE_TITLES[sides[0] === "base" ? "other" : "base"]} alone
          </button>
        )}
        {!filled && <AllServices />}
      </div>
    </Note>
  );
}

function RemoveFilters({ sides }: { sides: SideName[] }) {
  const unfiltered = () => Object.fromEntries(sides.map((side) => [side, { ...urlState.peek()[side], filters: [] }]));
  return (
    <button type="button" class="control primary" onClick={() => go(unfiltered())}>
      Remove {sides.length > 1 ? "the" : "its"} filters
    </button>
  );
}

function AllServices() {
  return (
    <button type="button" class="control" onClick={() => visit("home")}>
      All services
    </button>
  );
}
