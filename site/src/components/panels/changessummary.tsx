/** What "What changed" says first: the amount, where most of it is, and how sure that is. */
import { capital } from "../../format/capital.ts";
import { formatLoads } from "../../format/load.ts";
import { change, percent } from "../../format/number.ts";
import { isCpu, typeLabel, typeParts } from "../../format/type.ts";
import { formatStep, formatValue, plural } from "../../format/value.ts";
import { LEAST_CHANGE, size } from "../../state/query/changed.ts";
import { areAlike, type ChangedLoad, LEAST_LOAD, type Loads } from "../../state/query/changedload.ts";
import type { ChangedValue } from "../../state/query/changedvalue.ts";
import type { Answer } from "../../state/query/changes.ts";
import { isVersion } from "../../state/query/labels.ts";
import { formatMatcher } from "../../state/query/selector.ts";
import { span } from "../../state/query/services.ts";
import type { ShareShift } from "../../state/query/shareshift.ts";
import { clock } from "../../state/url/clock.ts";
import { exploreRoute } from "../../state/url/router.ts";
import { formatMinute, type Span, spanLabel } from "../../time/range.ts";
import { changedName, Link, points, shortened } from "./changestable.tsx";

/** What was found: the amount first, then the function, then shares. */
export function Summary({ answer }: { answer: Answer }) {
  const { label, sides, changes: found, rounded } = answer;
  const { listed, certain } = found;
  // A value that was there from the first, or as long as the other, did not begin.
  const earliest = Math.max((exploreRoute.value.window ?? span.value).from, sides.before.began);
  const began = label !== "" && sides.after.began > earliest + 60_000;
  if (!certain) {
    const load = answer.load && answer.load.before > 0 && answer.load.after > 0 ? answer.load : null;
    return (
      <p class="changes-summary" data-testid="changes-summary">
        {load && (
          <>
            <Amounts load={load} />.{" "}
          </>
        )}
        <b>
          Not enough profiles to tell {answer.isChange ? "which shares changed beyond their" : "a change from the"}{" "}
          usual variation:
        </b>{" "}
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
        {answer.where && <Where value={answer.where} />}
        {answer.load?.gradual && !answer.shift && ` ${gradually(answer)}`}
        {answer.load?.differs && !answer.cause && areAlike(answer.load, found) && ` ${alike(answer, answer.load)}`}
        {began &&
          ` First profile of ${label} ${sides.after.value} in this range: ${within(sides.after.began, answer.stepMillis)}.`}
        {answer.shift && <Shift shift={answer.shift} />}
        {answer.isGuess && " No change of the load stands out clearly from its variation, so two halves are compared."}
        {answer.pause > 0 && ` The longest time without profiles is about ${formatStep(answer.pause)}.`}
        {began && ranAgain(answer)}
        {answer.rollouts.length > 0 && ` ${rolloutWords(answer.rollouts)}`}
      </p>
      {(listed.length > 0 || !answer.shift) && <Shares answer={answer} />}
    </div>
  );
}

/** "+39 % cpu: 2.12 → 2.95 cores". */
function Amounts({ load: { before, after } }: { load: Loads }) {
  const { type } = exploreRoute.value;
  return (
    <>
      <b>
        {change(before, after)} {typeLabel(type)}:
      </b>{" "}
      {formatLoads(before, after, 1, type)}
    </>
  );
}

/** How many functions changed their share, and how sure that is. */
function Shares({ answer }: { answer: Answer }) {
  const { listed, others } = answer.changes;
  return (
    <p>
      {listed.length === 0
        ? "No function's share changed"
        : `The share of ${plural(new Set(listed.map(({ name }) => name)).size, "function")} changed`}{" "}
      more than it {answer.shift ? "varies within these two times" : "usually varies from minute to minute"}
      {answer.process && ` and between ${plural(2, answer.process).slice(2)}`}.{" "}
      {others > 0 && (
        <span data-testid="changes-others">
          {plural(others, listed.length === 0 ? "function" : "other")} changed by less than{" "}
          {points(LEAST_CHANGE, false)} or within {others === 1 ? "its" : "their"} usual variation.
        </span>
      )}{" "}
      {oneSidedWords(answer)}
      {!answer.shift && uncertain(answer)}
    </p>
  );
}

/** Functions of one side that are named at most. */
const ONE_SIDED = 3;

/** "Seen only in version 1.1: audit (2.4 %). ": functions that may have begun, or ended, within a side. */
function oneSidedWords({ label, sides, changes: { oneSided } }: Answer): string {
  const nameOf = (side: "before" | "after") =>
    label === "" ? `the time ${side}` : `${label} ${sides[side].value || "not set"}`;
  return (["before", "after"] as const)
    .map((side) => {
      const own = oneSided.filter((one) => one[side] > 0).slice(0, ONE_SIDED);
      const names = own.map((one) => `${changedName(one)} (${percent(one[side])})`);
      return own.length === 0 ? "" : `Seen only in ${nameOf(side)}: ${names.join(", ")}. `;
    })
    .join("");
}

/** "Nearly all of it is in region=ap.": where the load changed, as a link to that alone. */
function Where({ value: { name, value, part, only, isTrace } }: { value: ChangedValue }) {
  const { base } = exploreRoute.value;
  const filters = [...base.filters, formatMatcher({ name, op: "=", value })];
  return (
    <>
      {" "}
      {capital(partOf(part))} is {value === "" ? "without" : "in"}{" "}
      <Link target={{ ...exploreRoute.value, base: { ...base, filters } }} testid="changes-where">
        {name}
        {value !== "" && `=${value}`}
      </Link>
      {only === "after" && `, which had ${isTrace ? "almost none" : "none"} before`}
      {only === "before" && `, which has ${isTrace ? "almost none" : "none"} after`}.
    </>
  );
}

/**
 * "sortRow rose from 8 % to 35.9 % at about 22:52.", or for how long it was another: what the sides mix, with a link to sides that
 * don't.
 */
function Shift({ shift }: { shift: ShareShift }) {
  const { before, after, from, until, window } = shift;
  const name = <b>{changedName(shift)}</b>;
  return (
    <span data-testid="changes-shift">
      {" "}
      {until === null ? (
        <>
          The share of {name} {after > before ? "rose" : "fell"} from {percent(before)} to {percent(after)} at about{" "}
          {formatMinute(from)}:{" "}
        </>
      ) : (
        <>
          From about {formatMinute(from)} to {formatMinute(until)} the share of {name} was {percent(after)} instead of{" "}
          {percent(before)}:{" "}
        </>
      )}
      <Link target={{ ...exploreRoute.value, by: "time", window }} testid="changes-times">
        {until === null ? "compare the time before with the time after" : "compare that time with the time before"}
      </Link>
      .
    </span>
  );
}

/** Why there is no load, what there is instead and, of versions, where there is one. */
function Beside({ answer: { label, sides } }: { answer: Answer }) {
  const { unit } = typeParts(exploreRoute.value.type);
  const [before, after] = [sides.before, sides.after].map(({ total, profiles }) => total / profiles);
  // As much time before the newer one began as there is after it.
  const { began, value } = sides.after;
  const window = { from: began, until: Math.min(sides.after.seen.until, 2 * began - span.value.from) };
  return (
    <>
      Both sides ran at the same time on different numbers of processes, so their loads can't be compared. Per profile:{" "}
      {formatValue(before, unit)} → {formatValue(after, unit)}, {change(before, after)}.
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

/** That the value that the second one replaced was seen after it, or in between. */
function ranAgain({ label, sides: { before, after }, together, stepMillis }: Answer): string {
  const end = before.seen.until;
  if (together || end <= after.began + 2 * stepMillis) return "";
  const until = end > after.seen.until + 2 * stepMillis ? "" : ` until ${formatMinute(end)}`;
  return ` After it, ${label} ${before.value || "not set"} ran again${until}.`;
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
function alike({ label, denser, sameVersions }: Answer, { before, after }: ChangedLoad): string {
  const grew = after > before;
  const factor = `The functions ${grew ? "grew" : "shrank"} by about the same factor`;
  if (denser === (grew ? "after" : "before")) return `${factor}, as did the number of profiles.`;
  if (label !== "" || !sameVersions || !isCpu(exploreRoute.value.type)) return `${factor}.`;
  return `${factor}, which suggests ${grew ? "more" : "less"} work rather than a change in the code.`;
}

/** A function that may have the change, where those that are sure to differ have less of it. */
function uncertain({ changes: { listed, largest, certain }, load }: Answer): string {
  if (!certain || !largest || !load || listed.includes(largest) || Math.abs(load.after / load.before - 1) < NOTABLE)
    return "";
  if (size(largest) < LEAST_CHANGE || listed.some((one) => size(one) >= size(largest))) return "";
  return `The largest difference may be chance: ${changedName(largest)} ${points(largest.after - largest.before)}.`;
}

/** A load that changes by so much within a side isn't told by the two sides. */
const SWING = 0.4;

/** A difference that is worth a word, also where it may be chance. */
const NOTABLE = 0.1;

/** "+39 % cpu: 0.92 → 1.28 cores, nearly all of it in matchesPattern." */
function LoadNews({ answer, load }: { answer: Answer; load: ChangedLoad }) {
  const { cause, more } = answer;
  const { type } = exploreRoute.value;
  const { before, after, differs } = load;
  const isSame = Math.abs(after / before - 1) < LEAST_LOAD;
  if (!differs && Math.abs(after / before - 1) >= NOTABLE)
    return (
      <>
        <Amounts load={load} />. {unsteady(answer, load)} Choose times with a steady load.
      </>
    );
  if (!differs)
    return (
      <>
        <b>
          {isSame ? "About the same" : "No clear change of"} {typeLabel(type)}:
        </b>{" "}
        {formatLoads(before, after, 1, type)}
        {!isSame && ` (${change(before, after)}, within the usual variation)`}.
        {load.swing >= SWING &&
          ` Within these times it varies by up to ${percent(load.swing)} of its average: choose shorter ones.`}
        {more.length > 0 && !answer.shift && ` The share of ${changedName(more[0].head)} grew.`}
      </>
    );
  return (
    <>
      <Amounts load={load} />
      {cause && (
        <>
          , {partOf(cause.part)} in <b>{shortened(cause.name)}</b>
          {cause.own && " itself"}
          {cause.part > 1.1 && `; the rest together used ${after > before ? "less" : "more"}`}
          {cause.part < NEARLY_ALL && `; the rest together: ${change(cause.rest.before, cause.rest.after)}`}
        </>
      )}
      .
    </>
  );
}

/** Why a difference is none of the two sides. */
function unsteady({ label, sides, shift }: Answer, load: ChangedLoad): string {
  const [only, ...others] = load.unsteady;
  if (!only) return "The load varies too much within the sides to rule out chance.";
  if (others.length > 0)
    return `The load varies just as much within each side${shift ? "" : ", so this may be chance"}.`;
  const earlier = sides.before.seen.from < sides.after.seen.from ? "before" : "after";
  const of =
    label === "" ? `the ${only === earlier ? "earlier" : "later"} time` : `${label} ${sides[only].value || "not set"}`;
  return `The load of ${of} alone varies just as much, so the difference depends on what times are compared.`;
}

/** So much of a change is nearly all of it. */
const NEARLY_ALL = 0.8;

function partOf(part: number): string {
  if (part > 1.1) return "all of it";
  return part >= NEARLY_ALL ? "nearly all of it" : part >= 0.5 ? "most of it" : `${percent(part)} of it`;
}
