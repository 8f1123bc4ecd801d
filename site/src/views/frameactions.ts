/** What can be done with a frame, wherever it is chosen. */
import { recordTarget } from "../state/page/record.ts";
import { zoomTo } from "../state/profile/focus.ts";
import { go, pictureRoute } from "../state/url/router.ts";

export const ACTIONS = [
  { verb: "focus", label: "Focus", key: "f", title: "Only stacks with this function (f)" },
  { verb: "ignore", label: "Ignore", key: "i", title: "No stacks with this function (i)" },
  { verb: "hide", label: "Hide", key: "h", title: "Hide this function's frames (h)" },
] as const;

/** Asks what to record of a frame: of its function, or of its call path from the root on. */
export function recordFrame(func: string, path: { name: string }[]): void {
  recordTarget.value = { func, path: path.slice(1).map(({ name }) => name) };
}

/** Zooms to a frame where it can be seen. */
export function zoomHere(node: number): void {
  if (!["flame", "both", "sides"].includes(pictureRoute.peek().view)) go({ view: "flame" });
  void zoomTo(node);
}
