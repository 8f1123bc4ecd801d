/** Links that work like ones (new tab, copy address) but stay on the page for a plain click. */

import type { Route } from "../../state/url/route.ts";
import { go, href } from "../../state/url/router.ts";

/** What makes an `a` lead somewhere. */
export function linkTo(target: Route) {
  return { href: href(target), onClick: (event: MouseEvent) => onPlainClick(event, () => go(target)) };
}

export function onPlainClick(event: MouseEvent, act: () => void): void {
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  act();
}
