/** The comparison that one most likely wants of what is explored. */
import { fixed } from "../../time/range.ts";
import { initialRoute, type RouteOf } from "../url/route.ts";
import { exploreRoute } from "../url/router.ts";
import { apart } from "./place.ts";
import { span } from "./services.ts";
import { marks } from "./shownmarks.ts";
import { comparedSides, versionSides } from "./sides.ts";

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
  const title = window
    ? "Compare the selected time with the time just before it"
    : "Compare the second half of the range with the first";
  return { target: { ...initial, ...comparedSides(span.value, window, base.filters) }, title };
}

function lower(label: string): string {
  return label[0].toLowerCase() + label.slice(1);
}
