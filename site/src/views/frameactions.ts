/** What can be done with a frame, wherever it is chosen. */
import { zoomTo } from "../state/profile/focus.ts";
import { go, pictureRoute } from "../state/url/router.ts";

export const ACTIONS = [
  { verb: "focus", label: "Focus", key: "f", title: "Only stacks with this function (f)" },
  { verb: "ignore", label: "Ignore", key: "i", title: "No stacks with this function (i)" },
  { verb: "hide", label: "Hide", key: "h", title: "Hide this function's frames (h)" },
] as const;

/** Zooms to a frame where it can be seen. */
export function zoomHere(node: number): void {
  if (!["flame", "both", "sides"].includes(pictureRoute.peek().view)) go({ view: "flame" });
  void zoomTo(node);
}
