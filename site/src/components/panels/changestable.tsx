import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { percent, short } from "../../format/number.ts";
import { isGauge } from "../../format/type.ts";
import { plural } from "../../format/value.ts";
import type { Changed, ChangeGroup } from "../../state/query/changed.ts";
import type { Answer } from "../../state/query/changes.ts";
import { initialRoute, type Route } from "../../state/url/route.ts";
import { exploreRoute } from "../../state/url/router.ts";
import { linkTo } from "../controls/link.ts";

/** Changes that are listed before one asks for all: of what takes less most follows from what takes more. */
const FIRST = { "changes-more": 10, "changes-less": 3 };
export type TableName = keyof typeof FIRST;
/** Callers and callees of a change that are listed before one asks for all. */
const NEAREST = 3;

/** Changes, each with those on the same stacks. */
export function ChangesTable(props: { groups: ChangeGroup[]; answer: Answer; largest: number; testid: TableName }) {
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
            <span class="changes-hidden">Confidence interval</span>
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
      {row(head, head.own ? "itself, without what it calls" : "")}
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
  const ends = interval && [plain(interval.low), plain(interval.high)];
  const range = ends && ends[0] !== ends[1] && ends.join(" to ");
  const exact = (share: number) => `${(share * 100).toFixed(3)} %`;
  return (
    <tr class={tag && !of.own ? "changes-near" : "changes-head"} data-testid="change" data-name={name}>
      <th scope="row" title={name}>
        <Link target={target}>{shortened(name)}</Link>
        {tag && <span class="changes-tag">{tag}</span>}
      </th>
      <td class="num" title={`${exact(before)}, self ${exact(selfBefore)}`}>
        {percent(before)}
      </td>
      <td class="num" title={`${exact(after)}, self ${exact(selfAfter)}`}>
        {percent(after)}
      </td>
      <td class="num changes-by" title={`Self ${points(own)}`}>
        <b>{points(by)}</b>
        {range && <small>{` (${range})`}</small>}
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

/** The difference of both sides as profiles, in loads where the panel has them. */
export function comparison({ sides, load }: Answer): Route {
  const { service, type } = exploreRoute.value;
  const measure = load && !isGauge(type) ? "rate" : "auto";
  return { ...initialRoute("diff"), service, type, base: sides.before.side, other: sides.after.side, measure };
}

/** "orders.match", and "orders.match itself" without what it calls. */
export function changedName({ name, own }: Pick<Changed, "name" | "own">): string {
  return shortened(name) + (own ? " itself" : "");
}

/** Without the address of its package, which people know. */
export function shortened(name: string): string {
  return name.replace(/^(?:[\w.-]+\/)+(?=[^/]+$)/, "");
}

/** "+18.2 pp". */
export function points(share: number, signed = true): string {
  return `${signed && share > 0 ? "+" : ""}${plain(share)}\u00a0pp`;
}

function plain(share: number): string {
  const value = share * 100;
  const text = value.toFixed(Math.abs(value) < 1 ? 2 : 1).replace(/0$/, Math.abs(value) < 1 ? "" : "0");
  return text.replace("-", "−");
}

export function Link(props: { target: Route; class?: string; testid?: string; children: ComponentChildren }) {
  const { target, testid, children } = props;
  return (
    <a class={props.class} {...linkTo(target)} data-testid={testid}>
      {children}
    </a>
  );
}
