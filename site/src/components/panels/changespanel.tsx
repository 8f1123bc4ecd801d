import "../../style/changes.css";
import { formatLoads } from "../../format/load.ts";
import { change, percent } from "../../format/number.ts";
import { isCpu, typeLabel } from "../../format/type.ts";
import { formatStep, plural } from "../../format/value.ts";
import { type ChangeGroup, LEAST_CHANGE, size } from "../../state/query/changed.ts";
import { areAlike, type ChangedLoad, LEAST_LOAD } from "../../state/query/changedload.ts";
import { type Answer, type ComparedSide, changes, comparable, progress } from "../../state/query/changes.ts";
import { comparingOf } from "../../state/query/comparing.ts";
import { isVersion } from "../../state/query/labels.ts";
import { placeOf } from "../../state/query/place.ts";
import { labels, span } from "../../state/query/services.ts";
import { comparedSides, widest } from "../../state/query/sides.ts";
import { clock } from "../../state/url/clock.ts";
import { initialRoute } from "../../state/url/route.ts";
import { exploreRoute, go } from "../../state/url/router.ts";
import { formatMinute, type Span, spanLabel } from "../../time/range.ts";
import { Select } from "../controls/select.tsx";
import { lazy } from "../lazy.tsx";
import { Note } from "../status/problemnote.tsx";
import { RetryNote } from "../status/retrynote.tsx";
import { ChangesTable, comparison, Link, points, shortened, type TableName } from "./changestable.tsx";

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
          {spanLabel(sides.before.seen, clock.value)} <span aria-hidden="true">→</span>{" "}
          {spanLabel(sides.after.seen, clock.value)}
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
  const table = (title: string, groups: ChangeGroup[], testid: TableName) =>
    groups.length > 0 && (
      <section>
        <h2>{title}</h2>
        {testid === "changes-less" && more.length > 0 && (
          <p class="hint">Shares add up to 100 %: when one function grows, the others' shares shrink.</p>
        )}
        <ChangesTable groups={groups} answer={answer} largest={largest} testid={testid} />
      </section>
    );
  return (
    <>
      <Summary answer={answer} />
      {table("Larger share", more, "changes-more")}
      {table("Smaller share", less, "changes-less")}
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

/** What was found: the amount first, then the function, then shares. */
function Summary({ answer }: { answer: Answer }) {
  const { label, sides, changes: found, rounded } = answer;
  const { listed, others, certain } = found;
  // A value that was there from the first, or as long as the other, did not begin.
  const earliest = Math.max((exploreRoute.value.window ?? span.value).from, sides.before.began);
  const began = label !== "" && sides.after.began > earliest + 60_000;
  if (!certain) {
    return (
      <p class="changes-summary" data-testid="changes-summary">
        <b>Not enough profiles to tell a change from the usual variation:</b>{" "}
        {rounded
          ? "the profiles have expired; only totals of whole minutes, hours or days remain."
          : `each side needs profiles in three windows of half a minute or longer; the sides have ${sides.before.windows} and ${sides.after.windows}.`}{" "}
        {listed.length > 0
          ? "These are all differences of at least half a percentage point."
          : "No share differs by half a percentage point or more."}
      </p>
    );
  }
  return (
    <div class="changes-summary" data-testid="changes-summary">
      <p class="changes-news">
        {answer.load ? <LoadNews answer={answer} load={answer.load} /> : <Beside answer={answer} />}
        {answer.load?.gradual && ` ${gradually(answer)}`}
        {answer.load?.differs && !answer.cause && areAlike(answer.load, found) && ` ${alike(answer, answer.load)}`}
        {began && ` First profile of ${label} ${sides.after.value}: ${within(sides.after.began, answer.stepMillis)}.`}
        {began && isBack(answer) && ` After it, ${label} ${sides.before.value || "not set"} ran again.`}
        {answer.rollouts.length > 0 && ` ${rolloutWords(answer.rollouts)}`}
      </p>
      <p>
        {listed.length === 0
          ? "No function's share changed"
          : `The share of ${plural(listed.length, "function")} changed`}{" "}
        more than it usually varies from minute to minute
        {answer.process && ` and between ${plural(2, answer.process).slice(2)}`}.{" "}
        {others > 0 && (
          <span data-testid="changes-others">
            {plural(others, listed.length === 0 ? "function" : "other")} changed by less than{" "}
            {points(LEAST_CHANGE, false)} or within {others === 1 ? "its" : "their"} usual variation.
          </span>
        )}{" "}
        {uncertain(answer)}
      </p>
    </div>
  );
}

/** Why there is no load and, of versions, where there is one. */
function Beside({ answer: { label, sides } }: { answer: Answer }) {
  // As much time before the newer one began as there is after it.
  const { began, value } = sides.after;
  const window = { from: began, until: Math.min(sides.after.seen.until, 2 * began - span.value.from) };
  return (
    <>
      Both sides ran at the same time on different numbers of processes, so their loads can't be compared.
      {isVersion(label) && window.until > began && began > span.value.from && (
        <>
          {" "}
          <Link target={{ ...exploreRoute.value, by: "time", window }} testid="changes-times">
            Compare the time before {label} {value || "not set"} began with the time after
          </Link>
          .
        </>
      )}
    </>
  );
}

/** Whether the value that the second one replaced was seen after it. */
function isBack({ sides: { before, after }, together, stepMillis }: Answer): boolean {
  return !together && before.seen.until > after.seen.until + 2 * stepMillis;
}

/** "Rollouts are left out: 10:23 – 10:30." */
function rolloutWords(rollouts: Span[]): string {
  const times = rollouts.map((rollout) => spanLabel(rollout, clock.value)).join(", ");
  return `${rollouts.length > 1 ? "Rollouts are" : "The rollout is"} left out: ${times}.`;
}

/** A time that is known to a step. */
function within(from: number, step: number): string {
  const begin = formatMinute(from);
  return step <= 60_000 ? begin : `between ${begin} and ${formatMinute(from + step)}`;
}

/** That a difference of two sides isn't of the moment at which they are divided. */
function gradually({ label, load, sides }: Answer): string {
  const verb = load && load.after > load.before ? "rose" : "fell";
  const already = label === "" ? "" : `, already before ${label} ${sides.after.value || "not set"}`;
  return `It ${verb} steadily${already}.`;
}

/** What it means that the load changed and no share did: of one program that runs at two times, the work. */
function alike({ label, denser }: Answer, { before, after }: ChangedLoad): string {
  const grew = after > before;
  const factor = `The functions ${grew ? "grew" : "shrank"} by about the same factor`;
  if (denser === (grew ? "after" : "before")) return `${factor}, as did the number of profiles.`;
  if (label !== "" || !isCpu(exploreRoute.value.type)) return `${factor}.`;
  return `${factor}, which suggests ${grew ? "more" : "less"} work rather than a change in the code.`;
}

/** A function that may have the change, where those that are sure to differ have less of it. */
function uncertain({ changes: { listed, largest, certain }, load }: Answer): string {
  if (!certain || !largest || !load || listed.includes(largest) || Math.abs(load.after / load.before - 1) < NOTABLE)
    return "";
  if (size(largest) < LEAST_CHANGE || listed.some((one) => size(one) >= size(largest))) return "";
  return `The largest difference may be chance: ${shortened(largest.name)} ${points(largest.after - largest.before)}.`;
}

/** A difference that is worth a word, also where it may be chance. */
const NOTABLE = 0.1;

/** "+39 % cpu: 0.92 → 1.28 cores, nearly all of it in matchesPattern." */
function LoadNews({ answer: { cause, more }, load }: { answer: Answer; load: ChangedLoad }) {
  const { type } = exploreRoute.value;
  const { before, after, differs } = load;
  const amounts = formatLoads(before, after, 1, type);
  if (!differs && Math.abs(after / before - 1) >= NOTABLE)
    return (
      <>
        <b>
          {change(before, after)} {typeLabel(type)}:
        </b>{" "}
        {amounts}. The load varies just as much within each side, so this may be chance. Choose times with a steady
        load.
      </>
    );
  if (!differs)
    return (
      <>
        <b>About the same {typeLabel(type)}:</b> {amounts}
        {Math.abs(after / before - 1) >= LEAST_LOAD && ", within the usual variation"}.
        {more.length > 0 && ` The share of ${shortened(more[0].head.name)} grew.`}
      </>
    );
  return (
    <>
      <b>
        {change(before, after)} {typeLabel(type)}:
      </b>{" "}
      {amounts}
      {cause && (
        <>
          , {partOf(cause.part)} in <b>{shortened(cause.name)}</b>
          {cause.part > 1.1 && "; everything else used less"}
        </>
      )}
      .
    </>
  );
}

function partOf(part: number): string {
  if (part > 1.1) return "all of it";
  return part >= 0.8 ? "nearly all of it" : part >= 0.5 ? "most of it" : `${percent(part)} of it`;
}

function Method({ answer }: { answer: Answer }) {
  const { changes: found, sides, windowMillis, process } = answer;
  if (!found.certain) return null;
  const tested = found.listed.length + found.others;
  return (
    <details class="changes-method hint">
      <summary>How sure is this?</summary>
      <p>
        Each side is divided into windows of at most {formatStep(windowMillis)}, {sides.before.windows} before and{" "}
        {sides.after.windows} after.{" "}
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
