import "../../style/function.css";
import { sampledAt } from "../../format/functionplace.ts";
import { percent } from "../../format/number.ts";
import { isCpu, typeLabel, typeParts } from "../../format/type.ts";
import { formatExact, formatValue, plural } from "../../format/value.ts";
import { recordTarget } from "../../state/page/record.ts";
import {
  amountOf,
  detail,
  type FunctionAnswer,
  type FunctionWindow,
  type InServices,
  inServices,
  overTime,
  price,
  rounded,
  setPrice,
} from "../../state/query/function.ts";
import { chartSpan, series } from "../../state/query/loadexplore.ts";
import { placeOf } from "../../state/query/place.ts";
import { ROUNDED } from "../../state/query/rounded.ts";
import { clock } from "../../state/url/clock.ts";
import { exploreRoute, go, NO_FOCUS } from "../../state/url/router.ts";
import { drawnSpan } from "../../time/drawn.ts";
import { formatMinute, partIn, type Span, spanLabel } from "../../time/range.ts";
import type { Series } from "../../time/series.ts";
import { lazy } from "../lazy.tsx";
import { TimedChart } from "../query/timedchart.tsx";
import { Note } from "../status/problemnote.tsx";
import { RetryNote } from "../status/retrynote.tsx";
import { ExploreLink } from "./explorelink.tsx";
import { Cost, CostHeads } from "./functioncost.tsx";
import { FunctionLabels } from "./functionlabels.tsx";
import { FunctionSearch } from "./functionsearch.tsx";

const NoData = lazy(() => import("../status/nodata.tsx").then((module) => module.NoData));

/** One function: who runs it, how much, since when, and what it costs. */
export function FunctionPanel() {
  const { func } = exploreRoute.value;
  if (placeOf("base") !== "") {
    return (
      <Note title="This view needs a server" testid="function-bundle">
        <p>Without a server, this view can't list functions. The profile's table lists them.</p>
        <div class="note-actions">
          <ExploreLink class="control primary" patch={{ panel: "profile", view: "table" }}>
            Functions in the profile
          </ExploreLink>
        </div>
      </Note>
    );
  }
  // Without a type there is nothing of this service in the range.
  if (exploreRoute.value.type === "") return <NoData />;
  return (
    <div class="function" data-testid="function">
      <FunctionSearch key={func} />
      {func !== null && <Chosen func={func} />}
    </div>
  );
}

function Chosen({ func }: { func: string }) {
  const { service, type, base, window } = exploreRoute.value;
  const { value, state, problem } = detail.value;
  const place = sampledAt(value?.lines ?? []);
  return (
    <>
      <header class="function-head">
        <h2 data-testid="function-name">{func}</h2>
        {place && (
          <span class="soft" data-testid="function-place">
            {place}
          </span>
        )}
      </header>
      {problem && <RetryNote problem={problem} />}
      {value && <Facts func={func} found={value} />}
      {state === "ready" && value === null && (
        <p data-testid="function-absent">
          No samples of this function in {service} ({typeLabel(type)}) in {thisTime()}
          {base.filters.length > 0 && " with these filters"}.{" "}
          {window && (
            <button type="button" class="link" onClick={() => go({ window: null })}>
              Show the whole range
            </button>
          )}
        </p>
      )}
      {value !== null && <OverTime />}
      <Services />
      {value !== null && <FunctionLabels />}
      {value && <Calls found={value} />}
      {rounded.value && (
        <p class="hint" data-testid="function-rounded">
          {ROUNDED}
        </p>
      )}
    </>
  );
}

function amount(value: number, profiles: number): number {
  return amountOf(exploreRoute.value.type, value, profiles);
}

function Facts({ func, found }: { func: string; found: FunctionAnswer }) {
  const { unit, profiles, functionTotal, self, totalShare, selfShare } = found;
  const fact = (name: string, value: number, share: number, testid: string) => (
    <div>
      <dt>{name}</dt>
      <dd title={formatExact(String(value), unit)} data-testid={testid}>
        <b>{formatValue(amount(value, profiles), unit)}</b> <span class="soft">{percent(share)}</span>
      </dd>
    </div>
  );
  return (
    <div class="function-facts">
      <dl>
        {fact("total", functionTotal, totalShare, "function-total")}
        {fact("self", self, selfShare, "function-self")}
      </dl>
      <span class="function-links">
        <ExploreLink
          class="control"
          patch={{ ...NO_FOCUS, spans: [], traces: [], panel: "profile", view: "flame", search: func }}
        >
          Find in the profile
        </ExploreLink>
        <ExploreLink
          class="control"
          patch={{ ...NO_FOCUS, spans: [], traces: [], panel: "profile", view: "sandwich", sandwich: func }}
        >
          Sandwich
        </ExploreLink>
        <button
          type="button"
          class="control"
          data-testid="record-open"
          onClick={() => (recordTarget.value = { func, path: [] })}
        >
          Record as a metric…
        </button>
      </span>
    </div>
  );
}

/** Its share of each window, and since when there is any. */
function OverTime() {
  const { value, state, problem } = overTime.value;
  if (problem) return <RetryNote problem={problem} />;
  if (!value) return <p class="hint">{state === "loading" ? "Reading the timeline…" : ""}</p>;
  const { unit } = typeParts(exploreRoute.value.type);
  const most = Math.max(...value.map(share));
  const span = chartSpan();
  const text = (one: FunctionWindow) =>
    `${spanLabel(one, clock.value)}: ${one.profiles === 0 ? "no profiles" : `${percent(share(one))}, ${formatValue(amount(one.total, one.profiles), unit)}`}`;
  return (
    <section class="function-over-time">
      <h3>Share over time</h3>
      <TimedChart span={span} top={percent(most)}>
        <div class="function-bars" role="img" aria-label={value.map(text).join("; ")} data-testid="function-bars">
          {value.flatMap((one) =>
            partsIn(one, series.value).map(({ from, until, profiles }) => {
              const [left, right] = partIn(span, { from, until }).map((part) => part * 100);
              return (
                <span
                  key={from}
                  title={text(profiles > 0 ? one : { ...one, from, until, profiles })}
                  class={profiles === 0 ? "function-none" : undefined}
                  style={{ left: `${left}%`, width: `${right - left}%` }}
                >
                  {profiles > 0 && <i style={{ "--part": `${most > 0 ? (share(one) / most) * 100 : 0}%` }} />}
                </span>
              );
            }),
          )}
        </div>
      </TimedChart>
      <p class="hint" data-testid="function-since">
        {since(value)}
      </p>
    </section>
  );
}

/** A window, divided where the profiles begin or end in it. */
function partsIn(window: FunctionWindow, drawn: Series | undefined): (Span & Pick<FunctionWindow, "profiles">)[] {
  const profiled = drawn && drawnSpan(drawn);
  if (!profiled || window.profiles === 0) return [window];
  const [from, until] = [profiled.from, profiled.until].map((time) =>
    Math.min(window.until, Math.max(window.from, time)),
  );
  return [
    { from: window.from, until: from, profiles: 0 },
    { from, until, profiles: window.profiles },
    { from: until, until: window.until, profiles: 0 },
  ].filter((part) => part.from < part.until);
}

function share({ total, whole }: FunctionWindow): number {
  return whole === 0 ? 0 : total / whole;
}

/** The time that is looked at, in words. */
const thisTime = () => (exploreRoute.value.window ? "the selected time" : "this range");

function since(windows: FunctionWindow[]): string {
  const filled = windows.filter(({ profiles }) => profiles > 0);
  const first = filled.findIndex(({ total }) => total > 0);
  const last = filled.findLastIndex(({ total }) => total > 0);
  if (first < 0) return `No samples in ${thisTime()}.`;
  const until = last < filled.length - 1 ? ` Last seen between ${bounds(filled[last])}.` : "";
  if (first === 0) {
    const bar = `in the first bar, before ${formatMinute(filled[0].until)}`;
    // Where the service itself began in the range, so did this. A first bar that the range cuts off may have no profile.
    if (windows.indexOf(filled[0]) > 1) return `First seen ${bar}.${until}`;
    const more = exploreRoute.value.window ? "the whole range may show" : "the range doesn't show";
    return `Seen ${bar}; ${more} since when.${until}`;
  }
  return `First seen between ${bounds(filled[first])}.${until}`;
}

/** "14:03 and 14:08". */
function bounds(window: FunctionWindow): string {
  return spanLabel(window, clock.value).replace(" – ", " and ");
}

/** Who else runs it, and what that costs. */
function Services() {
  const { value, state, problem } = inServices.value;
  const { service, type, base } = exploreRoute.value;
  if (problem) return <RetryNote problem={problem} />;
  if (!value) return <p class="hint">{state === "loading" ? "Searching all services…" : ""}</p>;
  const cpu = isCpu(type);
  const { running, left } = value;
  const sum = running.reduce((all, { total }) => all + total, 0);
  return (
    <section>
      <h3>Services with a function of this name</h3>
      {running.length > 0 && (
        <table class="function-services" data-testid="function-services">
          <thead>
            <tr>
              <th scope="col">Service</th>
              <th scope="col" class="num">
                Total
              </th>
              <th scope="col" class="num">
                Share
              </th>
              <th scope="col" class="num function-wide">
                Self
              </th>
              {cpu && <CostHeads />}
            </tr>
          </thead>
          <tbody>
            {running.map((one) => (
              <tr key={one.service} data-testid="function-service" data-service={one.service}>
                <th scope="row">
                  <ExploreLink patch={{ service: one.service }}>{one.service}</ExploreLink>
                  {one.service === service && <span class="soft"> this one</span>}
                </th>
                <td class="num" title={formatExact(String(one.total), one.unit)} data-total={one.total}>
                  {formatValue(amount(one.total, one.profiles), one.unit)}
                </td>
                <td class="num">{percent(one.total / (one.whole || 1))}</td>
                <td class="num function-wide" title={formatExact(String(one.self), one.unit)}>
                  {formatValue(amount(one.self, one.profiles), one.unit)}
                </td>
                {cpu && <Cost total={one.total} />}
              </tr>
            ))}
          </tbody>
          {cpu && running.length > 1 && (
            <tfoot>
              <tr>
                <th scope="row">Total</th>
                <td class="num">{formatValue(sum, running[0].unit)}</td>
                <td />
                <td class="function-wide" />
                <Cost total={sum} />
              </tr>
            </tfoot>
          )}
        </table>
      )}
      <p class="hint" data-testid="function-others">
        {othersWords(value)}
        {left > 0 && ` ${plural(left, "smaller service was", "smaller services were")} not searched.`}
        {base.filters.length > 0 && " This page's filters apply to every service."}
      </p>
      {cpu && running.length > 0 && (
        <label class="function-price">
          Price per core-hour
          <input
            type="number"
            min="0"
            step="any"
            inputMode="decimal"
            placeholder="0.04"
            defaultValue={price.peek() || ""}
            data-testid="function-price"
            onInput={({ currentTarget }) => setPrice(currentTarget.valueAsNumber)}
          />
          <span class="hint">Stored in this browser. The cost covers the profiled time in {thisTime()}.</span>
        </label>
      )}
    </section>
  );
}

/** Which services don't run it, of those with profiles in the time that is looked at. */
function othersWords({ running, asked, left }: InServices): string {
  const others = asked - running.length;
  const profiles = `profiles of this type in ${thisTime()}`;
  if (asked === 0) return `${left > 0 ? "None of the searched services" : "No service"} has ${profiles}.`;
  if (running.length === 0) return `Not seen in any of ${plural(asked, "service")} with ${profiles}.`;
  if (others > 0) return `Not seen in ${plural(others, "other service")} with ${profiles}.`;
  if (asked + left === 1) return `No other service has ${profiles}.`;
  return `Every${left > 0 ? " searched" : ""} service with ${profiles} runs this function.`;
}

function Calls({ found }: { found: FunctionAnswer }) {
  const { callers, callees, coverage, unit, profiles } = found;
  const list = (title: string, calls: typeof callers, all: number, none: string, testid: string) => (
    <section>
      <h3>{title}</h3>
      <ul class="function-suggestions" data-testid={testid}>
        {calls.map(({ name, value, share: part }) => (
          <li key={name}>
            <ExploreLink class="function-name" patch={{ func: name }}>
              {name}
            </ExploreLink>
            <span class="num" title={formatExact(String(value), unit)}>
              {formatValue(amount(value, profiles), unit)} <small class="soft">{percent(part)}</small>
            </span>
          </li>
        ))}
      </ul>
      {calls.length === 0 && <p class="hint">{none}</p>}
      {all > calls.length && <p class="hint">{plural(all - calls.length, "smaller one")} not listed.</p>}
    </section>
  );
  return (
    <div class="function-calls">
      {list("Called by", callers, coverage.callers, "No callers.", "function-callers")}
      {list("Calls", callees, coverage.callees, "No callees.", "function-callees")}
    </div>
  );
}
