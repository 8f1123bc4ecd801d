import "../../style/changes.css";
import { formatStep, plural } from "../../format/value.ts";
import type { ChangeGroup } from "../../state/query/changed.ts";
import { type Answer, type ComparedSide, changes, comparable, progress } from "../../state/query/changes.ts";
import { comparingOf } from "../../state/query/comparing.ts";
import { placeOf } from "../../state/query/place.ts";
import { labels, span } from "../../state/query/services.ts";
import { comparedSides, widest } from "../../state/query/sides.ts";
import { clock } from "../../state/url/clock.ts";
import { initialRoute } from "../../state/url/route.ts";
import { exploreRoute, go } from "../../state/url/router.ts";
import { followingLabels, resolve, spanLabel } from "../../time/range.ts";
import { Select } from "../controls/select.tsx";
import { lazy } from "../lazy.tsx";
import { Note } from "../status/problemnote.tsx";
import { RetryNote } from "../status/retrynote.tsx";
import { Summary } from "./changessummary.tsx";
import { ChangesTable, comparison, Link, type TableName } from "./changestable.tsx";

const NoData = lazy(() => import("../status/nodata.tsx").then((module) => module.NoData));

/** The functions of a service whose share changed, between two versions or times, beyond what varies anyway. */
export function ChangesPanel() {
  const { state, value, problem } = changes.value;
  if (placeOf("base") !== "") return <NeedsServer />;
  // Without a type there is nothing of this service in the range.
  if (exploreRoute.value.type === "") return <NoData />;
  return (
    <div class="changes" data-testid="changes" data-state={state}>
      {problem && <RetryNote problem={problem} />}
      {value && <Sides answer={value} />}
      {!value && state === "loading" && <Progress />}
      {state === "idle" && !problem && labels.value.state === "loading" && <p class="hint">Listing the labels…</p>}
      {value && (
        <div class="changes-findings" aria-busy={state === "loading"}>
          <Findings answer={value} />
        </div>
      )}
    </div>
  );
}

function Progress() {
  const { done, of } = progress.value;
  return (
    <p class="hint" role="status" data-testid="changes-progress">
      {of === 0 ? "Looking for two sides to compare…" : `Read ${done} of ${of} parts…`}
    </p>
  );
}

function NeedsServer() {
  const { service, type, base, window } = exploreRoute.value;
  const target = { ...initialRoute("diff"), service, type, ...comparedSides(span.value, window, base.filters) };
  return (
    <Note title="This view needs a server" testid="changes-bundle">
      <p>
        Telling a change from minute-to-minute variation needs the functions of many short windows. A server computes
        them; from a bundle or bucket, every profile would have to be read.
      </p>
      <div class="note-actions">
        <Link class="control primary" target={target}>
          Compare the profiles directly
        </Link>
      </div>
    </Note>
  );
}

/** What is compared, and the choice of something else. */
function Sides({ answer }: { answer: Answer }) {
  const { label, values, sides, times } = answer;
  const { by } = exploreRoute.value;
  const of = (before: string, after: string) => ({ label, before, after });
  const [before, after] = followingLabels(sides.before.seen, sides.after.seen, clock.value);
  return (
    <div class="changes-sides">
      <Select
        label="Compare by"
        testid="changes-by"
        value={label}
        options={[
          ...comparable.value.map((name) => ({ value: name, label: name })),
          ...(label === "" || comparable.value.includes(label) ? [] : [{ value: label, label }]),
          { value: "", label: times },
        ]}
        onChange={(name) => go({ by: name === "" ? "time" : { label: name, before: "", after: "" } })}
      />
      {label === "" ? (
        <span class="changes-times">
          {before} <span aria-hidden="true">→</span> {after}
        </span>
      ) : (
        <span class="changes-values">
          <Select
            label="Before"
            testid="changes-before"
            value={sides.before.value}
            options={options(values, sides.before.value)}
            onChange={(value) => go({ by: of(value, sides.after.value) })}
          />
          <span aria-hidden="true">→</span>
          <Select
            label="After"
            testid="changes-after"
            value={sides.after.value}
            options={options(values, sides.after.value)}
            onChange={(value) => go({ by: of(sides.before.value, value) })}
          />
        </span>
      )}
      {comparingOf(by) && (
        <button type="button" class="control quiet" onClick={() => go({ by: null })}>
          Choose for me
        </button>
      )}
      <span class="spacer" />
      {changes.value.state === "loading" && <Progress />}
      <Link class="control" target={comparison(answer)} testid="changes-diff">
        Compare both profiles
      </Link>
    </div>
  );
}

function options(values: string[], chosen: string) {
  return [...new Set([...values, chosen])].map((value) => ({ value, label: value || "not set" }));
}

function Findings({ answer }: { answer: Answer }) {
  const { sides, changes: found, more, less } = answer;
  const empty = [sides.before, sides.after].filter(({ profiles }) => profiles === 0);
  if (empty.length > 0) return <Empty answer={answer} empty={empty} />;
  const largest = Math.max(
    ...found.listed.flatMap(({ before, after, interval }) => [
      Math.abs(after - before),
      Math.abs(interval?.low ?? 0),
      Math.abs(interval?.high ?? 0),
    ]),
  );
  // Where the load fell, what shrank is the reason, and what has a larger share follows.
  const fell = answer.load?.differs && answer.cause && answer.load.after < answer.load.before;
  const table = (title: string, groups: ChangeGroup[], testid: TableName, follows: boolean) =>
    groups.length > 0 && (
      <section>
        <h2>{title}</h2>
        {follows && (
          <p class="hint">
            Shares add up to 100 %: when one function{" "}
            {fell ? "shrinks, the others' shares grow" : "grows, the others' shares shrink"}.
          </p>
        )}
        <ChangesTable groups={groups} answer={answer} largest={largest} testid={testid} />
      </section>
    );
  return (
    <>
      <Summary answer={answer} />
      {!fell && table("Larger share", more, "changes-more", false)}
      {table("Smaller share", less, "changes-less", !fell && more.length > 0)}
      {fell && table("Larger share", more, "changes-more", less.length > 0)}
      <Method answer={answer} />
    </>
  );
}

function Empty({ answer, empty }: { answer: Answer; empty: ComparedSide[] }) {
  const { base } = exploreRoute.value;
  const what = empty.length > 1 ? "No profiles on either side" : "No profiles on one side";
  return (
    <Note title={what} testid="changes-empty">
      <p>
        No profiles
        {answer.label === "" ? " in " : " with "}
        {empty
          .map(({ value, seen }) => (answer.label === "" ? spanLabel(seen, clock.value) : `${answer.label}=${value}`))
          .join(" or ")}
        . Choose another range or other sides.
      </p>
      <div class="note-actions">
        {base.filters.length > 0 && (
          <button type="button" class="control" onClick={() => go({ base: { ...base, filters: [] } })}>
            Remove the filters
          </button>
        )}
        {base.from !== widest().range.from && (
          <button
            type="button"
            class="control primary"
            onClick={() => go({ base: { ...base, ...widest().range }, window: null, by: null })}
          >
            {widest().label}
          </button>
        )}
      </div>
    </Note>
  );
}

function Method({ answer }: { answer: Answer }) {
  const { changes: found, sides, windowMillis, process } = answer;
  if (!found.certain) return null;
  const tested = found.listed.length + found.others;
  const begins = [sides.before, sides.after].map(({ side }) => spanLabel(resolve(side, clock.value), clock.value));
  return (
    <details class="changes-method hint">
      <summary>How sure is this?</summary>
      <p>
        {answer.isChange &&
          `Shares are those of the profiles that begin ${begins.join(" and ")}; others may reach beyond their side. The comparison is of these, too. `}
        Each side is divided into windows of equal length (at most {formatStep(windowMillis)}), of which the last also
        has the rest of its time: {sides.before.windows} before and {sides.after.windows} after.{" "}
        {process &&
          `Each side is also split by ${process}: ${sides.before.processes} before and ${sides.after.processes} after. `}
        The more a function's share varies among them, the wider the interval next to its change (Welch). The chance
        that any of the {tested} functions is listed by mistake is at most 5 % (Bonferroni). A shift in the workload,
        such as different requests in the evening, also counts as a change.
        {found.unknown > 0 &&
          ` ${plural(found.unknown, "function was", "functions were")} not tested: not among the largest in every window.`}
      </p>
    </details>
  );
}
