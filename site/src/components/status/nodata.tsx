import type { Service } from "../../api.ts";
import { address } from "../../base.ts";
import { catalogNote } from "../../bucket/published.ts";
import { shown, work } from "../../state/profile/shown.ts";
import { lacking, namesOf } from "../../state/query/common.ts";
import { links, linksLabel } from "../../state/query/loadexplore.ts";
import { apart, placeOf } from "../../state/query/place.ts";
import { sidePlace } from "../../state/query/placenames.ts";
import { matcherLabel } from "../../state/query/selector.ts";
import { otherServices, server, services, span } from "../../state/query/services.ts";
import { exploreSide, SIDE_TITLES, sideSpan, widest } from "../../state/query/sides.ts";
import { clock } from "../../state/url/clock.ts";
import { diffRoute, go, serviceRoute, visit } from "../../state/url/router.ts";
import type { SideName } from "../../state/url/values.ts";
import { type Span, spanLabel } from "../../time/range.ts";
import { Note } from "./problemnote.tsx";
import { RetryNote } from "./retrynote.tsx";

/** Why there may be nothing to see, with a click to widen. */
export function NoData() {
  const at = serviceRoute.value;
  const { service, base } = at;
  const window = at.page === "explore" && at.window;
  const problem = services.value.problem ?? otherServices.value.problem;
  if (problem) {
    return <RetryNote problem={problem} />;
  }
  if (services.value.state === "loading" || otherServices.value.state === "loading" || work.value) return null;
  const hasFilters = base.filters.length > 0 || (at.page === "diff" && at.other.filters.length > 0);
  const filtered = hasFilters && mayHave(services.value.value, span.value);
  const none = services.value.value?.length === 0;
  const linked = links.value;
  const answer = shown.value;
  const old = catalogNote(placeOf("base"), span.value.until, Date.now());
  if (answer.state === "empty" && answer.sides) return <EmptySides sides={answer.sides} />;
  return (
    <Note
      title={
        none
          ? "No service has sent profiles in this range"
          : `No profiles of ${service || "this service"} in this range`
      }
      testid="empty"
    >
      <p>
        {linked
          ? `No samples of ${linksLabel(linked)} in this range.`
          : filtered
            ? "No profiles in this range have all of these labels."
            : `Choose a longer range${none ? "" : " or another type"}.`}
      </p>
      {old && <p>{old}</p>}
      {!linked && !filtered && server.value === "present" && placeOf("base") === "" && (
        <p>
          Is the service new? See <a href={address("docs/push.html")}>how services send profiles</a>.
        </p>
      )}
      <div class="note-actions">
        {linked && (
          <button type="button" class="control primary" onClick={() => go({ spans: [], traces: [] })}>
            Show all samples
          </button>
        )}
        {filtered && <RemoveFilters sides={["base", "other"]} />}
        {window && (
          <button type="button" class="control primary" onClick={() => go({ window: null })}>
            Show the whole range
          </button>
        )}
        {at.page === "explore" && base.from !== widest().range.from && (
          <button
            type="button"
            class={filtered || window ? "control" : "control primary"}
            data-testid="widen"
            onClick={() => go({ base: { ...base, ...widest().range }, window: null })}
          >
            {widest().label}
          </button>
        )}
        <AllServices />
      </div>
    </Note>
  );
}

/** Which sides of a comparison have nothing, and what was looked for there. */
function EmptySides({ sides }: { sides: SideName[] }) {
  const { service, type } = diffRoute.value;
  const filled = sides.length === 1 ? (sides[0] === "base" ? "other" : "base") : null;
  const filtered = sides.some(
    (side) => diffRoute.value[side].filters.length > 0 && mayHave(servicesOf(side), sideSpan(side)),
  );
  return (
    <Note title={sides.length > 1 ? "No profiles on either side" : "No profiles on one side"} testid="empty">
      {sides.map((side) => (
        <p key={side}>
          The {SIDE_TITLES[side]} has no profiles: {service}
          {diffRoute.value[side].filters.map((filter) => ` ${matcherLabel(filter)}`)},{" "}
          {spanLabel(sideSpan(side), clock.value)}.{apart.value && ` ${lacks(side, service, type)}`}
        </p>
      ))}
      <div class="note-actions">
        {filtered && <RemoveFilters sides={sides} />}
        {filled && (
          <button type="button" class={filtered ? "control" : "control primary"} onClick={() => exploreSide(filled)}>
            Show only the {SIDE_TITLES[filled]} side
          </button>
        )}
        {!filled && <AllServices />}
      </div>
    </Note>
  );
}

const servicesOf = (side: SideName) => (side === "other" && apart.value ? otherServices : services).value.value;

/** What the place of a side has instead. */
function lacks(side: SideName, service: string, type: string): string {
  const found = servicesOf(side);
  return found ? lacking(sidePlace(side), namesOf(found), service, type) : "";
}

/** Whether there may be profiles in a time with other labels: without any, to remove filters helps nothing. */
function mayHave(found: Service[] | undefined, { from, until }: Span): boolean {
  const { service, type } = serviceRoute.value;
  const own = found?.find(({ name }) => name === service)?.types.find(({ id }) => id === type);
  if (!own) return found === undefined;
  const { start, step, counts } = own;
  return counts.some((count, i) => count > 0 && start + (i + 1) * step > from && start + i * step < until);
}

function RemoveFilters({ sides }: { sides: SideName[] }) {
  const unfiltered = () => Object.fromEntries(sides.map((side) => [side, { ...diffRoute.peek()[side], filters: [] }]));
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
