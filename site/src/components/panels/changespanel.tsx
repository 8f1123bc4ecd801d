import "../../style/changes.css";
import { useSignal } from "@preact/signals";
import { percent, short } from "../../format/number.ts";
import { typeLabel } from "../../format/type.ts";
import { formatStep, plural } from "../../format/value.ts";
import { type Changed, type ChangeGroup, LEAST_CHANGE } from "../../state/query/changed.ts";
import {
  type Answer,
  type ComparedSide,
  changes,
  comparable,
  formatComparing,
  parseComparing,
  progress,
} from "../../state/query/changes.ts";
import { placeOf } from "../../state/query/place.ts";
import { labels, span } from "../../state/query/services.ts";
import { comparedSides, widest } from "../../state/query/sides.ts";
import { clock, refresh } from "../../state/url/clock.ts";
import { go, href, urlState } from "../../state/url/router.ts";
import { initialUrlState, type UrlState } from "../../state/url/urlstate.ts";
import { formatClock, spanLabel } from "../../time/range.ts";
import { Select } from "../controls/select.tsx";
import { onPlainClick } from "../header/header.tsx";
import { lazy } from "../lazy.tsx";
import { Note, ProblemNote } from "../status/problemnote.tsx";

const NoData = lazy(() => import("../status/nodata.tsx").then((module) => module.NoData));

/** Changes that are listed before one asks for all: of what takes less most follows from what takes more. */
const FIRST = { "changes-more": 10, "changes-less": 3 };
/** Callers and callees of a change that are listed before one asks for all. */
const NEAREST = 3;

/** The functions of a service whose share changed, between two versions or times, beyond what varies anyway. */
export function ChangesPanel() {
  const { state, value, problem } = changes.value;
  if (placeOf("base") !== "") return <NeedsServer />;
  // Without a type there is nothing of this service in the range.
  if (urlState.value.type === "") return <NoData />;
  return (
    <div class="changes" data-testid="changes" data-state={state}>
      {problem && (
        <ProblemNote problem={problem}>
          <button type="button" class="control primary" onClick={refresh}>
            Try again
          </button>
        </ProblemNote>
      )}
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
      {of === 0 ? "Looking for two sides to compare…" : `Read ${done} of ${of} parts of both sides…`}
    </p>
  );
}

function NeedsServer() {
  const { service, type, base, window } = urlState.value;
  const target = { ...initialUrlState("diff"), service, type, ...comparedSides(span.value, window, base.filters) };
  return (
    <Note title="This needs a server" testid="changes-bundle">
      <p>
        Whether a change is more than what varies from minute to minute takes the functions of many short windows. A
        server answers that; from a bundle or a bucket all of their profiles would have to be read.
      </p>
      <div class="note-actions">
        <Link class="control primary" target={target}>
          Compare the plain profiles
        </Link>
      </div>
    </Note>
  );
}

/** What is compared, and the choice of something else. */
function Sides({ answer }: { answer: Answer }) {
  const { label, values, sides } = answer;
  const { by, window } = urlState.value;
  const time = window ? "selected time ↔ before" : "halves of the range";
  const of = (before: string, after: string) => formatComparing({ label, before, after });
  return (
    <div class="changes-sides">
      <Select
        label="Compare by"
        testid="changes-by"
        value={label}
        options={[
          ...comparable.value.map((name) => ({ value: name, label: name })),
          ...(label === "" || comparable.value.includes(label) ? [] : [{ value: label, label }]),
          { value: "", label: time },
        ]}
        onChange={(name) => go({ by: formatComparing(name === "" ? "time" : { label: name, before: "", after: "" }) })}
      />
      {label === "" ? (
        <span class="changes-times">
          {spanLabel(sides.before.seen, clock.value)} <span aria-hidden="true">→</span>{" "}
          {spanLabel(sides.after.seen, clock.value)}
        </span>
      ) : (
        <>
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
        </>
      )}
      {parseComparing(by) && (
        <button type="button" class="control quiet" onClick={() => go({ by: "" })}>
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
  return [...new Set([...values, chosen])].map((value) => ({ value, label: value || "without it" }));
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
  const table = (title: string, groups: ChangeGroup[], testid: keyof typeof FIRST) =>
    groups.length > 0 && (
      <section>
        <h2>{title}</h2>
        {testid === "changes-less" && more.length > 0 && (
          <p class="hint">Shares add up to all: what takes more lets everything else take a smaller share.</p>
        )}
        <Table groups={groups} answer={answer} largest={largest} testid={testid} />
      </section>
    );
  return (
    <>
      <Summary answer={answer} />
      {table("Takes more", more, "changes-more")}
      {table("Takes less", less, "changes-less")}
      <Method answer={answer} />
    </>
  );
}

function Empty({ answer, empty }: { answer: Answer; empty: ComparedSide[] }) {
  const { base } = urlState.value;
  const what = empty.length > 1 ? "Neither side has profiles" : "One side has no profiles";
  return (
    <Note title={what} testid="changes-empty">
      <p>
        {empty
          .map(({ value, seen }) => (answer.label === "" ? spanLabel(seen, clock.value) : `${answer.label}=${value}`))
          .join(" and ")}
        : there is nothing to compare with.
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
            onClick={() => go({ base: { ...base, ...widest().range }, window: null, by: "" })}
          >
            {widest().label}
          </button>
        )}
      </div>
    </Note>
  );
}

/** What was found, in a sentence or two. */
function Summary({ answer }: { answer: Answer }) {
  const { label, sides, changes: found, rounded } = answer;
  const { listed, others, certain } = found;
  const { type } = urlState.value;
  const after = sides.after;
  const began = label !== "" && after.seen.from > span.value.from + 60_000;
  if (!certain) {
    return (
      <p class="changes-summary" data-testid="changes-summary">
        <b>Not enough to tell a change from what varies anyway:</b>{" "}
        {rounded
          ? "the profiles have expired and sums of whole minutes, hours or days are left."
          : `it takes three windows of a minute with profiles on each side, and there are ${sides.before.windows} and ${sides.after.windows}.`}{" "}
        {listed.length > 0
          ? "These are the plain differences of half a percentage point and more."
          : "No share differs by half a percentage point or more."}
      </p>
    );
  }
  return (
    <p class="changes-summary" data-testid="changes-summary">
      {began && `${label} ${after.value} began at ${formatClock(after.seen.from)}. `}
      <b>
        {listed.length === 0
          ? `No function takes another share of ${typeLabel(type)} than before`
          : `${plural(listed.length, "function takes", "functions take")} another share of ${typeLabel(type)} than before`}
      </b>
      , {listed.length === 0 ? "beyond what" : "by more than"} varies between minutes
      {answer.process && ` and between ${plural(2, answer.process).slice(2)}`}.{" "}
      {answer.more.length > 0 && `Above all ${shortened(answer.more[0].head.name)} takes more. `}
      <span data-testid="changes-others">
        {plural(others, listed.length === 0 ? "function" : "other")} changed by less than {points(LEAST_CHANGE, false)},
        or not beyond {others === 1 ? "its" : "their"} usual variation.
      </span>
    </p>
  );
}

function Table(props: { groups: ChangeGroup[]; answer: Answer; largest: number; testid: keyof typeof FIRST }) {
  const { groups, answer, largest, testid } = props;
  const all = useSignal(false);
  // A single one more takes no more room than the button.
  const seen = all.value || groups.length <= FIRST[testid] + 1 ? groups : groups.slice(0, FIRST[testid]);
  const hidden = groups.length - seen.length;
  const { label, sides } = answer;
  return (
    <table class="changes-table" data-testid={testid}>
      <thead>
        <tr>
          <th scope="col">Function</th>
          <th scope="col" class="num">
            {label === "" ? "Before" : sides.before.value || "Without"}
          </th>
          <th scope="col" class="num">
            {label === "" ? "After" : sides.after.value || "Without"}
          </th>
          <th scope="col" class="num">
            Change
          </th>
          <th scope="col" class="changes-bar-cell">
            <span class="changes-hidden">Interval of the change</span>
          </th>
        </tr>
      </thead>
      {seen.map((group) => (
        <Group key={group.head.name} group={group} answer={answer} largest={largest} />
      ))}
      {hidden > 0 && (
        <tfoot>
          <tr>
            <td colSpan={5}>
              <button type="button" class="link" onClick={() => (all.value = true)}>
                {plural(hidden, "smaller change")}
              </button>
            </td>
          </tr>
        </tfoot>
      )}
    </table>
  );
}

function Group({ group, answer, largest }: { group: ChangeGroup; answer: Answer; largest: number }) {
  const all = useSignal(false);
  const { head, callers, callees } = group;
  const most = all.value ? Number.POSITIVE_INFINITY : NEAREST;
  const hidden = callers.slice(most).length + callees.slice(most).length;
  const row = (of: Changed, tag: string) => <Row key={of.name} of={of} tag={tag} answer={answer} largest={largest} />;
  return (
    <tbody>
      {row(head, "")}
      {callers.slice(0, most).map((one) => row(one, "calls it"))}
      {callees.slice(0, most).map((one) => row(one, "called by it"))}
      {hidden > 0 && (
        <tr>
          <td colSpan={5} class="changes-rest">
            <button type="button" class="link" onClick={() => (all.value = true)}>
              {plural(hidden, "more function", "more functions")} on the same stacks
            </button>
          </td>
        </tr>
      )}
    </tbody>
  );
}

function Row({ of, tag, answer, largest }: { of: Changed; tag: string; answer: Answer; largest: number }) {
  const { name, before, after, interval, selfBefore, selfAfter } = of;
  const by = after - before;
  const own = selfAfter - selfBefore;
  const target = { ...comparison(answer), search: name };
  const ratio = before === 0 ? "new" : after === 0 ? "gone" : `×${short(after / before)}`;
  const exact = (share: number) => `${(share * 100).toFixed(3)} %`;
  return (
    <tr class={tag ? "changes-near" : "changes-head"} data-testid="change" data-name={name}>
      <th scope="row" title={name}>
        <Link target={target}>{shortened(name)}</Link>
        {tag && <span class="changes-tag">{tag}</span>}
      </th>
      <td class="num" title={`${exact(before)}, in itself ${exact(selfBefore)}`}>
        {percent(before)}
      </td>
      <td class="num" title={`${exact(after)}, in itself ${exact(selfAfter)}`}>
        {percent(after)}
      </td>
      <td class="num changes-by" title={`In itself ${points(own)}`}>
        <b>{points(by)}</b>
        {interval && <small>{` (${plain(interval.low)} to ${plain(interval.high)})`}</small>}
        <small class="changes-ratio">{ratio}</small>
      </td>
      <td class="changes-bar-cell">
        <Bar by={by} low={interval?.low ?? by} high={interval?.high ?? by} largest={largest} />
      </td>
    </tr>
  );
}

/** The change from zero, and the interval in which it is. */
function Bar({ by, low, high, largest }: { by: number; low: number; high: number; largest: number }) {
  // From zero to the change, and over it the interval; of those that take less, from the right.
  const at = (share: number) => `${((by > 0 ? share : -share) / largest) * 100}%`;
  const [near, far] = by > 0 ? [low, high] : [high, low];
  return (
    <div class={by > 0 ? "changes-bar" : "changes-bar less"} aria-hidden="true">
      <span class="changes-amount" style={{ "--size": at(by) }} />
      <span class="changes-interval" style={{ "--near": at(near), "--far": at(far) }} />
    </div>
  );
}

function Method({ answer }: { answer: Answer }) {
  const { changes: found, sides, windowMillis, process } = answer;
  if (!found.certain) return null;
  const tested = found.listed.length + found.others;
  return (
    <details class="changes-method hint">
      <summary>How sure is this?</summary>
      <p>
        Each side is cut into windows of at most {formatStep(windowMillis)}, {sides.before.windows} before and{" "}
        {sides.after.windows} after.{" "}
        {process &&
          `It is also divided by ${process}: ${sides.before.processes} and ${sides.after.processes} of them. `}
        How much a function's share varies among them says how far its change may be off: the interval beside the change
        (Welch). All {tested} functions together share a risk of 5 % that even one is listed whose share is the same
        (Bonferroni). A drift of the load itself, such as other requests in the evening, counts as a change.
        {found.unknown > 0 &&
          ` ${plural(found.unknown, "function is", "functions are")} too small to be among the largest of every window, and not looked at.`}
      </p>
    </details>
  );
}

/** The difference of both sides as profiles. */
function comparison({ sides }: Answer): UrlState {
  const { service, type } = urlState.value;
  return { ...initialUrlState("diff"), service, type, base: sides.before.side, other: sides.after.side };
}

/** Without the address of its package, which people know. */
function shortened(name: string): string {
  return name.replace(/^(?:[\w.-]+\/)+(?=[^/]+$)/, "");
}

/** "+18.2 pp". */
function points(share: number, signed = true): string {
  return `${signed && share > 0 ? "+" : ""}${plain(share)}\u00a0pp`;
}

function plain(share: number): string {
  const value = share * 100;
  const text = value.toFixed(Math.abs(value) < 1 ? 2 : 1).replace(/0$/, Math.abs(value) < 1 ? "" : "0");
  return text.replace("-", "−");
}

function Link(props: { target: UrlState; class?: string; testid?: string; children: preact.ComponentChildren }) {
  const { target, testid, children } = props;
  return (
    <a
      class={props.class}
      href={href(target)}
      data-testid={testid}
      onClick={(event) => onPlainClick(event, () => go(target))}
    >
      {children}
    </a>
  );
}
