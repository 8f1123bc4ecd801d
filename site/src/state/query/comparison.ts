/** The comparison that one most likely wants of what is explored. */
import { fixed, type Span } from "../../time/range.ts";
import { initialRoute, type RouteOf } from "../url/route.ts";
import { exploreRoute } from "../url/router.ts";
import { series } from "./loadexplore.ts";
import { apart } from "./place.ts";
import { span } from "./services.ts";
import { marks } from "./shownmarks.ts";
import { comparedSides, versionSides } from "./sides.ts";

/** Profiles for a smaller part of a range have halves of their own. */
const MOST = 0.75;

/** Of two places of both; else of a window and the time before it, before and after the newest version, or of halves. */
export function comparisonHere(): { target: RouteOf<"diff">; title: string } {
  const { service, type, base, window } = exploreRoute.value;
  const initial = { ...initialRoute("diff"), service, type };
  if (apart.value) {
    const other = { ...initial.other, filters: base.filters };
    const target = { ...initial, base: { ...base, ...(window && fixed(window)) }, other };
    return { target, title: "Compare with the other bundle" };
  }
  const versions = window ? [] : versionSides(marks.value, span.value, base.filters);
  // What a rollback changed is what its deploy had changed.
  const newest = versions.find(({ isBack }) => !isBack) ?? versions[0];
  if (newest) return { target: { ...initial, ...newest.sides }, title: `Compare ${lower(newest.label)}` };
  const whole = profiledSpan();
  const title = window
    ? "Compare the selected time with the time just before it"
    : `Compare the second half of the ${whole === span.value ? "range" : "time with profiles"} with the first`;
  return { target: { ...initial, ...comparedSides(whole, window, base.filters) }, title };
}

/** From the first to the last profile of the range, where that is much less than the range; else the range. */
function profiledSpan(): Span {
  const found = series.value;
  const range = span.value;
  if (!found) return range;
  const { start, step, counts } = found;
  const [first, last] = [counts.findIndex((count) => count > 0), counts.findLastIndex((count) => count > 0)];
  const seen = {
    from: Math.max(range.from, start + first * step),
    until: Math.min(range.until, start + (last + 1) * step),
  };
  return first >= 0 && seen.until - seen.from < MOST * (range.until - range.from) ? seen : range;
}

function lower(label: string): string {
  return label[0].toLowerCase() + label.slice(1);
}
