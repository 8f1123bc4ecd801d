/** Which views a profile has: only some profiles have times, and only comparisons have sides. */
import { computed } from "@preact/signals";
import type { View } from "../url/route.ts";
import { pictureRoute } from "../url/router.ts";
import { shown } from "./shown.ts";

/** Why what is on the screen has no such view; empty where it has one. */
export function whyNoView(view: View): string {
  const answer = shown.value;
  const subject = answer.state === "ready" ? answer.subject : undefined;
  const compared = answer.state === "ready" && answer.tree.diff !== null;
  if (view === "chart" && !subject?.timed) return "The chart needs samples with timestamps; these have none.";
  if (view === "lines" && (compared || !subject)) return "A comparison can't show source lines.";
  if (view === "sides" && !compared) return "Only a comparison has two sides.";
  return "";
}

/** The view on the screen: the flame graph in place of one that the profile does not have. */
export const seenView = computed<View>(() => {
  const { view } = pictureRoute.value;
  return whyNoView(view) ? "flame" : view;
});
