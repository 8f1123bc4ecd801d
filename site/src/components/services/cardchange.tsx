import type { ServiceType } from "../../api.ts";
import { formatLoads } from "../../format/load.ts";
import { roughChange } from "../../format/number.ts";
import { isGauge } from "../../format/type.ts";
import { formatStep } from "../../format/value.ts";
import type { NewVersion, ServiceChange } from "../../state/query/servicechanges.ts";
import { versionText } from "../../state/query/versionchanges.ts";
import { initialRoute } from "../../state/url/route.ts";
import type { Side } from "../../state/url/values.ts";
import { beganAt, longestPause } from "../../time/pauses.ts";
import { formatMinute } from "../../time/range.ts";
import { linkTo } from "../controls/link.ts";

/** What changed in the load of a service and when, as the link to the functions that did it. */
export function CardChange({ service, found, range }: { service: string; found: ServiceChange; range: Side }) {
  const { kind, versions, label, type } = found;
  // Of a deploy the versions are compared; the panel finds the time of other changes.
  const by = versions ? { label, ...versions } : ("time" as const);
  const target = { ...initialRoute("explore"), service, type, base: range, panel: "changes" as const, by };
  return (
    <a
      class="card-change card-found"
      {...linkTo(target)}
      title={`${changeTitle(found)}. See what changed`}
      data-testid="card-change"
      data-kind={kind}
    >
      <ChangeText found={found} />
    </a>
  );
}

/** That nothing stands out but when profiles began, or stopped for a while; functions may have changed their shares all the same. */
export function NoChange({ type, from }: { type: ServiceType; from: number }) {
  // Otherwise they only came back after a pause.
  const began = type.previousProfiles === 0 ? beganAt(type, from) : null;
  const pause = longestPause(type);
  if (began !== null) return <>no clear change; began {formatMoment(began, type.step)}</>;
  if (pause > 0) return <>no clear change; about {formatStep(pause)} without profiles</>;
  return <>{isGauge(type.id) ? "no clear change" : "load: no clear change"}</>;
}

/** "1.9.0 since 21:33", as the link to what it changed. */
export function CardVersion({ service, found, range }: { service: string; found: NewVersion; range: Side }) {
  const { from, label, type, versions } = found;
  const by = { label, ...versions };
  const target = { ...initialRoute("explore"), service, type, base: range, panel: "changes" as const, by };
  return (
    <a
      class="card-type card-found"
      {...linkTo(target)}
      title={`No clear change of the load since ${versionName(found)} began. See which functions changed`}
      data-testid="card-version"
    >
      {versionName(found)} since {formatMoment(from, found.step)}
    </a>
  );
}

/** "21:33", or "about 21:33" where steps are longer than minutes. */
export function formatMoment(time: number, step: number): string {
  return `${step > MINUTE ? "about " : ""}${formatMinute(time)}`;
}

const MINUTE = 60_000;

/** "version 1.9.0". */
export function versionName({ label, versions }: NewVersion): string {
  return versions.after ? `${label} ${versionText(versions.after)}` : `no ${label}`;
}

/** A load that differs less from the one before a spike is back where it was. */
const LEAST_REST = 0.05;

/** "+39 % since 21:33 (1.9.0)". */
export function ChangeText({
  found: { kind, from, until, moment: began, lasted, before, after, rest = before, versions, step },
}: {
  found: ServiceChange;
}) {
  const moment = formatMoment(began, step);
  const whileAt = (millis: number) => `at ${moment} for about ${formatStep(millis)}`;
  const when = {
    deploy: lasted === undefined ? `since ${moment}` : whileAt(lasted),
    level: `since ${moment}`,
    trend: "in the second half",
    spike: whileAt(lasted ?? until - from),
  }[kind];
  return (
    <>
      <b>{roughChange(before, after)}</b> {when}
      {Math.abs(rest - before) > LEAST_REST * before && `, then ${roughChange(before, rest)} from before`}
      {versions && ` (${versionText(versions.after) || "no version"})`}
    </>
  );
}

/** "0.92 → 1.28 cores with version 1.9.0". */
export function changeTitle({ kind, before, after, step, type, versions, label }: ServiceChange): string {
  const steady = kind === "trend" ? "on average, from the first half to the second" : "on average";
  const what = versions?.after ? `with ${label} ${versions.after}` : versions ? `with no ${label}` : steady;
  return `${formatLoads(before, after, step, type)} ${what}`;
}
